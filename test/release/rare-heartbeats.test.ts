import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

let rig: CrashRig;
let record: string;

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/frugal.config.ts',
    replies: ({ prompt }) =>
      prompt.includes('Observation: all pages') ? answer('read') : act('crawl', 'all'),
  });
  record = join(rig.folder, 'attempts');
});
afterAll(() => rig.stop());

test('a killed worker whose heartbeats are rare is missed all the same, and its call goes on from its checkpoint', async () => {
  const doomed = rig.startWorker(record);
  const run = await rig.client.start('crawler', 'Read all pages.');
  await until(() => linesOf(record).includes('stored'));
  await doomed.killGroup();
  rig.startWorker(record);
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('read');
  expect(intermediateSteps).toMatchObject([{ observation: 'all pages', attempts: 2 }]);
  expect(linesOf(record)).toEqual(['from the start', 'stored', 'from page 7']);
  // The run, two model calls, the tool's call and its second attempt, and at least the beat that stored the checkpoint.
  const { usage } = await run.describe();
  expect(usage.actions).toBeGreaterThanOrEqual(6);
});
