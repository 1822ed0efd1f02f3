import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod/v4';
import { defineTool } from '../../../adapters/tools/tool.ts';
import type { ScheduleDefinition } from '../../../features/schedules/rules/schedule-definition.ts';
import { isOwn } from '../../../gateway/waiting/waiting-reader.ts';
import type { BatchCounts } from '../../../workflows/messages.ts';
import { continuedAfter, useRig } from '../../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../../support/scripts.ts';

const asked = { now: 0, most: 0, all: [] as string[] };
const model = modelOf(async (step, request) => {
  const question = /Q\d+\w*/u.exec(promptOf(request).split('Question:').at(-1) ?? '')?.[0] ?? '?';
  asked.all.push(question);
  asked.most = Math.max(asked.most, ++asked.now);
  await sleep(question.endsWith('slow') ? 2000 : 20);
  asked.now--;
  if (question.endsWith('broken')) throw new Error('no');
  return question.endsWith('risky') && step === '1' ? act('pay', question) : answer(`A of ${question}`);
});
const pay = defineTool({ name: 'pay', description: 'pays', approval: 'always', run: () => 'paid' });
const agents = [
  { name: 'helper', model, tools: [pay], onModelFailure: 'fail' as const, modelRetry: { maxAttempts: 1 } },
];
/** A batch of some questions continues as new several times. */
const context = z.object({ customer: z.string().optional() });
const rig = useRig({ agents, context }, { server: continuedAfter(60) });
const spec: ScheduleDefinition['spec'] = { cronExpressions: ['0 0 1 1 * 2099'] };
const unique = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;

function questions(count: number, word = ''): string[] {
  return Array.from({ length: count }, (_, index) => `Q${index + 1}${word}`);
}

async function countsOf(id: string): Promise<BatchCounts> {
  return (await rig.temporal.workflow.getHandle(id).result()) as BatchCounts;
}

test('a schedule with inputs runs each of them, a few at a time, across continue-as-new', async () => {
  const { client, temporal } = rig;
  const name = unique('nightly');
  const schedule = client.schedule(name);
  await schedule.create({ agent: 'helper', inputs: questions(14), concurrency: 3, tags: ['night'], spec });
  // The list of the server follows a moment later (1.29).
  await expect.poll(() => client.schedules()).toMatchObject([{ name }]);
  expect(await schedule.describe()).toMatchObject({ agent: 'helper' });
  asked.most = 0;
  const id = (await schedule.trigger()) ?? '';
  expect(await countsOf(id)).toEqual({ done: 14, failed: 0, waiting: 0, existed: 0 });
  expect(asked.most).toBeLessThanOrEqual(3);
  for (const n of [1, 14]) expect((await client.get(`${id}-${n}`).result()).output).toBe(`A of Q${n}`);
  const first = await temporal.workflow.getHandle(id).describe();
  expect(first.raw.workflowExecutionInfo?.firstRunId).not.toBe(first.runId);
  for (const tag of [id, 'night'])
    await expect.poll(async () => (await client.listPage({ tags: [tag] })).runs).toHaveLength(14);
  await expect(client.get(id).describe()).rejects.toThrow(`report --tag`);
});

test('the same time started again pays for no run again, and a question keeps its own context', async () => {
  const { client, temporal, taskQueue } = rig;
  const workflowId = unique('again');
  const inputs = ['Q1', { input: 'Q2', context: { customer: 'ann' } }];
  const start = () =>
    temporal.workflow.start('agentBatch', { workflowId, taskQueue, args: [{ agent: 'helper', inputs }] });
  expect(await (await start()).result()).toMatchObject({ done: 2 });
  const before = asked.all.length;
  expect(await (await start()).result()).toEqual({ done: 0, failed: 0, waiting: 0, existed: 2 });
  expect(asked.all).toHaveLength(before);
  const { agents: told } = await client.get(`${workflowId}-2`).export();
  expect(JSON.stringify(told)).toContain('"customer":"ann"');
});

