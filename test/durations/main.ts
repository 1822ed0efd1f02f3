/** Runs the table of README.md: `npm run durations -- [--up-to SECONDS] [--only TEXT]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { NativeConnection, Worker } from '@temporalio/worker';
import { startEmbedded } from '../../index.ts';
import { startGateway } from '../support/gateway-server.ts';
import { EXTERNAL_QUEUE, SLOTS, durationsConfig } from './agents.ts';
import { callRows } from './calls.ts';
import { readerRows } from './readers.ts';
import type { Bench, Row } from './row.ts';
import { startServices } from './services.ts';
import { type Task, linesOf, noteBegun, readTask } from './task.ts';

const { values } = parseArgs({
  options: { 'up-to': { type: 'string', default: '320' }, only: { type: 'string', default: '' } },
});
const durations = [1, 5, 7, 12, 65, 320].filter((seconds) => seconds <= Number(values['up-to']));
const rows = [...callRows, ...readerRows].filter(({ name }) => name.includes(values.only));
/** On top of a cell's duration: a second attempt, and a machine with other work. */
const MARGIN_MS = 90_000;

const folder = mkdtempSync(join(tmpdir(), 'durations-'));
process.env['DURATIONS_FOLDER'] = folder;
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
      const { seconds, key } = readTask(question);
      noteBegun(key);
      await sleep(seconds * 1000);
      return `did ${key}`;
    },
  },
});
const externalEnds = external.run();
/** Tokens of the deferred calls that have their results. */
const given = new Set<string>();
const answering = setInterval(() => void answerDeferred(), 200);
const bench: Bench = { client, gateway: gateway.url };

const wrong: string[] = [];
const cells = await Promise.all(
  rows.map((row) => Promise.all(durations.map((seconds) => cell(row, seconds)))),
);
console.log(['', ...durations.map((seconds) => `${seconds} s`)].join(' | '));
for (const [index, row] of rows.entries()) console.log([row.name, ...(cells[index] ?? [])].join(' | '));
const count = cells.flat().filter((one) => one !== '-').length;
console.log(`\n${count} cells, ${wrong.length} wrong${wrong.length > 0 ? ':' : ''}`);
for (const line of wrong) console.log(line);
process.exitCode = wrong.length > 0 ? 1 : 0;
await end();

/** `-`: the row has no cell for the duration. */
async function cell(row: Row, seconds: number): Promise<string> {
  if (seconds < (row.least ?? 0)) return '-';
  const task: Task = { ...row.task, seconds, key: `${row.name}-${seconds}`.replaceAll(/\W+/gu, '_') };
  const over = new AbortController();
  const late = sleep(2 * seconds * 1000 + MARGIN_MS, 'no end', { signal: over.signal, ref: false });
  const told = row.run(bench, task).catch((error: unknown) => `threw ${String(error)}`);
  const seen = await Promise.race([told, late]);
  over.abort();
  late.catch(() => undefined);
  if (seen === row.expected(task)) return 'right';
  wrong.push(`${row.name}, ${seconds} s\n  expected: ${row.expected(task)}\n  seen:     ${seen}`);
  return 'WRONG';
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
  external.shutdown();
  // Calls that last for an hour are left.
  await externalEnds.catch(() => undefined);
  await connection.close().catch(() => undefined);
  await program.close();
  services.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
}
