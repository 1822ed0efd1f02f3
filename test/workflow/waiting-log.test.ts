import { Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLogger } from '../../worker/worker-log.ts';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';

const asks = defineTool({
  name: 'asks',
  description: 'fails',
  retry: { maxAttempts: 1 },
  run: () => {
    throw new Error('no route');
  },
});

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ agents: [{ name: 'a', model: script(act('asks', 'x')), tools: [asks] }] });
}, 60_000);
afterAll(() => rig.stop());

test('the log of a worker says which call waits for a person, why, and what to type; beside a trace it does not', async () => {
  const lines: string[] = [];
  const beside: string[] = [];
  const { logger } = Runtime.instance();
  const loggers = [
    createLogger((line) => lines.push(line), false),
    createLogger((line) => beside.push(line), true),
  ];
  vi.spyOn(logger, 'log').mockImplementation((...said) => {
    for (const one of loggers) one.log(...said);
  });
  vi.spyOn(logger, 'warn').mockImplementation((...said) => {
    for (const one of loggers) one.warn(...said);
  });

  const run = await rig.client.start('a', 'what?');
  await eventOf(run.events({ live: false }), 'waiting');
  const words = `run ${run.id}: waits for you: asks (1.1) failed: no route. reloop retry ${run.id} 1.1`;
  await vi.waitFor(() => expect(lines.join('\n')).toContain(words), 30_000);
  expect(beside.join('\n')).not.toContain('waits for you');
  vi.restoreAllMocks();
  await run.cancel();
});
