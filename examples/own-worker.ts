/** Agents in a worker of your own, as steps of your own workflow. `npm run dev` has the Temporal server. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { ReloopPlugin, defineConfig, outliveStrayErrors } from 'reloop';
import { AgentClient } from 'reloop/client';
import { geographer } from './batch.ts';

export const activities = {
  publish: async (answers: readonly unknown[]) => `published: ${answers.join(' and ')}`,
};

/** A worker with workflows and activities of one's own; the plugin adds the agents of the config. */
export function createOwnWorker(connection: NativeConnection, taskQueue: string): Promise<Worker> {
  return Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./own-worker-workflows.ts', import.meta.url)),
    activities,
    plugins: [new ReloopPlugin(defineConfig({ agents: [geographer] }))],
  });
}

if (process.argv[1]?.endsWith('own-worker.ts')) {
  const client = await AgentClient.connect(); // a running `npm run dev`, or TEMPORAL_ADDRESS
  const connection = await NativeConnection.connect({ address: client.address });
  const worker = await createOwnWorker(connection, 'own-worker');
  const dispose = outliveStrayErrors(console.warn);
  const options = { workflowId: `capitals-${randomUUID()}`, taskQueue: 'own-worker' };
  const args: [string[]] = [['Norway', 'Peru']];
  const ask = () => client.temporal.workflow.execute('compareCapitals', { ...options, args });
  console.log(await worker.runUntil(ask).finally(dispose));
  await Promise.all([client.close(), connection.close()]);
}
