import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { TemporalUnreachable } from '../launcher-error.ts';
import { accepts, freePorts, type Ports } from '../ports.ts';
import { startServer } from '../server-process.ts';
import { identify } from '../process-identity.ts';
import { stateFiles, type TemporalBinary, writeRecord, type ServerRecord } from '../state-folder.ts';
import { endFormerServer } from './former-server.ts';

export interface SuperviseOptions {
  stateDir: string;
  binary: TemporalBinary;
  ports: Ports;
  /** Keeps no file of runs, and no folder when it has ended. */
  ephemeral: boolean;
}

/** Further tries on other ports; for a server that others rely on, half a minute of tries on the same. */
const MAX_FAILURES = { atFirst: 3, later: 9 };
const MAX_PAUSE_MS = 5_000;
/** One that lived this long did not fail to start. */
const SOUND_MS = 10_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LOG_CHECK_MS = 60_000;

/**
 * Keeps a Temporal server running until `stop`, and resolves when the server has ended: a server that dies is restarted
 * on its ports and its file. `offer` is called with its address, and when it is down. Throws TemporalUnreachable if it
 * does not start again.
 */
export async function supervise(
  options: SuperviseOptions,
  offer: (server: ServerRecord | undefined) => void,
  stop: AbortSignal,
): Promise<void> {
  const { stateDir, binary, ephemeral } = options;
  const files = stateFiles(stateDir);
  const dbFile = ephemeral ? undefined : files.db;
  const log = openSync(files.log, 'a');
  const logCheck = setInterval(() => boundLog(log), LOG_CHECK_MS);
  try {
    let ports = (await endFormerServer(stateDir)) ?? options.ports;
    let promised = false; // others know these ports
    for (let failures = 0; !stop.aborted;) {
      if (!promised) ports = await freePorts(ports);
      const startedAt = Date.now();
      const problem = await runOnce(ports);
      if (problem !== undefined) process.stderr.write(`The server did not start: ${problem}\n`); // into its log
      promised ||= problem === undefined;
      failures = Date.now() - startedAt > SOUND_MS ? 0 : failures + 1;
      if (failures >= (promised ? MAX_FAILURES.later : MAX_FAILURES.atFirst)) {
        throw new TemporalUnreachable(
          `The Temporal server (${binary.path}) does not start: ${problem ?? 'it ends again and again'}. Its log is ${files.log}.`,
        );
      }
      const pause = Math.min(100 * 2 ** failures, MAX_PAUSE_MS);
      await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    clearInterval(logCheck);
    closeSync(log);
  }

  /** Runs one process from its start to its end. Returns the reason if it never answered. */
  async function runOnce(ports: Ports): Promise<string | undefined> {
    // Another program's server must not pass for ours.
    if (await accepts(ports.grpc)) return `another process listens on port ${ports.grpc}`;
    boundLog(log);
    const logBefore = fstatSync(log).size;
    const server = startServer({ binary: binary.path, ports, dbFile, cwd: stateDir, log }, stop);
    if (server.pid === undefined) return server.ended;
    const record = await recordOf(options, ports, server.pid);
    writeRecord(stateDir, record);
    try {
      await server.ready;
    } catch (error) {
      const words = lastWords(files.log, logBefore); // before it adds those of its end
      await server.stop();
      return `${error instanceof Error ? error.message : String(error)}${words}`;
    }
    writeRecord(stateDir, { ...record, ready: true });
    offer({ ...record, ready: true });
    await server.ended;
    offer(undefined);
    return undefined;
  }
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
    fastSettings: true,
    ...(await identify(pid)),
    ports,
    dbFile: stateFiles(stateDir).db,
    binary,
    ready: false,
  };
}

/** The server appends to the log, so its next line starts the new file. */
function boundLog(log: number): void {
  if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log);
}

function lastWords(file: string, from: number): string {
  const lines = readFileSync(file).subarray(from).toString('utf8').trim().split('\n');
  const words = lines.slice(-3).join(' / ').slice(-600);
  return words === '' ? '' : ` (${words})`;
}
