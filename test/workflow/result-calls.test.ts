import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import type { RunStep } from '../../agent/run/events.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { limits } from '../../agent/values/limits.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { type CountedConnection, countedConnection } from '../support/counted-calls.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf, toolCall } from '../support/scripts.ts';

/** What a client asks the server for on its way to an answer. */
const STEPS = 12;
/** Asks for the event that closes a run only. */
const CLOSE_EVENT = 2;
const look = defineTool({ name: 'look', description: 'looks', effects: 'none', run: () => 'seen' });
const page = 'y'.repeat(limits.resultStepsBytes / STEPS);
const read = defineTool({ name: 'read', description: 'reads', effects: 'none', run: () => page });
const counted = agentTool({ agent: 'counted', description: 'counts' });
let connected: CountedConnection;
let client: AgentClient;

const calls = (tool: string, times: number) =>
  modelOf((step) => (Number(step) > times ? answer('done') : act(tool, step)));
const native = modelOf((step) => (Number(step) > STEPS ? 'done' : { toolCalls: [toolCall('look', '')] }));
const rig = useRig({
  agents: [
    { name: 'counted', model: calls('look', STEPS), tools: [look] },
    { name: 'reader', model: calls('read', STEPS), tools: [read] },
    { name: 'native', kind: 'tool-calling', model: native, tools: [look] },
    { name: 'parent', model: calls('counted', 1), tools: [counted] },
  ],
});
beforeAll(async () => {
  connected = await countedConnection(inject('temporalAddress'));
  client = new AgentClient(
    new Client({ connection: connected.connection }),
    rig.client.address,
    rig.taskQueue,
  );
});
afterAll(async () => {
  await connected.connection.close();
});

test('an answer takes a few calls, however much happens until it is there', async () => {
  const { intermediateSteps } = await client.run('reader', 'what?', { id: 'result-calls' });
  expect(intermediateSteps).toHaveLength(STEPS);
  const made = Object.fromEntries(connected.calls);
  const { historyLength } = await rig.temporal.workflow.getHandle('result-calls').describe();
  expect(historyLength).toBeGreaterThan(100);
  // One for the end and one for the steps; on a slow machine the server asks for patience every 20 s.
  expect(made['GetWorkflowExecutionHistory']).toBeLessThan(10);
  const others = Object.keys(made).filter((name) => name !== 'GetWorkflowExecutionHistory');
  expect(others).toEqual(['StartWorkflowExecution']);
  expect(await recordedSteps('result-calls')).toBeUndefined();
});

test('the result of a short run has its steps, and no other event of the run is read', async () => {
  const service = connected.connection.workflowService;
  const spy = vi.spyOn(service, 'getWorkflowExecutionHistory');
  const { intermediateSteps } = await client.run('counted', 'what?', { id: 'short-result' });
  const asked = spy.mock.calls.map(([request]) => fieldOf(request, 'historyEventFilterType'));
  spy.mockRestore();
  expect([...new Set(asked)]).toEqual([CLOSE_EVENT]);
  expect(await recordedSteps('short-result')).toEqual(intermediateSteps);
  const { intermediateSteps: read } = await client.get('short-result').describe();
  expect(intermediateSteps.map(timeless)).toEqual(read.map(timeless));
});

test('the result of a sub-agent, and of a run of a session, leaves the steps to history', async () => {
  await client.run('parent', 'what?', { id: 'parent-result' });
  expect(await recordedSteps('parent-result')).toHaveLength(1);
  expect(await recordedSteps('parent-result/1.1')).toBeUndefined();
  const run = await client.start('native', 'what?', { session: 'short' });
  expect((await run.result()).intermediateSteps).toHaveLength(STEPS);
  expect(await recordedSteps(run.id)).toBeUndefined();
});

const timeless = ({ durationMs: _, ...step }: RunStep) => step;

/** Steps in the workflow's own result. */
async function recordedSteps(id: string): Promise<unknown> {
  const result: unknown = await rig.temporal.workflow.getHandle(id).result();
  expect(result).toMatchObject({ output: 'done' });
  return (result as { intermediateSteps?: unknown }).intermediateSteps;
}
