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

// Each command is a process: on a machine with a lot to do they take their time.
test.each(pages)(
  '%s shows what its commands print',
  async (page) => {
    const text = textOf(page);
    const transcripts = transcriptsIn(text);
    const outputs = new Map<number, string>();
    const project = await startPageProject();
    try {
      for (const { command, output, line } of transcripts) {
        const printed = sample(await project.type(command), project);
        const [is, said] = [printed, output].map(essence);
        // What is right in all but its samples stays as it is.
        outputs.set(line, is === said ? output : printed);
        const where = `${page}:${line} (UPDATE_TRANSCRIPTS=1 mends it) $ ${command}`;
        expect(`${where}\n${is}`).toBe(`${where}\n${isUpdate ? is : said}`);
      }
    } finally {
      await project.stop();
    }
    if (isUpdate) writeFileSync(join(root, page), withOutputs(text, outputs));
    expect(outputs.size).toBe(transcripts.length);
  },
  600_000,
);

/** As it is for a reader: the usual ports, and no folder of this machine. */
function sample(printed: string, { address, uiUrl, modelUrl, folder }: PageProject): string {
  return printed
    .replaceAll(uiUrl, 'http://127.0.0.1:8233')
    .replaceAll(address, '127.0.0.1:7233')
    .replaceAll(modelUrl, 'http://127.0.0.1:8000/v1')
    .replaceAll(folder, '/home/you/project')
    .replaceAll(/[ \t]+$/gmu, '')
    .replace(/^\n+|\n+$/gu, '');
}

function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}
