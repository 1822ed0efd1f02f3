import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { type PageProject, startPageProject } from '../support/page-project.ts';
import { essence, transcriptsIn, withOutputs } from '../support/transcripts.ts';

/**
 * What the pages say that a command prints is what it prints. UPDATE_TRANSCRIPTS=1 writes into the pages what has
 * changed.
 */
const isUpdate = process.env['UPDATE_TRANSCRIPTS'] === '1';
const pages = ['operating', 'asking-a-person', 'do-it-again', 'backtest']
  .map((name) => `docs/${name}.md`)
  .filter((page) => existsSync(join(root, page)) && transcriptsIn(textOf(page)).length > 0);

test.each(pages)(
  '%s shows what its commands print',
  async (page) => {
    const project = await startPageProject();
    try {
      await (isUpdate ? update(page, project) : compare(page, project));
    } finally {
      await project.stop();
    }
  },
  180_000,
);

async function compare(page: string, project: PageProject): Promise<void> {
  for (const { command, output, line } of transcriptsIn(textOf(page))) {
    const where = `${page}:${line} is not true any more (UPDATE_TRANSCRIPTS=1 mends it): $ ${command}`;
    expect(essence(await project.type(command)), where).toBe(essence(output));
  }
}

async function update(page: string, project: PageProject): Promise<void> {
  const text = textOf(page);
  const outputs = new Map<number, string>();
  for (const { command, output, line } of transcriptsIn(text)) {
    const printed = sample(await project.type(command), project);
    outputs.set(line, essence(printed) === essence(output) ? output : printed);
  }
  const updated = withOutputs(text, outputs);
  writeFileSync(join(root, page), updated);
  expect(transcriptsIn(updated)).toHaveLength(outputs.size);
}

/** As it is for a reader: the usual ports, and no folder of this machine. */
function sample(printed: string, { address, uiUrl, folder }: PageProject): string {
  return printed
    .replaceAll(uiUrl, 'http://127.0.0.1:8233')
    .replaceAll(address, '127.0.0.1:7233')
    .replaceAll(folder, '/home/you/project')
    .replaceAll(/[ \t]+$/gmu, '')
    .replace(/^\n+|\n+$/gu, '');
}

function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}
