import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from './cli.ts';
import { textOf } from './doc-pages.ts';
import { type Command, isCommand, stepsOf } from './page-commands.ts';
import type { PageProject } from './page-project.ts';
import { essence, withOutputs } from './transcripts.ts';

/** UPDATE_TRANSCRIPTS=1 writes into the pages what their commands print now. */
const isUpdate = process.env['UPDATE_TRANSCRIPTS'] === '1';

/** Where a page's commands are typed, and its files written. */
export type Reader = Pick<PageProject, 'type' | 'keepRunning' | 'samples'> & {
  write(file: string, text: string): void;
};

/** Does what a page says, from top to bottom, and fails on the first command that does not do what the page says. */
export async function followPage(page: string, reader: Reader): Promise<void> {
  const text = textOf(page);
  const outputs = new Map<number, string>();
  for (const step of stepsOf(text)) {
    if (!isCommand(step)) reader.write(step.file, step.text);
    else if (step.notRun === undefined) await follow(page, step, reader, outputs);
  }
  if (isUpdate) writeFileSync(join(root, page), withOutputs(text, outputs));
}

async function follow(
  page: string,
  step: Command,
  reader: Reader,
  outputs: Map<number, string>,
): Promise<void> {
  const { command, line, expected, exit, output, stays } = step;
  const where = `${page}:${line} $ ${command}`;
  if (stays !== undefined) return reader.keepRunning(command, stays);
  const { printed: raw, code } = await reader.type(command);
  const printed = sample(raw, reader.samples);
  if (output !== undefined) return compare(`${where} (UPDATE_TRANSCRIPTS=1 mends it)`, output, printed);
  if (exit !== null) expect(`${where}\n${printed}\nexit code ${code}`).toMatch(`exit code ${exit}`);
  for (const text of expected) expect(`${where}\n${printed}`).toContain(text);

  function compare(place: string, said: string, is: string): void {
    // What is right in all but its samples stays as it is.
    outputs.set(line, essence(is) === essence(said) ? said : is);
    expect(`${place}\n${essence(is)}`).toBe(`${place}\n${essence(isUpdate ? is : said)}`);
  }
}

function sample(printed: string, samples: Reader['samples']): string {
  return samples
    .reduce((text, [here, there]) => text.replaceAll(here, there), printed)
    .replaceAll(/[ \t]+$/gmu, '')
    .replace(/^\n+|\n+$/gu, '');
}
