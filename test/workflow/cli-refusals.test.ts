import { expect, test } from 'vitest';
import { useCli } from '../support/cli-rig.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { act } from '../support/scripts.ts';

/** The refusals and errors of commands. The pages of docs/ (answer-a-wait.md, steer-a-run.md and others) type the commands that work. */

/** Longer than what refers to it. */
const REFUSAL = 'This request is not for us. '.repeat(8).trim();
// A question is the tool to be called and the id of its run.
const { cli, config, env, report } = useCli('decisions', ({ body }) => {
  const [, tool = ''] = /Question: (\w+) \w+\?/u.exec(JSON.stringify(body)) ?? [];
  if (tool === 'refused') return { status: 400, error: { message: REFUSAL } };
  return tool === 'away' ? { status: 503, error: { message: 'overloaded' } } : act(tool, 'x');
});

const waiting = (tool: string, id: string, agent = 'asker') =>
  cli('run', agent, `${tool} ${id}?`, '--no-wait', '--id', id, ...config);

test('a decision that does not fit is refused with one line that says what does, and exit code 2', async () => {
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
    [['resume', 'a6'], 'the run is not paused'],
    [['rewind', 'a6', '--step', '1.1'], '1.1'],
    [['rewind', 'a6', '--step', '1.1/2'], 'reloop rewind a6/1.1 with step 2'],
  ];
  for (const [args, sentence] of refused) {
    const { code, stdout, stderr } = await cli(...args);
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(sentence);
  }
  expect(await report('w4')).toMatchObject({ status: 'waiting', waiting: [{ call: '1.1' }] });
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

test('a decision on everything picks model calls where it is told to', async () => {
  const { stderr } = await waiting('away', 'm5', 'patient');
  for (const unfit of ['reloop skip', 'other input']) expect(stderr).not.toContain(unfit);
  const dry = async (...filters: string[]) => {
    const { stdout } = await cli('retry', '--all', '--text', 'away m5?', ...filters, '--dry-run', '--json');
    return (JSON.parse(stdout) as { matched: number }).matched; // as docs/json.md has it
  };
  // The server's list lags behind by a moment.
  await expect.poll(() => dry('--model-calls')).toBe(1);
  expect(await dry()).toBe(1);
  expect(await dry('--tool', 'mends', '--model-calls')).toBe(1);
  expect(await dry('--tool', 'mends')).toBe(0);
});

test('`doctor --worker` tells a task queue that a worker polls from one that nobody polls', async () => {
  const doctor = (taskQueue: string) =>
    reloopHere(['doctor', '--worker', ...config], { ...env, TEMPORAL_TASK_QUEUE: taskQueue });
  expect((await doctor(String(env['TEMPORAL_TASK_QUEUE']))).code).toBe(0);
  const nobody = await doctor('nobody-polls-this');
  expect(nobody.code).toBe(1);
  expect(nobody.stdout).toMatch(/^!! {2}workers .*task queue nobody-polls-this: no worker$/mu);
});

test("a failed run prints a provider's long sentence once, in `run`, `watch` and `show`", async () => {
  const timesSaid = (text: string) => text.split(REFUSAL).length - 1;
  const run = await cli('run', 'asker', 'refused r1?', '--id', 'refused-run', ...config);
  expect({ code: run.code, times: timesSaid(run.stderr) }).toEqual({ code: 1, times: 1 });
  expect(run.stderr).toMatch(/^error: \w+: the model call of step 1 failed, see above$/mu);
  expect(timesSaid((await cli('watch', 'refused-run')).stderr)).toBe(1);
  expect(timesSaid((await cli('show', 'refused-run')).stdout)).toBe(1);
});