test('a run that waits gives its place to the next, outlives the batch, and is in the inbox', async () => {
  const { client } = rig;
  const schedule = client.schedule(unique('waits'));
  const inputs = ['Q1risky', 'Q2broken', ...questions(10)];
  await schedule.create({ agent: 'helper', inputs, concurrency: 1, spec });
  const id = (await schedule.trigger()) ?? '';
  expect(await countsOf(id)).toEqual({ done: 10, failed: 1, waiting: 1, existed: 0 });
  const run = client.get(`${id}-1`);
  await expect
    .poll(async () => (await client.listPage({ status: ['waiting'], tags: [id] })).runs.filter(isOwn))
    .toMatchObject([{ id: run.id }]);
  await run.decide(undefined, { type: 'approve' });
  expect((await run.result()).output).toBe('A of Q1risky');
});

test('a batch whose worker is replaced continues, and pays for no run again', async () => {
  const { client } = rig;
  const schedule = client.schedule(unique('replaced'));
  await schedule.create({ agent: 'helper', inputs: questions(12, 'once'), concurrency: 2, spec });
  const id = (await schedule.trigger()) ?? '';
  await expect.poll(() => asked.all.includes('Q4once'), { timeout: 20_000 }).toBe(true);
  await rig.restart();
  expect(await countsOf(id)).toMatchObject({ done: 12 });
  const again = asked.all.filter((one) => one.endsWith('once'));
  expect(new Set(again).size).toBe(12);
  expect(again.length).toBeLessThanOrEqual(14);
});

test.each([
  ['before', 2],
  ['after', 11],
])(
  'a batch that is cancelled %s it continued as new cancels its runs, also one that waits',
  async (_, last) => {
    const { client, temporal } = rig;
    const schedule = client.schedule(unique('cancelled'));
    await schedule.create({ agent: 'helper', inputs: ['Q1risky', ...questions(50)], concurrency: 1, spec });
    const id = (await schedule.trigger()) ?? '';
    const run = client.get(`${id}-${last}`);
    await expect.poll(async () => (await run.describe().catch(() => undefined))?.status).toBeDefined();
    await temporal.workflow.getHandle(id).cancel();
    await expect(temporal.workflow.getHandle(id).result()).rejects.toMatchObject({
      cause: { name: 'CancelledFailure' },
    });
    await expect.poll(async () => (await client.get(`${id}-1`).describe()).status).toBe('cancelled');
  },
);

test('a batch whose running run ends while the batch is cancelled cancels the run that waits, too', async () => {
  const { client, temporal, taskQueue } = rig;
  const workflowId = unique('cancelled');
  const inputs = ['Q1risky', 'Q2slow', ...questions(2)];
  const args = [{ agent: 'helper', inputs, concurrency: 1 }];
  const batch = await temporal.workflow.start('agentBatch', { workflowId, taskQueue, args });
  await expect.poll(() => asked.all.includes('Q2slow')).toBe(true);
  await rig.restart(async () => {
    await batch.cancel();
    await temporal.workflow.getHandle(`${workflowId}-2`).terminate();
  });
  await expect(batch.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  await expect.poll(async () => (await client.get(`${workflowId}-1`).describe()).status).toBe('cancelled');
});

test.each<[string, object]>([
  ['inputs has no question', { inputs: [] }],
  ['question 2: agentRun: input is missing', { inputs: ['x', { context: {} }] }],
  ['question 1: it has the field "tags"', { inputs: [{ input: 'x', tags: ['a'] }] }],
  ['input stands beside inputs', { inputs: ['x'], input: 'y' }],
  ['concurrency is a whole number from 1 to 100', { inputs: ['x'], concurrency: 0 }],
  ['Make several batches', { inputs: Array.from({ length: 30 }, () => 'x'.repeat(50_000)) }],
])('a batch that cannot be is refused before anything is made: %s', async (problem, definition) => {
  const schedule = rig.client.schedule(unique('wrong'));
  await expect(
    schedule.create({ agent: 'helper', ...definition, spec } as ScheduleDefinition),
  ).rejects.toThrow(problem);
  await expect(schedule.describe()).rejects.toMatchObject({ name: 'ScheduleNotFound' });
});
