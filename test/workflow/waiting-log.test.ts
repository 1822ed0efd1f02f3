import { Runtime } from '@temporalio/worker';
import { expect, test, vi } from 'vitest';
import { createLogger } from '../../worker/worker-log.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';

const asks = brokenTool('no route', 'asks');

const rig = useRig({ agents: [{ name: 'a', model: script(act('asks', 'x')), tools: [asks] }] });

test('the log of a worker says which call waits for a person, why, and what to type; beside a trace it does not', async () => {
  const lines: string[] = [];
  const beside: string[] = [];
  const { logger } = Runtime.instance();
  const loggers = [
    createLogger((line) => lines.push(line), { traced: false }),
    createLogger((line) => beside.push(line), { traced: true }),
  ];
  vi.spyOn(logger, 'log').mockImplementation((...said) => {
    for (const one of loggers) one.log(...said);
  });
  vi.spyOn(logger, 'warn').mockImplementation((...said) => {
    for (const one of loggers) one.warn(...said);
  });

  const run = await rig.client.start('a', 'what?');
  await waitOf(run);
  const words = `run ${run.id}: waits for you: asks (1.1) failed: no route. reloop retry ${run.id} 1.1`;
  await vi.waitFor(() => expect(lines.join('\n')).toContain(words), 30_000);
  expect(beside.join('\n')).not.toContain('waits for you');
  vi.restoreAllMocks();
  await run.cancel();
});
