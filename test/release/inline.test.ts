import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { act, answer } from '../support/scripts.ts';

/** An inline tool has no activity that would count the workers that die of it: here is one that kills each. */
const SIX_DEATHS_MS = 240_000;
let rig: CrashRig;

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/inline-crash.config.ts',
    replies(request) {
      const text = JSON.stringify(request.body);
      return text.includes('Observation: The tool deadly') ? answer('never again') : act('deadly', 'x');
    },
  });
});
afterEach(() => rig.killWorkers());
afterAll(() => rig.stop());

test(
  'a tool that kills each worker it is run by does so six times, and then the model is told',
  async () => {
    const record = join(rig.folder, 'deadly');
    const run = await rig.client.start('fatal', 'Die.');
    const result = run.result();
    const over = result.then(() => 'over' as const);
    let deaths = 0;
    while (deaths < 12 && (await Promise.race([rig.startWorker(record).exit, over])) !== 'over') deaths++;
    const { output, intermediateSteps } = await result;
    expect(output).toBe('never again');
    expect(intermediateSteps.map(({ observation }) => observation)).toEqual([
      expect.stringContaining('died or stopped answering 5 times in a row'),
    ]);
    expect(deaths).toBe(6);
    expect(linesOf(record)).toHaveLength(6);
    // The reply that went with the first worker was asked for again; the ones after it had it in history.
    expect(rig.model.requests).toHaveLength(3);
  },
  SIX_DEATHS_MS,
);
