import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { cli } from '../../cli/cli.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { parseRunExport } from '../../client/export/run-export.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { fakeIo } from '../support/fake-io.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo ${input}` });
const model = script(act('echo', '<b>hi</b>'), answer('done'));
let run: AgentRun;
const helper = agentTool({ agent: 'a', description: 'echoes for you' });
const asker = { name: 'asker', model: script(act('a', 'what?'), answer('asked')), tools: [helper] };
const rig = useRig({ agents: [{ name: 'a', model, tools: [echo] }, asker] });
beforeAll(async () => {
  run = await rig.client.start('a', 'what?');
  await run.result();
}, 60_000);

/** `reloop export`, of this run unless another is named. */
async function exported(words: string[], id = run.id) {
  const io = fakeIo();
  const code = await cli(['export', id, '--address', inject('temporalAddress'), ...words], io);
  return { code, out: io.out(), err: io.err() };
}

describe('reloop export', () => {
  test('prints the run as one JSON file on stdout, and nothing else', async () => {
    const { code, out, err } = await exported([]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(parseRunExport(out)).toEqual(JSON.parse(JSON.stringify(await run.export())));
  });

  test('--prompts inside a project has the requests of a sub-agent too', async () => {
    const parent = await rig.client.start('asker', 'ask a');
    await parent.result();
    const config = ['--config', 'test/fixtures/configs/cli.config.ts'];
    const { code, out, err } = await exported(['--prompts', ...config], parent.id);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { requests, subAgents } = parseRunExport(out);
    expect([requests?.length, subAgents[0]?.export?.requests?.length]).toEqual([2, 2]);
  });

  test('--out writes the file, and says how large it is', async () => {
    const file = join(folder, 'run.json');
    const { code, out, err } = await exported(['--out', file]);
    const bytes = statSync(file).size;
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '',
      err: `${file}: ${bytes.toLocaleString('en-US')} bytes\n`,
    });
    expect(parseRunExport(readFileSync(file, 'utf8')).run.output).toBe('done');
  });

  test.each([
    ['a page as JSON', ['--html', '--json'], 'A page is not JSON'],
    ['a file where there is no folder', ['--out', join(folder, 'none', 'run.json')], 'there is no folder'],
    ['a folder', ['--out', folder], 'is a folder. Name a file in it.'],
  ])('%s is one line and exit code 2', async (_, words, message) => {
    const { code, out, err } = await exported(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^error: .*\n$/u);
    expect(err).toContain(message);
  });

  test('a run that is not there leaves no file', async () => {
    const file = join(folder, 'nothing.json');
    const { code, err } = await exported(['--out', file], 'never-was');
    expect(code).toBe(2);
    expect(err).toContain('There is no run "never-was"');
    expect(existsSync(file)).toBe(false);
  });
});
