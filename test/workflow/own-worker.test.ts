import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import { createOwnWorker } from '../../examples/own-worker.ts';
import { eventOf } from '../support/rig.ts';

test("in own-worker agents are steps of the program's own workflow, and runs of their own as its children", async () => {
  const address = inject('temporalAddress');
  const taskQueue = `own-worker-${randomUUID()}`;
  const client = await AgentClient.connect({ address, taskQueue });
  const connection = await NativeConnection.connect({ address });
  const worker = await createOwnWorker(connection, taskQueue);
  await worker.runUntil(async () => {
    const { workflow } = client.temporal;
    const start = { workflowId: randomUUID(), taskQueue, args: [['Norway', 'Peru']] };
    expect(await workflow.execute('compareCapitals', start)).toBe('published: Oslo and Lima');
    const begun = await eventOf(client.get(start.workflowId).events(), 'run_started');
    expect(begun).toMatchObject({ agent: '', workflow: 'compareCapitals' });
    const asChild = { workflowId: randomUUID(), taskQueue, args: ['Japan'] };
    expect(await workflow.execute('askAsChild', asChild)).toBe('Tokyo');
    const child = await client.get('capital-of-Japan').describe();
    expect(child).toMatchObject({ agent: 'geographer', input: 'Japan', output: 'Tokyo' });
  });
  await Promise.all([client.close(), connection.close()]);
});
