import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, toolCall } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}
const [mayFail, wasAborted, isNext, mayEnd] = [gate(), gate(), gate(), gate()];

const once = { maxAttempts: 1 };
const sleeper = defineTool({
  name: 'sleeper',
  description: 'sleeps until it is aborted',
  retry: once,
  run: (_input, { signal }) => sleep(600_000, 'woke', { signal }).finally(wasAborted.open),
});
const asks = brokenTool('help', 'asks');
const fails = defineTool({
  name: 'fails',
  description: 'fails the run when it is let',
  retry: once,
  onFailure: 'fail',
  async run() {
    await mayFail.opened;
    throw new Error('over');
  },
});
const holds = defineTool({
  name: 'holds',
  description: 'keeps the second agent under way',
  async run() {
    isNext.open();
    await mayEnd.opened;
    return 'held';
  },
});
const together = modelOf(() => ({
  toolCalls: ['sleeper', 'asks', 'fails'].map((name) => toolCall(name)),
}));

// As the second agent of a workflow it is asked for step 1/1.
const next = modelOf((step) => (step === '1/1' ? act('holds', 'x') : answer('went on')));

const rig = useRig({
  agents: [
    { name: 'failing', kind: 'tool-calling', model: together, tools: [sleeper, asks, fails] },
    { name: 'next', model: next, tools: [holds] },
  ],
});

test("a workflow that goes on after its agent's failure leaves no call of that agent behind", async () => {
  const handle = await rig.temporal.workflow.start('goingOn', {
    workflowId: `going-on-${Date.now()}`,
    taskQueue: rig.taskQueue,
    args: ['failing', 'next'],
  });
  const run = rig.client.get(handle.workflowId);
  await waitOf(run, { call: '1.2' });
  mayFail.open();
  await wasAborted.opened;
  await isNext.opened;
  expect(await handle.query('status')).toMatchObject({ waiting: [] });
  await expect(run.decide('1.2', { type: 'retry' })).rejects.toMatchObject({
    name: 'DecisionRefused',
    message: expect.stringMatching(
      /^retry: there is no open call 1\.2\. No call is waiting\.(?!.*1\.2)/u,
    ) as string,
  });
  mayEnd.open();
  expect(await handle.result()).toBe('went on');
});
