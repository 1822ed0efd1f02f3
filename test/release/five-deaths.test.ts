import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { eventOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';

/** Five times a heartbeat time-out, and the pauses between the attempts. */
const FIVE_DEATHS_MS = 240_000;
let rig: CrashRig;

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/crash.config.ts',
    replies(request) {
      const text = JSON.stringify(request.body);
      if (text.includes('Observation: slowly did')) return answer('slow and steady');
      return act('slow', 'the slow one');
    },
  });
});
afterEach(() => rig.killWorkers());
afterAll(() => rig.stop());

interface Execution {
  input: string;
  key: string;
  attempt: number;
  done?: number;
}

function executions(record: string): Execution[] {
  return linesOf(record).map((line) => JSON.parse(line) as Execution); // crash.config.ts wrote it
}

test(
  'a call that has lost five workers in a row waits for a person, who may have it go on from its checkpoint',
  async () => {
    const record = join(rig.folder, 'five.jsonl');
    let worker = rig.startWorker(record);
    const run = await rig.client.start('slow', 'Do the slow one.');
    for (let kill = 0; kill < 5; kill++) {
      const seen = kill;
      await until(() => linesOf(record).length > seen);
      const stored = linesOf(`${record}.parts`).length;
      await until(() => linesOf(`${record}.parts`).length > stored);
      await worker.killGroup();
      worker = rig.startWorker(record);
    }
    // Its policy allows one attempt: deaths have not used it up, for every worker but the last has run it.
    const { wait } = await eventOf(run.events(), 'waiting');
    expect(wait).toMatchObject({ call: '1.1', error: { type: 'WorkerDied' } });
    expect(linesOf(record)).toHaveLength(5);
    await run.decide('1.1', { type: 'retry' });
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('slow and steady');
    // Five that died, one that was refused, and the person's.
    expect(intermediateSteps).toMatchObject([{ observation: 'slowly did the slow one', attempts: 7 }]);
    const parts = executions(record).map(({ done }) => done ?? 0);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(parts.at(-1)).toBeGreaterThanOrEqual(5);
    expect(new Set(executions(record).map(({ key }) => key)).size).toBe(1);
  },
  FIVE_DEATHS_MS,
);
