import { expect, test } from 'vitest';
import { WorkflowFailedError } from '@temporalio/client';
import { defineAgent } from '../../config/define.ts';
import { scripted } from '../../features/testing/index.ts';
import { useRig } from '../support/rig.ts';

/** Promises of the sandbox have no stacks (worker/light-promises.ts). What the SDK does with them else, it still does. */
const rig = useRig({
  agents: [defineAgent({ name: 'sound', model: scripted(['Final Answer: sound']) })],
});

test('a rejection that a workflow leaves alone fails its task, and not the worker', async () => {
  const { taskQueue, temporal, client } = rig;
  const handle = await temporal.workflow.start('leavesRejection', {
    taskQueue,
    workflowId: `${taskQueue}-left`,
  });
  await expect
    .poll(
      async () =>
        (await handle.fetchHistory()).events?.map(
          ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message,
        ),
      { timeout: 20_000 },
    )
    .toContainEqual(expect.stringContaining('left alone'));
  expect((await client.run('sound', 'still?')).output).toBe('sound');
  await handle.terminate();
});

test('an error has the stack that says where it was thrown', async () => {
  const { taskQueue, temporal } = rig;
  const failed: unknown = await temporal.workflow
    .execute('failsHere', { taskQueue, workflowId: `${taskQueue}-here` })
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(WorkflowFailedError);
  expect(failed).toMatchObject({ cause: { stack: expect.stringMatching(/support\/workflows\.ts:\d+/u) } });
});
