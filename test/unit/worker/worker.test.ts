import { hostname } from 'node:os';
import type { NativeConnection } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../activities/attempt/attempt.ts';
import { defaultConcurrency } from '../../../config/options/concurrency-option.ts';
import { deathsInARow, failAfterDeaths } from '../../../activities/attempt/worker-deaths.ts';
import type { Heartbeat } from '../../../agent/calls/heartbeat-record.ts';
import { cli } from '../../../cli/cli.ts';
import { heartbeatInterval, usualHeartbeats } from '../../../config/heartbeats-option.ts';
import { createWorker, defineConfig, ReloopPlugin, startEmbedded } from '../../../index.ts';
import { isResidentWorker, localWorker } from '../../../worker/worker-identity.ts';
import { createLogger } from '../../../worker/worker-log.ts';
import { agent, loadedConfig, problemOf } from '../../support/config.ts';
import { fakeIo } from '../../support/fake-io.ts';

const of = { workflowId: 'r', activityType: 'price', activityId: '1.1' };

test.each([
  ['a command that prints the trace', true],
  ['a worker that stays', false],
])('the log of %s has what a tool says, and not how the worker is getting on', (_, traced) => {
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), { traced });
  log.info('looked it up', { ...of, tool: 'price' });
  log.info('polling');
  log.warn('No workflows registered, not polling for workflow tasks');
  log.warn('slow', of);
  expect(lines).toEqual(['info: price (1.1), run r: looked it up', 'warn: price (1.1), run r: slow']);
});

test.each(['Activity failed', 'Workflow failed'])('%s is in the log where no trace says so', (message) => {
  const lines: string[] = [];
  for (const traced of [true, false]) {
    const log = createLogger((line) => lines.push(line), { traced });
    log.warn(message, { ...of, error: new Error('no such price') });
  }
  expect(lines).toEqual([`warn: price (1.1), run r: ${message}: no such price`]);
});

const ends: [message: string, meta: object][] = [
  ['no longer waits for you: price (1.1): retry', { ...of, resumed: '1.1' }],
  ['Workflow completed', { workflowId: 'r', workflowType: 'agentRun' }],
  ['Workflow completed as cancelled', { workflowId: 'r', workflowType: 'backtestRun' }],
  ['Workflow completed', { workflowId: 'mine', workflowType: 'of a user' }],
];

test.each([
  ['reloop dev', true, ['no longer waits for you: price (1.1): retry', 'run r: ended', 'run r: cancelled']],
  ['reloop worker', false, []],
])('the log of %s has the ends of waits and runs or has none: %s', (_, follows, expected) => {
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), { traced: false, follows });
  for (const [message, meta] of ends) log.debug(message, { ...meta });
  expect(lines.map((line) => line.replace('info: ', '').replace(/^price.*run r: /u, ''))).toEqual(expected);
});

test('a wait names the command as it is typed here', () => {
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), { traced: false, command: 'npx reloop' });
  const meta = { workflowId: 'r', waiting: '1.1', command: 'reloop retry r 1.1' };
  log.warn('waits for you: price (1.1) failed', meta);
  expect(lines).toEqual(['warn: run r: waits for you: price (1.1) failed. npx reloop retry r 1.1']);
});

const here = `${process.pid}@${hostname()}`;

test.each([
  [`reloop dev ${here}`, true],
  [`reloop worker ${here} other.config.ts`, true],
  [`reloop run ${here}`, false],
  // With the project's own config a command is as good; with its own, nobody else has its agents.
  [`reloop program ${here}`, false],
  [`reloop program ${here} scripts/poet.ts`, true],
  [`reloop dev ${process.pid}@another-machine`, false],
  [`reloop dev 999999999@${hostname()}`, false],
  [here, false],
])('the worker "%s" stays: %s', (identity, stays) => {
  expect(isResidentWorker(identity)).toBe(stays);
});

test('an identity says which config a program has', () => {
  const identity = localWorker(`reloop program ${here} scripts/poet.ts`);
  expect(identity).toEqual({ role: 'program', config: 'scripts/poet.ts' });
});

test.each<[what: string, attempt: number, record: Heartbeat, deaths: number]>([
  ['a first attempt follows none', 1, {}, 0],
  ['an attempt that left no word died', 3, {}, 2],
  ['one that failed by itself did not', 3, { failures: 2, endedAt: 2 }, 0],
  ['only those since the last that ended by itself are in a row', 6, { failures: 1, endedAt: 3 }, 2],
  ['a worker that was told to end is no death', 4, { endedAt: 3 }, 0],
  ['attempts that are counted anew make no negative number', 1, { endedAt: 4 }, 0],
])('counting worker deaths in a row, %s', (_what, attempt, record, deaths) => {
  expect(deathsInARow(attempt, record)).toBe(deaths);
});

