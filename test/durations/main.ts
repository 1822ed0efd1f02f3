/** Runs the table of README.md: `npm run durations -- [--up-to SECONDS] [--only TEXT]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { startEmbedded } from '../../index.ts';
import { startGateway } from '../support/gateway-server.ts';
import { EXTERNAL_QUEUE, SLOTS, durationsConfig } from './agents.ts';
import { callRows } from './calls.ts';
import { killedRows } from './killed.ts';
import { SIGNALS, type Signal, startKilling } from './killings.ts';
import { readerRows } from './readers.ts';
import type { Bench, Row } from './row.ts';
import { startServices } from './services.ts';
import { type Task, begin, linesOf, readTask, timesBegun } from './task.ts';

const { values } = parseArgs({
  options: { 'up-to': { type: 'string', default: '320' }, only: { type: 'string', default: '' } },
});
const durations = [1, 5, 7, 12, 65, 320].filter((seconds) => seconds <= Number(values['up-to']));
const rows = [...callRows, ...readerRows, ...killedRows].filter(({ name }) => name.includes(values.only));
const longest = Math.max(...durations);
/** On top of a cell's duration: what takes longer does not end, however busy the machine. */
const MARGIN_MS = 600_000;
/** Short cells at a time: a machine that begins hundreds of calls at once is late with all of them. */
const SHORT_AT_ONCE = 60;

const folder = mkdtempSync(join(tmpdir(), 'durations-'));
process.env['DURATIONS_FOLDER'] = folder;
process.env['DURATIONS_LONGEST'] = `${longest}`;
const services = await startServices();
process.env['DURATIONS_SERVICES'] = services.url;
process.env['RELOOP_STATE_DIR'] = join(folder, 'state');
const config = await durationsConfig(durations);
const program = await startEmbedded(config, {
  stateDir: join(folder, 'state'),
  taskQueue: 'durations',
  concurrency: SLOTS,
  onLog: () => {},
});
const { client, address } = program;
const gateway = await startGateway(client, { open: true, requestsPerMinute: 100_000 });
const connection = await NativeConnection.connect({ address });
const external = await Worker.create({
  connection,
  taskQueue: EXTERNAL_QUEUE,
  shutdownForceTime: '1s',
  activities: {
    async external(question: string) {
      const task = readTask(question);
      const context = Context.current();
      for (const until = Date.now() + begin(task) * 1000; Date.now() < until; context.heartbeat())
        await context.sleep(Math.min(500, Math.max(0, until - Date.now())));
      return `did ${task.key}`;
    },
  },
});
const externalEnds = external.run();
/** Tokens of the deferred calls that have their results. */
const given = new Set<string>();
const answering = setInterval(() => void answerDeferred(), 200);
const killings = { SIGKILL: killing('SIGKILL'), SIGTERM: killing('SIGTERM') };
const bench: Bench = { client, gateway: gateway.url, killings };

const wrong: string[] = [];
const cells = rows.map((row) => durations.map((seconds) => ({ row, seconds, seen: '-' })));
const look = async (one: { row: Row; seconds: number; seen: string }) => {
  one.seen = await cell(one.row, one.seconds);
};
// A worker is killed in the middle of all its calls, and what lasts longest begins at once.
const isShort = ({ row, seconds }: { row: Row; seconds: number }) => row.kill === undefined && seconds < 60;
await Promise.all([
  ...cells.flat().flatMap((one) => (isShort(one) ? [] : [look(one)])),
  aFewAtATime(cells.flat().filter(isShort), SHORT_AT_ONCE, look),
]);
console.log(['', ...durations.map((seconds) => `${seconds} s`)].join(' | '));
for (const [index, row] of rows.entries())
  console.log([row.name, ...(cells[index] ?? []).map(({ seen }) => seen)].join(' | '));
console.log(`\n${cells.flat().length} cells, ${wrong.length} wrong${wrong.length > 0 ? ':' : ''}`);
for (const line of wrong) console.log(line);
process.exitCode = wrong.length > 0 ? 1 : 0;
await end();

function killing(signal: Signal) {
  const cells = rows.filter(({ kill }) => kill === signal).length * durations.length;
  return startKilling({ signal, client, folder, longest, cells });
}

async function cell(row: Row, seconds: number): Promise<string> {
  const task: Task = { ...row.task, seconds, key: `${row.name}-${seconds}`.replaceAll(/\W+/gu, '_') };
  const over = new AbortController();
  const limit = row.kill === undefined ? seconds : longest;
  const late = sleep(2 * limit * 1000 + MARGIN_MS, undefined, { signal: over.signal, ref: false }).then(
    async () => `no end; begun ${timesBegun(task.key)}; ${await stateOf(task)}`,
  );
  const told = row.run(bench, task).catch((error: unknown) => `threw ${String(error)}`);
  const seen = await Promise.race([told, late]);
  over.abort();
  late.catch(() => undefined);
  if (seen === row.expected(task)) return 'right';
  wrong.push(`${row.name}, ${seconds} s\n  expected: ${row.expected(task)}\n  seen:     ${seen}`);
  return 'WRONG';
}

/** Describes a run that does not end, and its activities, as the server has them. */
async function stateOf({ key }: Task): Promise<string> {
  const run = new Client({ connection: await Connection.connect({ address }) }).workflow.getHandle(key);
  const { status, raw, historyLength } = await run.describe();
  return `${status.name}, ${historyLength} events, ${JSON.stringify(raw.pendingActivities)}`;
}

/** Gives the results of deferred calls when their time has come. */
async function answerDeferred(): Promise<void> {
  for (const line of linesOf('tokens')) {
    const { token, at, output } = JSON.parse(line) as { token: string; at: number; output: string };
    if (given.has(token) || Date.now() < at) continue;
    given.add(token);
    await client.resolve(token, output).catch(() => given.delete(token));
  }
}

async function end(): Promise<void> {
  clearInterval(answering);
  gateway.stop();
  await Promise.all(SIGNALS.map((signal) => killings[signal].stop()));
  external.shutdown();
  // Calls that last for an hour are left.
  await externalEnds.catch(() => undefined);
  await connection.close().catch(() => undefined);
  await program.close();
  services.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
}
