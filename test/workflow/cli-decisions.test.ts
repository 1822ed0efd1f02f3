import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useCli } from '../support/cli-rig.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { act, answer } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** What a person decides of a waiting call, and says to a run, as typed. */
const folder = tempFolder();
const mended = join(folder, 'mended');
/** Longer than what refers to it. */
const REFUSAL = 'This request is not for us. '.repeat(8).trim();
let away = false;

// A question is the tool to be called and the id of its run.
const replies = ({ body }: { body: unknown }) => {
  const text = JSON.stringify(body);
  const [, tool = '', id = '', steps = ''] = /Question: (\w+) (\w+)\?(.*)/su.exec(text) ?? [];
  if (tool === 'refused') return { status: 400, error: { message: REFUSAL } };
  if (tool === 'away') return away ? { status: 503, error: { message: 'overloaded' } } : answer(`done ${id}`);
  if (text.includes('Message from the user: Stop it.')) return answer('stopped as told');
  if (tool === 'echo') return act('echo', String(text.split('Observation: ').length));
  return steps.includes('Observation: ') ? answer(`done ${id}`) : act(tool, 'x');
};
const { cli, config, env, report } = useCli('decisions', replies, { CLI_MENDED: mended });

const waiting = (tool: string, id: string, agent = 'asker') =>
  cli('run', agent, `${tool} ${id}?`, '--no-wait', '--id', id, ...config);

/** A command is refused with exit code 2, one line on stderr, and this sentence in it. */
async function isRefused(args: string[], sentence: string): Promise<void> {
  const { code, stdout, stderr } = await cli(...args);
  expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toContain(sentence);
}

describe('a run that waits for a person', () => {
  test.each([
    ['broken', 'w1', ['retry', 'w1', '--input', 'good'], 'fine with good'],
    ['broken', 'w2', ['resolve', 'w2', '1.1', 'by hand'], 'by hand'],
    ['broken', 'w2b', ['resolve', 'w2b', 'by hand'], 'by hand'],
    [
      'broken',
      'w3',
      ['skip', 'w3', '1.1'],
      'This tool call was skipped by the operator; there is no result.',
    ],
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
    const { code, stderr } = await waiting(tool, id);
    expect(code).toBe(4);
    expect(stderr).toContain(`reloop ${args[0]} ${id}`);
    expect((await cli(...args)).code).toBe(0);
    expect((await cli('watch', id)).stdout).toBe(`done ${id}\n`);
    expect((await report(id)).intermediateSteps).toMatchObject([{ call: '1.1', observation }]);
  });

  test('is given the result of a deferred call by its token alone', async () => {
    const { stderr } = await waiting('job', 'a5');
    const [, token = ''] = /token (\S+)/u.exec(stderr) ?? [];
    expect((await cli('resolve', token, '{"rows":3}')).code).toBe(0);
    expect((await cli('watch', 'a5')).stdout).toBe('done a5\n');
    expect((await report('a5')).intermediateSteps).toMatchObject([{ observation: { rows: 3 } }]);
    await isRefused(['resolve', token, 'twice'], 'a5');
  });

  test('refuses what does not fit, and says what does', async () => {
    await waiting('broken', 'w4');
    await waiting('pay', 'a6');
    const refused: [args: string[], sentence: string][] = [
      [['retry', 'w4', '9.9'], '9.9'],
      [['cancel', 'w4', '1.1'], 'Possible: retry, resolve, skip, abort.'],
      [['retry', 'nobody'], 'nobody'],
      [['show', 'nobody'], 'nobody'],
      [['resolve', 'w4', '1.1'], 'Its result is missing: reloop resolve w4 1.1 "…"'],
      [['retry', 'a6'], 'it waits for approval. Possible: approve, reject, resolve, abort.'],
      [['approve', 'a6', '--remember', 'all'], 'Allowed choices are tool, input'],
    ];
    for (const [args, sentence] of refused) await isRefused(args, sentence);
    expect(await report('w4')).toMatchObject({ status: 'waiting', waiting: [{ call: '1.1' }] });
    expect((await cli('cancel', 'a6')).code).toBe(0);
  });

  test('fails where a person aborts it', async () => {
    await waiting('broken', 'w7');
    expect((await cli('abort', 'w7', '--reason', 'wrong question')).code).toBe(0);
    const { code, stderr } = await cli('watch', 'w7');
    expect(code).toBe(1);
    expect(stderr).toContain('error: Aborted: Aborted by the operator: wrong question.');
  });

  test('is mended outside and retried without naming the call', async () => {
    await waiting('broken', 'w5');
    writeFileSync(mended, '');
    expect((await cli('retry', 'w5')).code).toBe(0);
    expect((await cli('watch', 'w5', '--json')).stdout).toContain('"observation":"fine with x"');
    rmSync(mended);
  });
});

