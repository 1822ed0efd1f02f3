import { expect, test } from 'vitest';
import config, { planted } from '../fixtures/configs/encrypted.config.ts';
import { startRig, useRig } from '../support/rig.ts';

const { encryption: _, ...inClear } = config;
const rig = useRig(config);

test('a worker without keys leaves an encrypted run to a worker that has them', async () => {
  const { client } = rig;
  const keyless = await startRig(inClear, {}, client.address);
  const { taskQueue } = keyless;
  const run = await client.start('friend', planted.asked, { taskQueue });
  const handle = rig.temporal.workflow.getHandle(run.id);
  const failures = async () => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).map((event) => event.workflowTaskFailedEventAttributes?.failure?.message ?? '');
  };
  await expect
    .poll(failures)
    .toContainEqual(expect.stringContaining('the key "newer", and there are no keys here'));
  await keyless.stop();
  const keyed = await startRig(config, { taskQueue }, client.address);
  expect((await run.result()).output).toBe(planted.remembered);
  await keyed.stop();
});
