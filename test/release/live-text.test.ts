import { expect, test } from 'vitest';
import { AgentClient, type AgentRun, type RunEvent } from '../../client/index.ts';
import { type Broker, brokerNames, brokerProblem, startBroker } from '../support/brokers.ts';
import type { Command } from '../support/cli.ts';
import { startCrashRig } from '../support/crash-rig.ts';

/** Live text between processes: each broker, a worker that is killed in the middle of a text, and the broker too. */

const KEY = Buffer.alloc(32, 7).toString('base64');
const ENOUGH_WORDS = 40;

const brokers = await Promise.all(
  brokerNames.map(async (name) => {
    const problem = await brokerProblem(name);
    return { name, problem, title: problem === undefined ? name : `${name} (skipped: ${problem})` };
  }),
);

for (const { name, problem, title } of brokers) {
  test.skipIf(problem !== undefined)(
    `a text comes piece by piece through ${title}, and whole, whoever is killed`,
    async () => {
      const broker = await startBroker(name);
      const rig = await startCrashRig({
        config: 'test/fixtures/live-text.config.ts',
        replies: ['unused'],
        env: { RELOOP_LIVE_URL: broker.url, RELOOP_ENCRYPTION_KEYS: `k:${KEY}` },
      });
      const client = await AgentClient.connect({
        address: rig.server.address,
        live: { url: broker.url },
        encryption: { keys: { k: KEY } },
      });
      const warnings: string[] = [];
      const onWarning = ({ message }: Error) => warnings.push(message);
      process.on('warning', onWarning);
      try {
        const workers = [rig.startWorker()];
        const run = await client.start('writer', 'Write.');
        const events = await read(run, {
          async killWorker() {
            await rig.killWorkers();
            workers.push(rig.startWorker());
          },
          broker,
        });
        checkTexts(events);
        expect(outages(warnings)).toHaveLength(1);
        expect(outages(linesOf(workers.at(-1)))).toHaveLength(1);
      } finally {
        process.off('warning', onWarning);
        await client.close();
        await rig.stop();
        await broker.stop();
      }
    },
    180_000,
  );
}

/** Kills the worker in the first attempt, and the broker in the second, until a heartbeat has brought more. */
async function read(
  run: AgentRun,
  { killWorker, broker }: { killWorker(): Promise<void>; broker: Broker },
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  let next: 'worker' | 'broker' | 'heartbeat' | 'end' = 'worker';
  for await (const event of run.events()) {
    events.push(event);
    if (event.type !== 'model_text' || wordsOf(event.text) < ENOUGH_WORDS) continue;
    if (next === 'worker') {
      await killWorker();
      next = 'broker';
    } else if (next === 'broker' && event.attempt > 1) {
      await broker.kill();
      next = 'heartbeat';
    } else if (next === 'heartbeat') {
      await broker.start();
      next = 'end';
    }
  }
  expect(next).toBe('end');
  return events;
}

function checkTexts(events: readonly RunEvent[]): void {
  const texts = events.filter((event) => event.type === 'model_text');
  // Heartbeats alone would have brought one or two of the first second.
  expect(texts.filter(({ attempt }) => attempt === 1).length).toBeGreaterThan(5);
  let known = { attempt: 0, text: '' };
  for (const { attempt, text } of texts) {
    expect(attempt).toBeGreaterThanOrEqual(known.attempt);
    const before = attempt === known.attempt ? known.text : '';
    expect(text.startsWith(before) && text !== before).toBe(true);
    const [, pid = ''] = /^0@(\d+) /u.exec(text) ?? [];
    expect(wholeText(pid).startsWith(text)).toBe(true);
    known = { attempt, text };
  }
  const told = events.map(({ type }) => type).filter((type) => type !== 'caught_up');
  const types = told.filter((type, at) => type !== told[at - 1]);
  expect(types).toEqual([
    'run_started',
    'model_started',
    'model_text',
    'attempt_failed',
    'model_text',
    'model_ended',
    'finish',
    'run_ended',
  ]);
  const ended = events.find((event) => event.type === 'model_ended');
  expect(ended?.turn.text.startsWith(known.text)).toBe(true);
}

function wholeText(pid: string): string {
  return Array.from({ length: 300 }, (_, number) => `${number}@${pid} `).join('');
}

const wordsOf = (text: string) => text.split(' ').length;
const linesOf = (command: Command | undefined) => command?.stderr().split('\n') ?? [];
const outages = (lines: readonly string[]) => lines.filter((line) => line.includes('Live text: '));
