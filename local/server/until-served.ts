import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { accepts } from './ports.ts';
import { NAMESPACE_REFRESH_MS } from './server-process.ts';

const NAMESPACE = 'default';
const DAY_S = 24 * 60 * 60;
const RETENTION_S = 90 * DAY_S;

/** A separate process, `until-served PORT keeps-runs|in-memory`: ends when the services of a starting server answer. Its parent ends it otherwise. */
async function untilServed(port: number, keepsRuns: boolean): Promise<void> {
  // First plainly: gRPC waits a second after each connect that fails.
  while (!(await accepts(port))) await sleep(20);
  const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
  // The port is open a little before the services are.
  while (!(await isReady(connection, keepsRuns).catch(() => false))) await sleep(20);
  await connection.close();
}

/**
 * Throws while the server does not answer. `keepsRuns`: sets 90 days in place of the dev server's 24 hours; any other
 * value stays.
 */
async function isReady(connection: Connection, keepsRuns: boolean): Promise<boolean> {
  return connection.withDeadline(Date.now() + 2_000, async () => {
    const { workflowService } = connection;
    const { config } = await workflowService.describeNamespace({ namespace: NAMESPACE });
    if (!keepsRuns || Number(config?.workflowExecutionRetentionTtl?.seconds) !== DAY_S) return true;
    const { default: proto } = await import('@temporalio/proto');
    const workflowExecutionRetentionTtl = proto.google.protobuf.Duration.fromObject({ seconds: RETENTION_S });
    await workflowService.updateNamespace({
      namespace: NAMESPACE,
      config: { workflowExecutionRetentionTtl },
    });
    await sleep(NAMESPACE_REFRESH_MS + 100);
    return true;
  });
}

await untilServed(Number(process.argv[2]), process.argv[3] === 'keeps-runs');
