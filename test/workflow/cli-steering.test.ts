import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { RunReport } from '../../client/report.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { type Command, reloop } from '../support/cli.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { act, answer } from '../support/scripts.ts';

/** What is said to a run from the command line. */
const config = ['--config', 'test/fixtures/configs/steering.config.ts'];
let model: ScriptedServer;
let worker: Command;
let env: { [name: string]: string };

beforeAll(async () => {
  model = await startScriptedServer((request) => {
    const text = JSON.stringify(request.body);
    if (text.includes('Message from the user: Stop it.')) return answer('stopped as told');
    return act('echo', String(text.split('Observation: ').length));
  });
  env = {
    OPENAI_BASE_URL: model.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `cli-steering-${Date.now()}`,
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

const atLimit = (id: string) => cli('run', 'asker', 'what?', '--no-wait', '--id', id, ...config);

describe('a run at its limit', () => {
  test('says what to type, and goes on when it is extended', async () => {
    const { code, stderr } = await atLimit('s1');
    expect(code).toBe(4);
    expect(stderr).toContain(
      'Waiting for you: the model of step 3 has come to a limit: MaxIterations: The limit of 2 iterations is reached.',
    );
    expect([...stderr.matchAll(/^ {6}(reloop .*) --config/gmu)].map(([, command]) => command)).toEqual([
      'reloop extend s1 --iterations 5',
      'reloop resolve s1 "…"',
      'reloop stop s1',
      'reloop abort s1',
    ]);
    const said = await cli('say', 's1', 'Stop it.', '--json');
    expect([said.code, JSON.parse(said.stdout)]).toEqual([0, { id: 's1', decision: 'say' }]);
    expect((await cli('extend', 's1', '--iterations', '1')).stderr).toContain('Recorded for run s1: extend');
    const watched = await cli('watch', 's1');
    expect(watched.stdout).toBe('stopped as told\n');
    expect(watched.stderr).toContain('    Message: Stop it.\n    Extended by 1 iteration\n');
  });

  test('stops when it is let to, which is no failure', async () => {
    await atLimit('s2');
    expect((await cli('stop', 's2')).code).toBe(0);
    expect((await cli('watch', 's2')).code).toBe(3);
  });

  test('that is paused is listed so, and says that it has to be resumed', async () => {
    await atLimit('s3');
    expect((await cli('pause', 's3')).code).toBe(0);
    expect(await report('s3')).toMatchObject({ status: 'paused', waiting: [{ reason: 'limit' }] });
    expect((await cli('watch', 's3', '--no-wait')).code).toBe(4);
    const again = await cli('pause', 's3');
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining('pause: the run is paused already. Possible: resume.'),
    ]);
    expect((await cli('resume', 's3')).code).toBe(0);
    expect(await report('s3')).toMatchObject({ status: 'waiting' });
    expect((await cli('cancel', 's3')).code).toBe(0);
  });
});

describe('what cannot be meant', () => {
  test.each([
    [['extend', 's9'], 'extend: say by how much.'],
    [['extend', 's9', '--iterations', 'many'], 'extend: iterations has to be a whole number from 1.'],
    [['extend', 's9', '--time', 'soon'], 'Write 30s, 10m or 1h.'],
    [['say', 's9', ' '], 'say: there is no message.'],
    [['say', 's9'], "missing required argument 'message'"],
    [['resume', 's9'], 's9'],
  ])('%j ends with 2', async (args, sentence) => {
    const { code, stderr } = await cli(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
