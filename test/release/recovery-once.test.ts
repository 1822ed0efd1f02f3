import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RECOVERY_SOURCE, goneAt } from '../../agent/calls/failures.ts';
import { limits } from '../../agent/values/limits.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { eventsOf, waitOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';
import { type Standby, failureSources, standBy } from '../support/standby.ts';

/** Calls that may take effect once only, whose attempt the next worker of a killed one's state folder has ended. */
const CONFIG = 'test/fixtures/once.config.ts';
let rig: CrashRig;
let next: Standby | undefined;

beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies(request) {
      const text = JSON.stringify(request.body);
      const [, tool = '', input = ''] = /what: (\w+) ([\w-]+)/u.exec(text) ?? [];
      return text.includes(`Action Input: ${input}`) ? answer('ok') : act(tool, input);
    },
  });
});
afterEach(async () => {
  await next?.program.killGroup();
  await rig.killWorkers();
});
afterAll(() => rig.stop());

async function startPair(name: string) {
  const [stateDir, effects] = [join(rig.folder, name), join(rig.folder, `${name}-effects`)];
  next = await standBy(rig, { config: CONFIG, stateDir, effects });
  return { next, effects, start: () => rig.startWorker(effects, stateDir) };
}

test('with its intent stored, the call is in doubt', async () => {
  const { next, effects, start } = await startPair('intended');
  const killed = start();
  const run = await rig.client.start('payer', 'what: pay deaf-intended');
  await until(() => linesOf(effects).includes('effect deaf-intended'));
  await killed.killGroup();
  await next.begin();

  const wait = await waitOf(run);
  expect(wait).toMatchObject({ reason: 'doubt', error: { type: 'InDoubt' } });
  expect(await failureSources(rig, run)).toEqual([RECOVERY_SOURCE]);
  expect(linesOf(effects)).toEqual(['began deaf-intended', 'effect deaf-intended']);
});

test('its tool is asked soon after, however long the time-out: the process is known to be dead', async () => {
  const { next, effects, start } = await startPair('reconciled');
  const killed = start();
  const run = await rig.client.start('payer', 'what: register deaf-reconciled');
  await until(() => linesOf(effects).includes('effect deaf-reconciled'));
  await killed.killGroup();
  await next.begin();

  const events = await eventsOf(run);
  const { events: recorded } = await rig.client.temporal.workflow.getHandle(run.id).fetchHistory();
  const [report = '', ...others] = (recorded ?? []).flatMap(
    ({ activityTaskFailedEventAttributes: end }) => end?.failure?.cause?.message ?? [],
  );
  const gone = Date.parse(report.slice(-new Date(0).toISOString().length));
  expect([report, ...others]).toEqual([goneAt(gone)]);
  // A run that hears of the report too late has no wait.
  const waits = events.flatMap((event) => (event.type === 'waiting' ? [event.wait.until] : []));
  expect(waits).toEqual(waits.map(() => gone + limits.sentRequestMs));
  const { intermediateSteps } = await run.result();
  expect(intermediateSteps).toMatchObject([{ observation: 'was paid' }]);
  expect(linesOf(effects)).toEqual([
    'began deaf-reconciled',
    'effect deaf-reconciled',
    'looked deaf-reconciled',
  ]);
});
