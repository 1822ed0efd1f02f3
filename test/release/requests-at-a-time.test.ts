import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { openai } from '../../adapters/models/openai/openai.ts';
import { startScriptedServer } from '../../features/testing/index.ts';
import { allOf } from '../support/all-of.ts';
import { leaseMessages } from '../support/lease-messages.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { useRig } from '../support/rig.ts';
import { answer, modelOf } from '../support/scripts.ts';

/** Requests under way, and the most at a time. */
const underWay = { now: 0, most: 0 };
const counted = modelOf(async () => {
  underWay.most = Math.max(underWay.most, ++underWay.now);
  await sleep(50);
  underWay.now--;
  return answer('done');
});

/** Refuses the first request. */
const server = await startScriptedServer(({ number }) =>
  number === 1
    ? { status: 429, error: { message: 'slow down' }, headers: { 'retry-after-ms': '10000' } }
    : { text: answer('done'), headers: { 'x-ratelimit-remaining-requests': '17' } },
);
afterAll(() => server.close());

const rig = useRig({
  agents: [
    { name: 'few', model: counted },
    { name: 'slow', model: [modelOf(() => answer('done')), 'spare'], modelRetry: { maxAttempts: 1 } },
    { name: 'refused', model: 'remote' },
  ],
  models: {
    remote: openai({ baseURL: server.url, apiKey: 'any' }),
    spare: modelOf(() => answer('by spare')),
  },
  limits: {
    few: { rpm: 6_000, concurrency: 2 },
    slow: { rpm: 60 },
    remote: { rpm: 6_000 },
  },
});

const eventsOf = (ids: readonly string[]) =>
  Promise.all(ids.map((id) => allOf<RunEvent>(rig.client.get(id).events())));

async function startAll(agent: string, count: number): Promise<string[]> {
  const runs = Array.from({ length: count }, () => rig.client.start(agent, 'what?'));
  return (await Promise.all(runs)).map(({ id }) => id);
}

test('no more requests are under way than the model allows at a time', async () => {
  const ids = await startAll('few', 12);
  const results = await Promise.all(ids.map((id) => rig.client.get(id).result()));
  expect(results.map(({ output }) => output)).toEqual(ids.map(() => 'done'));
  expect(underWay.most).toBe(2);
});

test('a call that waits long leaves its place, says so, and comes back without an event, a failed attempt or another model', async () => {
  const ids = await startAll('slow', 8);
  const env = { TEMPORAL_ADDRESS: rig.client.address };
  const shown = async () =>
    (await Promise.all(ids.map((id) => reloopHere(['show', id], env)))).map(({ stdout }) => stdout).join('');
  await expect.poll(shown).toContain('… waits for the limits of the model "slow": 60 requests a minute');
  const events = (await eventsOf(ids)).flat();
  const progress = events.flatMap((event) => (event.type === 'tool_progress' ? [event.text] : []));
  expect(new Set(progress)).toEqual(
    new Set(['waits for the limits of the model "slow": 60 requests a minute']),
  );
  expect(events.filter(({ type }) => type === 'attempt_failed')).toEqual([]);
  const ends = events.flatMap((event) =>
    event.type === 'model_ended' ? [[event.attempts, event.turn.answeredBy?.model]] : [],
  );
  expect(ends).toEqual(ids.map(() => [1, 'slow']));

  const histories = await Promise.all(ids.map((id) => rig.temporal.workflow.getHandle(id).fetchHistory()));
  expect(new Set(histories.map((history) => history.events?.length)).size).toBe(1);
  const failures = histories.flatMap((history) =>
    (history.events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) =>
      started?.lastFailure ? [started.lastFailure.applicationFailureInfo?.type] : [],
    ),
  );
  expect(new Set(failures)).toEqual(new Set(['ModelLimit']));
});

test('a refused request has all calls wait for the time that the provider gives', async () => {
  const [first] = await startAll('refused', 1);
  await expect.poll(() => server.requests.length).toBe(1);
  const held = async () =>
    (await leaseMessages(rig.temporal, rig.taskQueue, 'remote')).filter(
      ({ request }) => request.holdMs === 10_000,
    );
  await expect.poll(held).toHaveLength(1);
  const [second] = await startAll('refused', 1);
  const events = await eventsOf([first ?? '', second ?? '']);
  expect(events.flat().filter(({ type }) => type === 'run_ended')).toHaveLength(2);

  const messages = await leaseMessages(rig.temporal, rig.taskQueue, 'remote');
  const after = messages.slice(messages.findIndex(({ request }) => request.holdMs === 10_000) + 1);
  expect(after[0]?.request.wants).toMatchObject([{ agent: 'refused', calls: 1 }]);
  expect(after[0]?.lease).toEqual({ granted: [0], waitMs: expect.any(Number) as number });
});
