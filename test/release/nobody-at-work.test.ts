import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { failedTool } from '../../agent/observation/observations.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { externalTool } from '../../adapters/tools/external.ts';
import { useOtherWorker } from '../support/other-worker.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, promptOf, script } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

/** What becomes of a call while no worker is there that could go on with its run: the next one finds it all at once. */

const QUEUE = `nobody-at-work-${process.pid}`;
/** Each call of the tool, with what makes it fail. */
let called: (fail: () => void) => void = () => undefined;
const boom = failedTool('elsewhere', { type: 'Error', message: 'boom' });

const elsewhere = externalTool({
  name: 'elsewhere',
  description: 'runs in another worker',
  taskQueue: QUEUE,
  retry: { maxAttempts: 1 },
});
const limited = script(act('elsewhere', 'x'), answer('so far'));

useOtherWorker({
  taskQueue: QUEUE,
  activities: {
    elsewhere: () =>
      new Promise((_resolve, reject) => {
        called(() => reject(ApplicationFailure.create({ type: 'Error', message: 'boom' })));
      }),
  },
});
const rig = useRig({
  agents: [
    {
      name: 'limited',
      model: limited,
      tools: [elsewhere],
      maxExecutionTime: 15_000,
      earlyStopping: 'generate',
    },
  ],
});

describe('while no worker goes on with the run', () => {
  test('a call fails, then the time limit passes: the step is what the model is told, and nothing waits', async () => {
    const { run, fail } = await begun('limited');
    await rig.restart(async () => {
      fail();
      await event(run, 'activityTaskFailedEventAttributes');
      await event(run, 'timerFiredEventAttributes');
    });
    const seen = (await allOf(run.events({ live: false }))).map(({ type }) => type);
    const { output, stopReason, intermediateSteps } = await run.result();
    expect({ output, stopReason }).toEqual({ output: 'so far', stopReason: 'max_execution_time' });
    expect(intermediateSteps.map(({ observation }) => observation)).toEqual([boom]);
    expect(promptOf(limited.requests.at(-1)?.request)).toContain(`Observation: ${boom}`);
    expect(seen).not.toContain('waiting');
  });
});

/** A run whose call is under way. */
async function begun(agent: string): Promise<{ run: AgentRun; fail(): void }> {
  const calling = new Promise<() => void>((resolve) => (called = resolve));
  const run = await rig.client.start(agent, 'what?');
  return { run, fail: await calling };
}

/** Waits for the run's history to have such an event. */
async function event(
  run: AgentRun,
  attributes: 'timerFiredEventAttributes' | 'activityTaskFailedEventAttributes',
) {
  for (;;) {
    const { events } = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
    if (events?.some((one) => one[attributes])) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
