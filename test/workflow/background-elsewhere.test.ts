import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { lateResult } from '../../agent/observation/observations.ts';
import { costing } from '../support/scripts.ts';
import type { RunExport } from '../../client/export/run-export.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { runPage } from '../../features/render/page/run-page.ts';
import { recordedRun } from '../../features/testing/index.ts';
import { createGate } from '../support/gate.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { gatedTool } from '../support/sample-tools.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** Background calls together with what else a run can have. All payloads are encrypted. */
const gate = createGate();
const SECRET = `a secret ${'x'.repeat(3_000)}`;
const seen = lateResult('1.1', 'slow', `slow ${SECRET}`, undefined);
const model = modelOf((step, request) => {
  if (step === '1') return act('slow', SECRET);
  if (step === '2') return act('note', 'b');
  return answer(promptOf(request).includes(seen) ? 'seen' : 'not yet');
});
const note = gatedTool({ ...gate, pass: () => Promise.resolve() }, 'note');
const tools = [gatedTool(gate, 'slow', { background: true }), note];
const config = {
  agents: [
    { name: 'elsewhere', kind: 'zero-shot', model, tools },
    { name: 'elsewhere-capped', kind: 'zero-shot', model: costing(600, model), tools },
    {
      name: 'elsewhere-boss',
      kind: 'zero-shot',
      model: modelOf((step) => (step === '1' ? act('elsewhere', 'go') : answer(`at ${step}`))),
      tools: [agentTool({ agent: 'elsewhere', description: 'helps', background: true })],
    },
  ],
  budgets: [
    {
      name: 'elsewhere',
      of: 'agent',
      only: 'elsewhere-capped',
      per: 'month',
      totalTokens: 1_500,
      onEnd: 'stop',
    },
  ],
  encryption: { keys: { elsewhere: Buffer.alloc(32, 'b').toString('base64') } },
} satisfies ConfigDefinition;
const rig = useRig(config);

async function ended() {
  const run = await rig.client.start('elsewhere', 'what?');
  await eventOf(run, 'model_ended', ({ call }) => call === '3');
  await gate.open();
  const result = await run.result();
  return { run, result };
}

test('the result of a background call is encrypted, and comes to the model in plain text', async () => {
  const { run, result } = await ended();
  expect(result.output).toBe('seen');
  const { events } = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
  const payloads = payloadsIn(events);
  expect(payloads.length).toBeGreaterThan(5);
  expect(payloads.filter((data) => data.includes('secret'))).toEqual([]);
});

test('an exported run with a background call has its page, and is a test of its agent', async () => {
  const { run } = await ended();
  const record = JSON.parse(JSON.stringify(await run.export({ prompts: true }))) as RunExport; // as a file has it
  expect(runPage(record)).toContain('a secret');
  expect(await recordedRun(record, { config: { agents: config.agents } })).toEqual({
    ok: true,
    steps: 4,
    differences: [],
  });
});

test('a backtest of a run with a background call takes the recorded result, and gives it at once', async () => {
  const { run } = await ended();
  const report = await (await rig.client.backtest('elsewhere', { runs: [run.id] })).report();
  expect(report.runs).toMatchObject([{ id: run.id, after: { status: 'completed', output: 'seen' } }]);
});

test('a run that Temporal resets makes its background call again, and the model gets the result', async () => {
  const run = await rig.client.start('elsewhere', 'what?');
  await eventOf(run, 'step', ({ step }) => step.call === '2.1');
  await gate.reached(1);
  const { events } = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
  const scheduled = events?.findLast(
    ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === 'note',
  );
  await rig.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: run.id },
    reason: 'a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId:
      scheduled?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId ?? null,
  });
  await gate.reached(2);
  await gate.open();
  expect(await run.result()).toMatchObject({ output: 'seen' });
});

test('a run that stops at its budget waits for its background call, also where it is paused there', async () => {
  const run = await rig.client.start('elsewhere-capped', 'what?');
  await eventOf(run, 'model_failed');
  await run.pause();
  await gate.open();
  await eventOf(run, 'step', ({ step }) => step.call === '1.1');
  expect((await run.describe()).status).toBe('paused');
  await run.resume();
  const result = await run.result();
  expect(result).toMatchObject({ stopReason: 'budget' });
  expect(result.intermediateSteps[0]).toMatchObject({ call: '1.1', observation: `slow ${SECRET}` });
  await rig.client.budgets().extend('elsewhere', { totalTokens: 10_000 }, 'elsewhere-capped');
  await run.retry();
  expect(await run.result()).toMatchObject({ output: 'seen' });
});

test('a paused sub-agent in the background continues with its run', async () => {
  const run = await rig.client.start('elsewhere-boss', 'what?');
  await gate.reached(1);
  await run.pause();
  await gate.open();
  await run.resume();
  expect(await run.result()).toMatchObject({ output: 'at 3' });
});

/** The data of all payloads of a history, as texts. */
function payloadsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  const { metadata, data } = value as { metadata?: unknown; data?: unknown };
  if (metadata !== undefined && data instanceof Uint8Array) return [Buffer.from(data).toString()];
  return Object.values(value).flatMap(payloadsIn);
}
