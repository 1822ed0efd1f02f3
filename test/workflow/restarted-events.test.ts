import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { defineTool } from '../../tools/tool.ts';
import { toldAndRecorded } from '../support/control-paths.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/** What a run says that does steps of another one again. */
let told: RunEvent[] = [];
let broken = true;
const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo ${input}` });
const failing = defineTool({
  name: 'failing',
  description: 'fails',
  retry: { maxAttempts: 1 },
  onFailure: 'fail',
  run: () => {
    if (broken) throw new Error('out of order');
    return 'fine';
  },
});

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      { name: 'a', model: script(act('echo', 'x'), act('echo', 'y'), answer('ok')), tools: [echo] },
      {
        name: 'b',
        model: script(act('echo', 'x'), act('failing', 'y'), answer('ok')),
        tools: [echo, failing],
      },
    ],
    onEvent: (event) => void told.push(event),
  });
}, 60_000);
afterAll(() => rig.stop());
beforeEach(() => {
  told = [];
  broken = true;
});

const sinceRestart = <E extends { type: string }>(events: E[]) =>
  events.slice(events.findLastIndex(({ type }) => type === 'restarted'));

/** From where it began again, the worker has told what history says. */
async function compared(run: AgentRun): Promise<string[]> {
  const both = await toldAndRecorded(run, () => told);
  const [theirs, ours] = [both.told, both.recorded].map((list) => sinceRestart(list as { type: string }[]));
  expect(theirs).toEqual(ours);
  return both.lines;
}

test('a run that is taken back says so, and what it does from there on', async () => {
  const run = await rig.client.start('a', 'what?');
  await run.result();
  await run.rewind({ step: 2 });
  await run.result();
  expect(await compared(run)).toMatchInlineSnapshot(`
    [
      "run_started",
      "model_started 1",
      "model_ended 1",
      "action 1.1",
      "tool_started 1.1",
      "step 1.1: "echo x"",
      "restarted",
      "model_started 2",
      "model_ended 2",
      "action 2.1",
      "tool_started 2.1",
      "step 2.1: "echo y"",
      "model_started 3",
      "model_ended 3",
      "finish",
      "run_ended: completed, final_answer",
    ]
  `);
});

test('a fork says what it comes from, and what was changed', async () => {
  const run = await rig.client.start('a', 'what?');
  await run.result();
  const { id } = await run.fork({ step: 3, edits: { '2.1': 'other' } });
  const forked = rig.client.get(id);
  await forked.result();
  expect(await compared(forked)).toMatchInlineSnapshot(`
    [
      "run_started",
      "model_started 1",
      "model_ended 1",
      "action 1.1",
      "tool_started 1.1",
      "step 1.1: "echo x"",
      "model_started 2",
      "model_ended 2",
      "action 2.1",
      "tool_started 2.1",
      "step 2.1: "echo y"",
      "restarted",
      "model_started 3",
      "model_ended 3",
      "finish",
      "run_ended: completed, final_answer",
    ]
  `);
  const [restarted] = sinceRestart(told);
  expect(restarted).toMatchObject({
    type: 'restarted',
    by: 'fork',
    id,
    from: { id: run.id },
    iterations: 2,
    edits: [{ call: '2.1', observation: 'other' }],
  });
});

test('a run that is retried says which calls are made again, and their steps only', async () => {
  const run = await rig.client.start('b', 'what?');
  await expect(run.result()).rejects.toThrow('out of order');
  broken = false;
  await run.retry();
  await run.result();
  expect(await compared(run)).toMatchInlineSnapshot(`
    [
      "run_started",
      "model_started 1",
      "model_ended 1",
      "action 1.1",
      "tool_started 1.1",
      "step 1.1: "echo x"",
      "model_started 2",
      "model_ended 2",
      "action 2.1",
      "tool_started 2.1",
      "tool_failed 2.1",
      "restarted",
      "tool_started 2.1",
      "step 2.1: "fine"",
      "model_started 3",
      "model_ended 3",
      "finish",
      "run_ended: completed, final_answer",
    ]
  `);
  expect(sinceRestart(told)[0]).toMatchObject({ by: 'retry', step: 2, again: ['2.1'] });
});
