import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import { defineTool } from '../../tools/tool.ts';
import { type CountedConnection, countedConnection } from '../support/counted-calls.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** What a client asks the server for on its way to an answer. */
const STEPS = 12;
const look = defineTool({ name: 'look', description: 'looks', effects: 'none', run: () => 'seen' });
let counted: CountedConnection;
let client: AgentClient;

const model = modelOf((step) => (Number(step) > STEPS ? answer('done') : act('look', step)));
const rig = useRig({ agents: [{ name: 'counted', model, tools: [look] }] });
beforeAll(async () => {
  counted = await countedConnection(inject('temporalAddress'));
  client = new AgentClient(new Client({ connection: counted.connection }), rig.client.address, rig.taskQueue);
});
afterAll(async () => {
  await counted.connection.close();
});

test('an answer takes a few calls, however much happens until it is there', async () => {
  const { intermediateSteps } = await client.run('counted', 'what?', { id: 'result-calls' });
  expect(intermediateSteps).toHaveLength(STEPS);
  const { calls } = counted;
  const made = Object.fromEntries(calls);
  const { historyLength } = await rig.temporal.workflow.getHandle('result-calls').describe();
  expect(historyLength).toBeGreaterThan(100);
  // One for the end and one for the steps; on a slow machine the server asks for patience every 20 s.
  expect(made['GetWorkflowExecutionHistory']).toBeLessThan(10);
  const others = Object.keys(made).filter((name) => name !== 'GetWorkflowExecutionHistory');
  expect(others).toEqual(['StartWorkflowExecution']);
});
