import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AgentClient } from '../../client/index.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** Real workers as processes, killed with SIGKILL in the middle of their work. */
let rig: CrashRig;

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/crash.config.ts',
    durable: true,
    replies(request) {
      const text = JSON.stringify(request.body);
      const steps = text.split('Observation: worked on').length - 1;
      return steps < 30 ? act('work', `part ${steps + 1}`) : answer('thirty parts');
    },
  });
});
afterEach(() => rig.killWorkers());
afterAll(() => rig.stop());

test('a run goes on where its worker is killed, and then the Temporal server, which has a file', async () => {
  const record = join(rig.folder, 'server.jsonl');
  const worker = rig.startWorker(record);
  const run = await rig.client.start('worker', 'Do thirty parts.');
  await until(() => linesOf(record).length >= 5);
  await worker.killGroup();
  rig.startWorker(record);
  await until(() => linesOf(record).length >= 10);
  await rig.server.killAndRestart();
  const fresh = await AgentClient.connect({ address: rig.server.address });
  const { output, intermediateSteps } = await fresh.get(run.id).result();
  expect(output).toBe('thirty parts');
  expect(intermediateSteps).toHaveLength(30);
  await fresh.close();
});
