import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FAILURE_SOURCE } from '../../worker/fail-lost-attempts.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { eventOf } from '../support/rig.ts';
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
      const [, input = ''] = /what: pay ([\w-]+)/u.exec(text) ?? [];
      return text.includes(`Action Input: ${input}`) ? answer('ok') : act('pay', input);
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

  const { park } = await eventOf(run.events(), 'waiting');
  expect(park).toMatchObject({ reason: 'doubt', error: { type: 'InDoubt' } });
  expect(await failureSources(rig, run)).toEqual([FAILURE_SOURCE]);
  expect(linesOf(effects)).toEqual(['began deaf-intended', 'effect deaf-intended']);
});

test('before its intent is stored, the call has done nothing and runs', async () => {
  const { next, effects, start } = await startPair('trapped');
  writeFileSync(`${effects}.trap`, '');
  const killed = start();
  const run = await rig.client.start('payer', 'what: pay works-at-last');
  await killed.exit;
  await next.begin();

  const { intermediateSteps } = await run.result();
  expect(intermediateSteps).toMatchObject([{ observation: 'paid' }]);
  expect(await failureSources(rig, run)).toEqual([FAILURE_SOURCE]);
  expect(linesOf(effects)).toEqual(['began works-at-last', 'effect works-at-last']);
});
