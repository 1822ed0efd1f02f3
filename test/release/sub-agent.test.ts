import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Usage, addUsage, noUsage } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/index.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** A run and its sub-agent's, whose one worker is killed with SIGKILL. */
const PARTS = 10;
let rig: CrashRig;
let record: string;

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/sub-agent.config.ts',
    replies({ prompt }) {
      if (prompt.includes('Observation: all parts')) return answer('well done');
      if (prompt.includes('Have it done.')) return act('worker', 'Do the parts.');
      const done = prompt.split('Observation: worked on').length - 1;
      return done < PARTS ? act('work', `part ${done + 1}`) : answer('all parts');
    },
  });
  record = join(rig.folder, 'executions');
});
afterAll(() => rig.stop());

test('a sub-agent whose worker is killed three times does its parts, each under one key, and all usage is counted', async () => {
  let worker = rig.startWorker(record);
  const run = await rig.client.start('boss', 'Have it done.');
  const kills = 3;
  for (let kill = 1; kill <= kills; kill++) {
    const seen = executions().length;
    await until(() => executions().length > seen + 1);
    await worker.killGroup();
    worker = rig.startWorker(record);
  }
  const result = await run.result();
  expect(result).toMatchObject({
    output: 'well done',
    intermediateSteps: [{ action: { tool: 'worker' }, observation: 'all parts', attempts: 1 }],
  });
  const child = await rig.client.get(`${run.id}/1.1`).result();
  expect(child.intermediateSteps.map(({ observation }) => observation)).toEqual(
    Array.from({ length: PARTS }, (_, index) => `worked on part ${index + 1}`),
  );
  const keys = executions();
  expect(new Set(keys).size).toBe(PARTS);
  expect(keys.length).toBeLessThanOrEqual(PARTS + kills);
  expect(result.usage.modelCalls).toBe(2 + PARTS + 1);
  expect(result.usage).toEqual(addUsage(await ownUsage(run), child.usage));
});

/** The idempotency key of every execution of the sub-agent's tool. */
function executions(): string[] {
  return linesOf(record).map((line) => (JSON.parse(line) as { key: string }).key); // crash.config.ts wrote it
}

async function ownUsage(run: AgentRun): Promise<Usage> {
  let sum = noUsage;
  for await (const event of run.events({ live: false })) {
    if (event.type === 'model_ended') sum = addUsage(sum, event.turn.usage);
  }
  return sum;
}
