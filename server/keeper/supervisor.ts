import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { endFormerServer } from '../former-server.ts';
import { freePorts, type Ports } from '../free-ports.ts';
import { TemporalUnreachable } from '../launcher-error.ts';
import { identify } from '../process-identity.ts';
import { startServer, type ServerProcess } from '../process.ts';
import { stateFiles, writeRecord, type ServerRecord } from '../state.ts';

export interface SuperviseOptions {
  stateDir: string;
  binary: ServerRecord['binary'];
  /** Where there is a choice. */
  ports: Ports;
}

export interface Supervisor {
  /** The server, as soon as it answers; pending for ever when it never does. */
  server(): Promise<ServerRecord>;
  /** Resolves after `stop`; rejects with TemporalUnreachable when the server does not come up any more. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** A second try on other ports; for a server that others rely on, half a minute of tries on the same. */
const MAX_FAILURES = { atFirst: 2, later: 9 };
const MAX_PAUSE_MS = 5_000;
/** One that lived this long did not fail to start. */
const SOUND_MS = 10_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LOG_CHECK_MS = 60_000;

/** Has a Temporal server running from now until `stop`: one that dies comes back on its ports and its file. */
export function supervise(options: SuperviseOptions): Supervisor {
  const { stateDir, binary } = options;
  const files = stateFiles(stateDir);
  const log = openSync(files.log, 'a');
  const logCheck = setInterval(() => boundLog(log), LOG_CHECK_MS);
  const stop = new AbortController();
  const now: { process?: ServerProcess; answering?: ServerRecord | undefined } = {};

  async function superviseUntilStopped(): Promise<void> {
    let ports = (await endFormerServer(stateDir)) ?? options.ports;
    let promised = false; // others know these ports
    for (let failures = 0; ;) {
      if (!promised) ports = await freePorts(ports);
      if (stop.signal.aborted) return;
      const began = Date.now();
      const problem = await oneLife(ports);
      promised ||= problem === undefined;
      failures = Date.now() - began > SOUND_MS ? 0 : failures + 1;
      if (failures >= (promised ? MAX_FAILURES.later : MAX_FAILURES.atFirst)) {
        throw new TemporalUnreachable(
          `The Temporal server (${binary.path}) does not start: ${problem ?? 'it ends again and again'}. Its log is ${files.log}.`,
        );
      }
      const pause = Math.min(100 * 2 ** failures, MAX_PAUSE_MS);
      await sleep(pause, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  /** From start to end of one process. Returns why it never answered, or undefined where it did. */
  async function oneLife(ports: Ports): Promise<string | undefined> {
    boundLog(log);
    const logBefore = fstatSync(log).size;
    const process = startServer({ binary: binary.path, ports, dbFile: files.db, cwd: stateDir, log });
    if (process.pid === undefined) return process.ended;
    now.process = process;
    const record = await recordOf(options, ports, process.pid);
    await writeRecord(stateDir, record);
    const problem = await process.ready.then(() => undefined, reasonOf);
    if (problem === undefined) {
      now.answering = { ...record, ready: true };
      await writeRecord(stateDir, now.answering);
      await process.ended;
      now.answering = undefined;
      return undefined;
    }
    const words = lastWords(files.log, logBefore); // before it adds those of its end
    await process.stop();
    return `${problem}${words}`;
  }

  const ended = superviseUntilStopped().finally(() => {
    clearInterval(logCheck);
    closeSync(log);
  });
  return {
    ended,
    async server() {
      while (now.answering === undefined) await sleep(20, undefined, { ref: false });
      return now.answering;
    },
    async stop() {
      stop.abort();
      await now.process?.stop();
      await ended.catch(() => undefined); // told by `ended` itself
    },
  };
}

async function recordOf(
  { stateDir, binary }: SuperviseOptions,
  ports: Ports,
  pid: number,
): Promise<ServerRecord> {
  return {
    address: `127.0.0.1:${ports.grpc}`,
    namespace: 'default',
    uiUrl: `http://127.0.0.1:${ports.ui}`,
    ports,
    ...(await identify(pid)),
    dbFile: stateFiles(stateDir).db,
    fastSettings: true,
    binary,
    ready: false,
  };
}

/** The server appends, so what it writes next begins a log of its own. */
function boundLog(log: number): void {
  if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log);
}

function lastWords(file: string, from: number): string {
  const lines = readFileSync(file).subarray(from).toString('utf8').trim().split('\n');
  const words = lines.slice(-3).join(' / ').slice(-600);
  return words === '' ? '' : ` (${words})`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
