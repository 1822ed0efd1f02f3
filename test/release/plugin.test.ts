import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import { InvalidInput } from '../../client/connect/errors.ts';
import { ConfigError, ReloopPlugin, defineTool } from '../../index.ts';
import { quiet } from '../support/quiet.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

quiet();

const config = () => ({
  agents: [
    {
      name: 'a',
      kind: 'zero-shot' as const,
      model: modelOf((step) => (step.endsWith('1') ? act('echo', 'hi') : answer('ok'))),
      tools: [defineTool({ name: 'echo', description: 'echoes', run: (input: string) => input })],
    },
  ],
});

test("a worker of the user's own runs agents as steps of the user's workflows", async () => {
  const address = inject('temporalAddress');
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection: await Connection.connect({ address }) });
  const worker = await Worker.create({
    connection,
    taskQueue: 'plugin',
    workflowsPath: fileURLToPath(new URL('../support/workflows.ts', import.meta.url)),
    plugins: [new ReloopPlugin(config())],
    activities: { own: () => setTimeout(1500, 'and mine') },
  });
  await worker.runUntil(async () => {
    const options = { workflowId: `plugin-${Date.now()}`, taskQueue: 'plugin', args: ['a', 'what?'] };
    expect(await client.workflow.execute('inTurn', options)).toMatchObject([
      { output: 'ok' },
      { output: 'ok' },
    ]);
    const besideOptions = { ...options, workflowId: `beside-${Date.now()}` };
    expect(await client.workflow.execute('beside', besideOptions)).toBe('ok, and mine');
    const beside = new AgentClient(client, address, 'plugin').get(besideOptions.workflowId);
    expect(await beside.describe()).toMatchObject({ status: 'completed', output: 'ok, and mine' });
    await expect(beside.result()).rejects.toThrow(InvalidInput);
    const result = await new AgentClient(client, address, 'plugin').run('a', 'what?');
    expect(result.intermediateSteps).toMatchObject([{ observation: 'hi' }]);
  });
  await client.connection.close();
  await connection.close();
});

test.each<[what: string, own: object, expected: string]>([
  ['as in ours', {}, '1s'],
  ['unless they say otherwise', { maxHeartbeatThrottleInterval: '2s' }, '2s'],
])("in a worker of the user's own the state of a call is sent at once: %s", async (_what, own, expected) => {
  const options = await new ReloopPlugin(config()).configureWorker({ taskQueue: 'q', ...own });
  expect(options.maxHeartbeatThrottleInterval).toBe(expected);
});

test.each([
  ['a tool', 'echo'],
  ["one of Reloop's own activities", 'callModel'],
])("an activity of the worker's own that is called as %s is refused", async (_what, name) => {
  const options = { taskQueue: 'q', activities: { [name]: () => 'mine', other: () => 'fine' } };
  const configured = new ReloopPlugin(config()).configureWorker(options);
  await expect(configured).rejects.toThrow(ConfigError);
  await expect(configured).rejects.toThrow(`own activities ${name} have names`);
});
