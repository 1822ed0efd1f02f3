import { expect, test } from 'vitest';
import { defineAgent } from '../../config/define.ts';
import { scripted } from '../../features/testing/index.ts';
import { useRig } from '../support/rig.ts';

const agents = [defineAgent({ name: 'known', model: scripted(['Final Answer: 4']) })];
const settings = { rollingDeploys: false, identity: 'reloop dev 7@here', address: '127.0.0.1:7233' };
const rig = useRig({ agents }, settings);

test('an unknown agent ends the run at once where no deploy can be rolling, and says whose worker does not know it', async () => {
  const run = await rig.client.start('stranger', 'what?');
  await expect(run.result()).rejects.toMatchObject({
    type: 'AgentNotFound',
    message: `The worker "reloop dev 7@here" of task queue ${rig.taskQueue} at 127.0.0.1:7233 knows no agent "stranger". It has: known. Start one whose config has the agent, in the place of this one or on another task queue.`,
  });
  const { events } = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
  const tries = (events ?? []).filter(
    (event) => event.activityTaskStartedEventAttributes ?? event.markerRecordedEventAttributes,
  );
  expect(tries).toHaveLength(1);
});
