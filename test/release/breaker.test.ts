import { afterAll, beforeEach, expect, test } from 'vitest';
import { startScriptedServer } from '../../features/testing/index.ts';
import { runThroughOutage, startModelOutage } from '../support/model-outage.ts';
import { useRig, waitOf } from '../support/rig.ts';

const AT_ONCE = 10;
const other = await startScriptedServer(() => 'by other');
const outage = await startModelOutage(AT_ONCE, other.url);
const rig = useRig(outage.config);
beforeEach(() => {
  outage.isOver = false;
});
afterAll(() => Promise.all([outage.server.close(), other.close()]));

test('an outage costs probes and no attempt of each call, and all runs go on when the model is back', async () => {
  expect(await runThroughOutage(outage, rig, 30, AT_ONCE)).toEqual({ answered: 30, waited: 0 });
});

test('during an outage, the next model of the list is asked, and the first one only by probes', async () => {
  const startedAt = performance.now();
  for (let run = 0; run < 20; run++)
    expect(await rig.client.run('covered', 'Hello?')).toMatchObject({ output: 'by other' });
  expect(other.requests).toHaveLength(20);
  expect(outage.requestsFor('spared')).toBeLessThanOrEqual(outage.mostRequests(startedAt, 1));
});

test('a call whose own requests have all failed waits for a person, and Temporal does not end it before', async () => {
  const before = outage.requestsFor('m');
  const run = await rig.client.start('single', 'Hello?');
  await waitOf(run, { call: '1', reason: 'failed' });
  expect(outage.requestsFor('m') - before).toBe(5);
  const { events } = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
  const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: it }) => it ?? []);
  const calls = scheduled.filter(({ activityType }) => activityType?.name === 'callModel');
  expect(calls.map(({ retryPolicy }) => retryPolicy?.maximumAttempts)).toEqual([10_000_025]);
  outage.isOver = true;
  await run.decide('1', { type: 'retry' });
  expect(await run.result()).toMatchObject({ output: 'by main' });
});
