import { expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { eventsOf, useRig, waitOf } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

/** A handoff in the second agent of a workflow: readers of its history know the background tools of both agents. */
const bake = defineTool({ name: 'bake', description: 'bakes', background: true, run: () => 'ready' });
const heard: RunEvent[] = [];
const baker = modelOf((step) =>
  step === '1/1' ? { toolCalls: [toolCall('transfer_to_host', '{}')] } : 'baked',
);
const greet = defineTool({ name: 'greet', description: 'greets', run: () => 'greeted' });
const host = modelOf((step) => (step === '1/2' ? { toolCalls: [toolCall('greet')] } : 'hosted'));
const rig = useRig({
  agents: [
    {
      name: 'second-baker',
      kind: 'tool-calling',
      model: baker,
      tools: [bake],
      handoffs: ['host'],
      maxIterations: 2,
      onLimit: 'ask',
    },
    { name: 'host', kind: 'tool-calling', description: 'hosts', model: host, tools: [greet] },
  ],
  onEvent: (event) => void heard.push(event),
});

test('the end of a wait at a limit after it is the same for onEvent and for readers', async () => {
  const handle = await rig.temporal.workflow.start('inTurn', {
    workflowId: `second-handoff-${Date.now()}`,
    taskQueue: rig.taskQueue,
    args: ['second-baker', 'what?'],
  });
  const run = rig.client.get(handle.workflowId);
  await waitOf(run, { call: '1/3' });
  await run.extend({ iterations: 3 });
  const [, second] = await handle.result();
  expect(second).toMatchObject({ output: 'hosted' });
  const ends = (events: RunEvent[]) =>
    events.filter(({ type }) => type === 'resumed').map((event) => 'call' in event && event.call);
  await expect.poll(() => ends(heard)).toEqual(['1/3']);
  expect(ends(await eventsOf(run))).toEqual(ends(heard));
});
