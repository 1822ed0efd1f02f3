import { describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { defineTool } from '../../tools/tool.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** Fails as often as its input says, then answers; remembers what it was called with. */
const calls: { input: string; key: string; attempt: number; checkpoint: unknown }[] = [];
const flaky = defineTool({
  name: 'flaky',
  description: 'fails at first',
  retry: { maxAttempts: 1 },
  async run(input, ctx) {
    if (ctx.lastCheckpoint === undefined) await ctx.checkpoint('half way');
    calls.push({ input, key: ctx.idempotencyKey, attempt: ctx.attempt, checkpoint: ctx.lastCheckpoint });
    if (input === 'broken') throw new Error('the server said 500');
    return `result of ${input}`;
  },
});
let tries = 0;
const third = defineTool({
  name: 'third',
  description: 'the third time is the charm',
  retry: { maxAttempts: 3, initialInterval: 10 },
  run() {
    tries++;
    if (tries < 3) throw new Error(`try ${tries}`);
    return `took ${tries}`;
  },
});
const deaf = defineTool({
  name: 'deaf',
  description: 'never returns and hears nothing',
  timeout: 300,
  retry: { maxAttempts: 2, initialInterval: 10 },
  run: () => new Promise(() => undefined),
});
const tools = [flaky, third, deaf];
const agent = (name: string, ...replies: string[]) => ({
  name,
  model: modelOf((step) => replies[Number(step) - 1] ?? answer('ok')),
  tools,
});

const rig = useRig({
  agents: [
    agent('asks', act('flaky', 'broken')),
    agent('third', act('third', 'x')),
    agent('deaf', act('deaf', 'x')),
  ],
});

/** A run whose first call has failed for good. */
async function parked(): Promise<AgentRun> {
  const started = await rig.client.start('asks', 'what?');
  await waitOf(started);
  // Answered once the workflow has taken note of the failure: from then on nothing moves by itself.
  await rig.temporal.workflow.getHandle(started.id).query('status');
  return started;
}

describe('a tool call that failed for good', () => {
  test('waits for a person, and says so everywhere', async () => {
    const run = await parked();
    const wait = {
      call: '1.1',
      n: 0,
      tool: 'flaky',
      toolInput: 'broken',
      reason: 'failed',
      error: { type: 'Error', message: 'the server said 500' },
    };
    expect(await run.describe()).toMatchObject({ status: 'waiting', waiting: [wait] });
    const handle = rig.temporal.workflow.getHandle(run.id);
    expect(await handle.query('status')).toMatchObject({ status: 'waiting', waiting: [wait], running: [] });
    const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('**Waiting for you**: flaky (`1.1`) failed');
    expect(metadata.currentDetails).toContain('Its input:\n\n```\nbroken\n```');
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ name: 'AgentRunCancelled' });
  });

  test('is run again with other input: another key, the same checkpoint, fresh attempts', async () => {
    const run = await parked();
    calls.length = 0;
    await expect(run.decide(undefined, { type: 'retry' })).resolves.toEqual({
      call: '1.1',
      n: 0,
      decision: 'retry',
    });
    const again = await eventOf(run, 'waiting', ({ wait }) => wait.n === 1);
    expect(again.wait.call).toBe('1.1');
    await run.decide('1.1', { type: 'retry', input: 'fixed' });
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('ok');
    expect(intermediateSteps).toMatchObject([
      { call: '1.1', action: { toolInput: 'fixed' }, observation: 'result of fixed', attempts: 3 },
    ]);
    const [same, other] = calls;
    expect(same).toMatchObject({ input: 'broken', attempt: 1, checkpoint: 'half way' });
    expect(other).toMatchObject({ input: 'fixed', attempt: 1, checkpoint: 'half way' });
    expect(other?.key).not.toBe(same?.key);
  });
});

describe('a tool call', () => {
  test('is tried as often as its policy says', async () => {
    const { intermediateSteps } = await rig.client.run('third', 'what?');
    expect(intermediateSteps).toMatchObject([{ observation: 'took 3', attempts: 3 }]);
  });

  test('times out where it never returns, is tried again and then waits', async () => {
    const run = await rig.client.start('deaf', 'what?');
    const wait = await waitOf(run);
    expect(wait.error).toEqual({ type: 'Timeout', message: 'deaf took longer than its time-out of 0.3 s' });
    await run.decide(undefined, { type: 'skip' });
    expect((await run.result()).intermediateSteps).toMatchObject([{ attempts: 2 }]);
  });
});
