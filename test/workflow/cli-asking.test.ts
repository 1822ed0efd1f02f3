import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { RunReport } from '../../client/report.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { type Command, reloop } from '../support/cli.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { act, answer } from '../support/scripts.ts';

/** A person is asked before a call, by the model, and in the place of somebody else: as typed. */
const config = ['--config', 'test/fixtures/configs/asking.config.ts'];
let model: ScriptedServer;
let worker: Command;
let env: { [name: string]: string };

beforeAll(async () => {
  model = await startScriptedServer((request) => {
    const text = JSON.stringify(request.body);
    const [, tool = '', id = '', steps = ''] = /Question: (\w+) (\w+)\?(.*)/su.exec(text) ?? [];
    return steps.includes('Observation: ') ? answer(`done ${id}`) : act(tool, 'x');
  });
  env = {
    OPENAI_BASE_URL: model.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `cli-asking-${Date.now()}`,
  };
  worker = reloop(['worker', ...config], env);
  await worker.prints('Worker ready');
});
afterAll(async () => {
  await worker.killGroup();
  await model.close();
});

const cli = (...args: string[]) => reloopHere(args, env);

async function report(id: string): Promise<RunReport> {
  const { stdout } = await cli('show', id, '--json');
  return JSON.parse(stdout) as RunReport; // printed by us
}

const parked = (tool: string, id: string) =>
  cli('run', 'asker', `${tool} ${id}?`, '--no-wait', '--id', id, ...config);

describe('a run that waits for a person', () => {
  test.each([
    ['pay', 'a1', ['approve', 'a1'], 'paid x'],
    ['pay', 'a2', ['approve', 'a2', '1.1', '--input', '5', '--remember', 'input'], 'paid 5'],
    [
      'pay',
      'a3',
      ['reject', 'a3', '--reason', 'too much'],
      'This tool call was not approved by the operator and was not run: too much',
    ],
    ['ask_human', 'a4', ['resolve', 'a4', 'the red one'], 'the red one'],
  ])('because of %s goes on (%s) when it is told %j', async (tool, id, args, observation) => {
    const { code, stderr } = await parked(tool, id);
    expect(code).toBe(4);
    expect(stderr).toContain(`reloop ${args[0]} ${id}`);
    expect((await cli(...args)).code).toBe(0);
    expect((await cli('watch', id)).stdout).toBe(`done ${id}\n`);
    expect((await report(id)).intermediateSteps).toMatchObject([{ call: '1.1', observation }]);
  });

  test('is given the result of a deferred call by its token alone', async () => {
    const { stderr } = await parked('job', 'a5');
    const [, token = ''] = /token (\S+)/u.exec(stderr) ?? [];
    expect((await cli('resolve', token, '{"rows":3}')).code).toBe(0);
    expect((await cli('watch', 'a5')).stdout).toBe('done a5\n');
    expect((await report('a5')).intermediateSteps).toMatchObject([{ observation: { rows: 3 } }]);
    const again = await cli('resolve', token, 'twice');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('a5')]);
  });

  test('says what fits when it is told something else, and to remember nothing it does not know', async () => {
    await parked('pay', 'a6');
    const refused = await cli('retry', 'a6');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('it waits for approval. Possible: approve, reject, resolve, abort.'),
    ]);
    const typo = await cli('approve', 'a6', '--remember', 'all');
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('Allowed choices are tool, input')]);
    expect((await cli('cancel', 'a6')).code).toBe(0);
  });
});