describe('a run whose model is away', () => {
  const wait = (id: string) => {
    away = true;
    return waiting('away', id, 'patient');
  };

  test.each([
    ['retry', ['retry', 'm1'], 'done m1'],
    ['retry with the call', ['retry', 'm2', '1'], 'done m2'],
    ['resolve', ['resolve', 'm3', answer('by hand')], 'by hand'],
  ])('waits, says what fits, and goes on after %s', async (_title, args, output) => {
    const id = String(args[1]);
    const { code, stderr } = await wait(id);
    expect(code).toBe(4);
    expect(stderr).toContain('Waiting for you: the model of step 1 failed');
    expect(stderr).toContain(`reloop retry ${id} --config`);
    for (const unfit of ['reloop skip', 'other input']) expect(stderr).not.toContain(unfit);
    expect(await report(id)).toMatchObject({
      status: 'waiting',
      waiting: [{ call: '1', tool: 'callModel', reason: 'failed', error: { type: 'ModelServerError' } }],
    });
    expect((await cli('show', id)).stdout).toContain(`reloop abort ${id}`);
    await isRefused(['skip', id], 'Possible: retry, resolve, abort.');
    away = false;
    expect((await cli(...args)).code).toBe(0);
    expect((await cli('watch', id)).stdout).toBe(`${output}\n`);
  });

  test('is among the model calls that a decision on everything picks', async () => {
    await wait('m5');
    const dry = async (...filters: string[]) => {
      const { stdout } = await cli('retry', '--all', '--text', 'away m5?', ...filters, '--dry-run', '--json');
      return (JSON.parse(stdout) as { matched: number }).matched; // as docs/json.md has it
    };
    // The server's list lags behind by a moment.
    await expect.poll(() => dry('--model-calls')).toBeGreaterThan(0);
    const matched = await dry('--model-calls');
    expect(await dry()).toBe(matched);
    expect(await dry('--tool', 'mends', '--model-calls')).toBe(matched);
    expect(await dry('--tool', 'mends')).toBe(0);
  });
});

describe('a run at its limit', () => {
  const atLimit = (id: string) => waiting('echo', id, 'limited');

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

  test('is listed as paused where it is paused, and has to be resumed', async () => {
    await atLimit('s3');
    expect((await cli('pause', 's3')).code).toBe(0);
    expect(await report('s3')).toMatchObject({ status: 'paused', waiting: [{ reason: 'limit' }] });
    expect((await cli('watch', 's3', '--no-wait')).code).toBe(4);
    await isRefused(['pause', 's3'], 'pause: the run is paused already. Possible: resume.');
    expect((await cli('resume', 's3')).code).toBe(0);
    expect(await report('s3')).toMatchObject({ status: 'waiting' });
    expect((await cli('cancel', 's3')).code).toBe(0);
  });
});

test.each([
  [['extend', 's9'], 'extend: say by how much.'],
  [['extend', 's9', '--iterations', 'many'], 'extend: iterations has to be a whole number from 1.'],
  [['extend', 's9', '--time', 'soon'], 'Write a number and its unit: 30s, 10m or 1h.'],
  [['say', 's9', ' '], 'say: there is no message.'],
  [['say', 's9'], "missing required argument 'message'"],
  [['resume', 's9'], 's9'],
])('%j cannot be meant, and ends with 2', async (args, sentence) => {
  const { code, stderr } = await cli(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

test('`doctor --worker` tells a task queue that a worker polls from one that nobody polls', async () => {
  const doctor = (taskQueue: string) =>
    reloopHere(['doctor', '--worker', ...config], { ...env, TEMPORAL_TASK_QUEUE: taskQueue });
  expect((await doctor(String(env['TEMPORAL_TASK_QUEUE']))).code).toBe(0);
  const nobody = await doctor('nobody-polls-this');
  expect(nobody.code).toBe(1);
  expect(nobody.stdout).toMatch(/^!! {2}workers .*task queue nobody-polls-this: nobody$/mu);
});

test("a failed run prints a provider's long sentence once, in `run`, `watch` and `show`", async () => {
  const timesSaid = (text: string) => text.split(REFUSAL).length - 1;
  const run = await cli('run', 'asker', 'refused r1?', '--id', 'refused-run', ...config);
  expect({ code: run.code, times: timesSaid(run.stderr) }).toEqual({ code: 1, times: 1 });
  expect(run.stderr).toMatch(/^error: \w+: the model call of step 1 failed, see above$/mu);
  expect(timesSaid((await cli('watch', 'refused-run')).stderr)).toBe(1);
  expect(timesSaid((await cli('show', 'refused-run')).stdout)).toBe(1);
});
