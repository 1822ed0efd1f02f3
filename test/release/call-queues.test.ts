import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { sessionId } from '../../agent/session/session.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import config from '../fixtures/configs/queues.config.ts';
import { type Command, reloop } from '../support/cli.ts';
import { until } from '../support/processes.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The rig has a worker on the task queue of the runs; workers of the further queues are processes. */
const rig = useRig(config);
const record = join(tempFolder(), 'calls');
const rareCalls = Array.from({ length: 12 }, (_, index) => ({
  name: 'rare',
  arguments: JSON.stringify({ input: String(index) }),
}));
let model: ScriptedServer;
const workers: Command[] = [];

beforeAll(async () => {
  writeFileSync(record, '');
  model = await startScriptedServer(({ body }) => {
    const text = JSON.stringify(body);
    if (text.includes('collect')) return { toolCalls: rareCalls };
    return !text.includes('Read') || text.includes('Observation: read') ? answer('ok') : act('page', 'x');
  });
});
afterEach(() => endWorkers());
afterAll(() => model.close());

const file = 'test/fixtures/configs/queues.config.ts';
const environment = () => ({
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  TEMPORAL_TASK_QUEUE: rig.taskQueue,
  OPENAI_BASE_URL: model.url,
  QUEUE_RECORD: record,
});

/** A worker of these queues; without names, of all. */
async function workerOf(...queues: string[]): Promise<Command> {
  const named = queues.flatMap((queue) => ['--queue', queue]);
  const worker = reloop(['worker', '--config', file, ...named], environment());
  workers.push(worker);
  const all = [rig.taskQueue, ...Object.keys(config.queues ?? {})];
  await worker.prints(`task queue ${(queues.length === 0 ? all : queues).join(' and ')}, server`);
  return worker;
}

/** Ends all workers in order. Resolves to their exit codes. */
function endWorkers(): Promise<(number | null)[]> {
  for (const { child } of workers) child.kill('SIGTERM');
  return Promise.all(workers.splice(0).map(({ exit }) => exit));
}

const lines = () => readFileSync(record, 'utf8').trim().split('\n');

/** Activities of a run: type, task queue, and process of the worker. */
async function activitiesOf({ id }: Pick<AgentRun, 'id'>) {
  const { events } = await rig.temporal.workflow.getHandle(id).fetchHistory();
  const started = (events ?? []).flatMap(({ activityTaskStartedEventAttributes: it }) => it ?? []);
  return (events ?? []).flatMap(({ eventId, activityTaskScheduledEventAttributes: it }) => {
    if (!it) return [];
    const by = started.find(({ scheduledEventId }) => String(scheduledEventId) === String(eventId));
    return [[it.activityType?.name, it.taskQueue?.name, /(\d+)@/u.exec(by?.identity ?? '')?.[1]]];
  });
}

test('calls wait visibly until workers serve their queues, which keep to the number of the queue', async () => {
  const runs = await Promise.all(Array.from({ length: 6 }, () => rig.client.start('reader', 'Read it.')));
  const [run] = runs as [AgentRun];
  const unasked = { call: '1', tool: 'callModel', taskQueue: 'test-models' };
  expect(await eventOf(run.events(), 'not_begun')).toMatchObject(unasked);
  const [models, pages] = await Promise.all([workerOf('test-models'), workerOf('test-pages')]);
  const results = await Promise.all(runs.map((one) => one.result()));
  expect(results.map(({ output }) => output)).toEqual(runs.map(() => 'ok'));

  const [asked, read] = [String(models.child.pid), String(pages.child.pid)];
  expect(await activitiesOf(run)).toEqual([
    ['callModel', 'test-models', asked],
    ['page', 'test-pages', read],
    ['callModel', 'test-models', asked],
  ]);
  let underWay = 0;
  const counts = lines().map((line) => (underWay += line === 'begin' ? 1 : -1));
  expect([counts.length, Math.max(...counts)]).toEqual([12, 2]);
  expect(await endWorkers()).toEqual([0, 0]);
});

test('a worker serves all queues, and the summary of a session is made where the model calls are', async () => {
  const models = await workerOf();
  const session = `queues-${process.pid}`;
  for (const question of ['one', 'two', 'three']) await rig.client.run('talker', question, { session });
  const made = await activitiesOf({ id: sessionId(session) });
  expect(made).toContainEqual(['summarizeConversation', 'test-models', String(models.child.pid)]);
});

test('a queue lets through as many calls as its rate allows', async () => {
  await workerOf('test-models', 'test-rare');
  const run = await rig.client.start('collector', 'collect');
  await until(() => lines().some((line) => line.startsWith('rare')));
  await rig.client.run('talker', 'hello');
  // Servers before 1.30 let one call through at once on each of a queue's four partitions, later ones one call.
  expect(lines().filter((line) => line.startsWith('rare')).length).toBeLessThanOrEqual(4);
  const { effectiveRateLimit } = await rig.temporal.workflowService.describeTaskQueue({
    namespace: 'default',
    taskQueue: { name: 'test-rare' },
    taskQueueType: 2,
  });
  expect(effectiveRateLimit?.requestsPerSecond).toBeCloseTo(0.05, 5);
  await run.cancel();
});

test.each([
  ['--queue', 'no-such', 'The config has no task queue "no-such". It has: '],
  ['--task-queue', 'test-models', `Task queue "test-models" is one of the config's queues`],
])('a worker is refused with %s %s', async (option, name, message) => {
  const { code, stderr } = await reloopHere(['worker', '--config', file, option, name], environment());
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
