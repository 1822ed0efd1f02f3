import { NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test } from 'vitest';
import { checkStuck } from '../../cli/doctor/check-stuck.ts';
import { connectTo } from '../../client/connect/connect.ts';
import { quiet } from '../support/quiet.ts';

test('doctor names a run whose workflow task keeps failing, where the server reports such runs', async ({
  skip,
}) => {
  quiet();
  const address = inject('temporalAddress');
  const client = await connectTo(address, 'default');
  const connection = await NativeConnection.connect({ address });
  onTestFinished(async () => {
    await client.connection.close();
    await connection.close();
  });
  const { serverVersion } = await client.workflowService.getSystemInfo({});
  expect(await checkStuck(client)).toBeInstanceOf(Array);
  skip(Number(serverVersion.split('.')[1]) < 30, `Temporal ${serverVersion} does not report them`);

  const taskQueue = 'test-stuck';
  const workflowsPath = fileURLToPath(new URL('../fixtures/failing-workflow.ts', import.meta.url));
  const worker = await Worker.create({ connection, taskQueue, workflowsPath });
  await worker.runUntil(async () => {
    const run = await client.workflow.start('agentRun', { taskQueue, workflowId: 'stuck-run', args: [] });
    onTestFinished(async () => void (await run.terminate()));
    const found = async () => (await checkStuck(client)).map((check) => check.found);
    await expect
      .poll(found, { timeout: 240_000, interval: 2000 })
      .toEqual([expect.stringContaining('stuck-run')]);
  });
});