test.each<[attempt: number, endedAt: number, failures: number | undefined]>([
  [25, 0, undefined],
  [26, 0, 5],
  [1_000, 990, undefined],
])(
  'a model call that may be held back counts %i attempts, of which %i had an end, as %s failures',
  (attempt, endedAt, failures) => {
    const record: Heartbeat = { endedAt };
    const heartbeat = { record, set: (patch: Heartbeat) => void Object.assign(record, patch) };
    const lost = { context: { info: { attempt } }, heartbeat } as unknown as Attempt; // the parts that are read
    const problems: unknown[] = [];
    try {
      failAfterDeaths(lost, { maxAttempts: 5, initialMs: 1, backoff: 1, maximumMs: 1 });
    } catch (error) {
      problems.push(error);
    }
    expect(record.failures).toBe(failures);
    expect(problems).toMatchObject(
      failures === undefined ? [] : [{ type: 'WorkerDied', nonRetryable: false }],
    );
  },
);

describe('how often heartbeats are sent', () => {
  test.each([
    ['127.0.0.1:7233', 'lively'],
    ['localhost:7233', 'lively'],
    ['[::1]:7233', 'lively'],
    ['temporal:7233', 'frugal'],
    ['mine.a1b2c.tmprl.cloud:7233', 'frugal'],
    ['localhost.example.com:7233', 'frugal'],
    [undefined, 'frugal'],
  ])('is usually as nobody or somebody pays for it: with the server at %s, %s', (address, mode) => {
    expect(usualHeartbeats(address)).toBe(mode);
  });

  test('is a matter of seconds, below the time-out of ten', () => {
    const intervals = ['lively' as const, 'frugal' as const, { everyMs: 2500 }].map(heartbeatInterval);
    expect(intervals).toEqual([1000, 6000, 2500]);
  });

  const odd = ['rare', 5000, {}, { everyMs: 999 }, { everyMs: 8001 }, { everyMs: 2000.5 }, { every: '2s' }];
  test.each(odd)('is refused as %j', (heartbeats) => {
    const known = "none of 'lively', 'frugal' and { everyMs } with milliseconds from 1000 to 8000.";
    expect(problemOf({ agents: [agent()], heartbeats })).toBe(`the config: heartbeats: is ${known}`);
  });

  test.each(['lively', 'frugal', { everyMs: 1000 }, { everyMs: 8000 }])('may be %j', (heartbeats) => {
    expect(problemOf({ agents: [agent()], heartbeats })).toBe('none');
  });
});

const bad = [0, -1, 1.5, Number.NaN, Infinity, 100_001, '5', null];
const sentence = 'is not a whole number from 1 to 100000';
const config = defineConfig({ agents: [{ name: 'a', model: 'm' }] });

describe('how many calls a worker makes at a time', () => {
  test('is what the config says, and what memory allows where it says nothing', () => {
    expect(loadedConfig({ agents: [agent()] }).concurrency).toBe(defaultConcurrency());
    expect(loadedConfig({ agents: [agent()], concurrency: 20 }).concurrency).toBe(20);
  });

  test.each(bad)(
    'is refused as %s, in a config and of a program, before anything is begun',
    async (value) => {
      const problem = problemOf({ agents: [agent()], concurrency: value });
      expect(problem).toBe(`the config: concurrency: ${sentence}.`);
      const concurrency = value as number; // as a program in JavaScript may give it
      const connection = {} as NativeConnection; // nothing is asked of it
      const message = `createWorker: concurrency ${sentence}, but ${value}.`;
      const created = createWorker(config, { connection, concurrency });
      await expect(created).rejects.toMatchObject({ name: 'ConfigError', message });
      await expect(startEmbedded(config, { concurrency })).rejects.toMatchObject({ name: 'ConfigError' });
    },
  );

  test.each(['0', '1.5', '-3', 'many'])('is refused as --concurrency %s', async (value) => {
    const io = fakeIo();
    expect(await cli(['worker', `--concurrency=${value}`], io)).toBe(2);
    expect(io.err()).toContain('Write a whole number from 1.');
  });

  test('holds for a worker of the user’s own, unless that says otherwise', async () => {
    const plugin = new ReloopPlugin({ ...config, concurrency: 20 });
    const options = { taskQueue: 'q' };
    expect((await plugin.configureWorker(options)).maxConcurrentActivityTaskExecutions).toBe(20);
    const own = { ...options, maxConcurrentActivityTaskExecutions: 7 };
    expect((await plugin.configureWorker(own)).maxConcurrentActivityTaskExecutions).toBe(7);
    const tuner = { tunerOptions: { targetMemoryUsage: 0.8, targetCpuUsage: 0.9 } };
    const tuned = await plugin.configureWorker({ ...options, tuner });
    expect(tuned).not.toHaveProperty('maxConcurrentActivityTaskExecutions');
  });
});
