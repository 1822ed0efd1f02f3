import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTemporalBinary } from './binary/binary.ts';
import { scriptArgs } from './child-script.ts';
import { takeLease, type Lease } from './keeper/lease.ts';
import type { SuperviseOptions } from './keeper/supervisor.ts';
import { TemporalUnreachable } from './launcher-error.ts';
import { lockHolder } from './lock-file.ts';
import { portHolder } from './port-holder.ts';
import { accepts, anyPorts, usualPorts, type Ports } from './ports.ts';
import { plainEnvironment } from './server-process.ts';
import { isAlive } from './process-identity.ts';
import {
  makeStateDirectory,
  readPorts,
  readRecord,
  stateFiles,
  writePorts,
  type ServerRecord,
  type TemporalBinary,
} from './state-folder.ts';

export { stateDirectory } from './project-folder.ts';

export type EmbeddedServerInfo = Omit<ServerRecord, 'ports' | 'startedAt' | 'ready'>;

export interface EmbeddedServer extends EmbeddedServerInfo {
  /** false: another command had it running. */
  startedByUs: boolean;
  /** This command no longer needs the server. The server ends with the last command that does, also when that one is killed. */
  release(): Promise<void>;
}

export interface AcquireOptions {
  stateDir: string;
  /**
   * Preferred ports; a port that is taken is replaced. Default: the ports of the last server, at first 7233 and 8233.
   */
  ports?: Partial<Ports>;
  /** Free ports, runs in memory, and a folder that is removed at the end: for tests. */
  ephemeral?: boolean;
  /** Progress of a start that takes time. */
  onProgress(line: string): void;
  /** Notes about the server; default `onProgress`. */
  onNote?: ((line: string) => void) | undefined;
}

/**
 * This project's Temporal server: the running one, or a new one on the project's file. It answers when this resolves,
 * and keeps its address until `release`, whatever process is killed. Throws TemporalUnreachable.
 */
export async function acquireServer(options: AcquireOptions): Promise<EmbeddedServer> {
  const stateDir = resolve(options.stateDir);
  const { onProgress, onNote = onProgress, ephemeral = false } = options;
  const usual = ephemeral ? anyPorts : { ...usualPorts, ...readPorts(stateDir) };
  const ports = { ...usual, ...options.ports };
  const kept = { stateDir, ephemeral };
  let released = false;
  let lease = await obtainLease({ ...kept, ports }, () => {
    onProgress('Starting Temporal …');
    return findTemporalBinary({ onProgress });
  });
  const { server, startedByUs } = lease;
  if (startedByUs && !ephemeral) {
    const moved = await movedNote(ports, server);
    if (moved !== undefined) onNote(moved);
    // One that was asked for is asked for again.
    if (options.ports === undefined) writePorts(stateDir, server.ports);
  }
  void reacquire();
  return {
    ...infoOf(server),
    startedByUs,
    async release() {
      released = true;
      await lease.release();
    },
  };

  /** Each time the keeper was killed: another one keeps the server, at the same address. */
  async function reacquire(): Promise<void> {
    const said = await lease.lost;
    if (released) return;
    if (said !== undefined) return onNote(said);
    try {
      lease = await obtainLease({ ...kept, ports: server.ports }, async () => server.binary);
    } catch (error) {
      return onNote(error instanceof Error ? error.message : String(error));
    }
    if (released) return lease.release();
    if (lease.server.address !== server.address) {
      onNote(`The Temporal server had to move to ${lease.server.address}. Start this command again.`);
    }
    return reacquire();
  }
}

/** The server of a project if it is up. Starts nothing and does not keep it from ending. */
export async function runningServer(stateDir: string): Promise<EmbeddedServerInfo | undefined> {
  const record = readRecord(stateDir);
  const up = record?.ready === true && (await isAlive(record)) && (await accepts(record.ports.grpc));
  return up ? infoOf(record) : undefined;
}

/** Longest refusal by a keeper, which lets its server end first. */
const PATIENCE_MS = 60_000;

async function obtainLease(
  options: Omit<SuperviseOptions, 'binary'>,
  findBinary: () => Promise<TemporalBinary>,
): Promise<Lease & { startedByUs: boolean }> {
  const { stateDir } = options;
  await prepare(stateDir);
  const files = stateFiles(stateDir);
  let keeper: ChildProcess | undefined;
  for (let giveUp = Date.now() + PATIENCE_MS; Date.now() < giveUp; await sleep(25)) {
    const holder = await lockHolder(files.keeper);
    if (holder !== undefined) {
      const lease = await takeLease(holder);
      if (lease !== undefined) return { ...lease, startedByUs: lease.keeperPid === keeper?.pid };
    } else if (keeper === undefined || keeper.exitCode === 0) {
      keeper = startKeeper({ ...options, binary: await findBinary() });
      giveUp = Date.now() + PATIENCE_MS;
    } else if (keeper.exitCode !== null || keeper.signalCode !== null) {
      break;
    }
  }
  throw new TemporalUnreachable(
    `The process that keeps this project's Temporal server ended at once or does not answer. ${files.log} may say why; if it is stuck, end the process named in ${files.keeper}.`,
  );
}

async function prepare(stateDir: string): Promise<void> {
  try {
    await makeStateDirectory(stateDir);
  } catch (error) {
    throw new TemporalUnreachable(
      `The Temporal server's folder ${stateDir} cannot be written (${String(error)}). Set RELOOP_STATE_DIR to one that can.`,
    );
  }
}

/** Starts the keeper in a separate session: Ctrl-C, a closed terminal or the end of our process group do not reach it. */
function startKeeper(options: SuperviseOptions): ChildProcess {
  const log = openSync(stateFiles(options.stateDir).log, 'a', 0o600);
  const keeper = spawn(process.execPath, [...scriptArgs('keeper/keeper'), JSON.stringify(options)], {
    cwd: options.stateDir,
    env: plainEnvironment(),
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
  });
  closeSync(log);
  keeper.on('error', () => undefined); // has no pid then, and never a lock
  keeper.unref();
  return keeper;
}

function infoOf(record: ServerRecord): EmbeddedServerInfo {
  const { ports: _ports, startedAt: _startedAt, ready: _ready, ...info } = record;
  return info;
}

/** Note on a server at another address than expected; undefined: it is at the expected one. */
async function movedNote(
  wanted: Ports,
  { ports, address, uiUrl }: ServerRecord,
): Promise<string | undefined> {
  const moved = [
    ...(ports.grpc === wanted.grpc ? [] : [{ port: wanted.grpc, now: `Temporal at ${address}` }]),
    ...(ports.ui === wanted.ui ? [] : [{ port: wanted.ui, now: `Web UI at ${uiUrl}` }]),
  ];
  if (moved.length === 0) return undefined;
  const taken = await Promise.all(
    moved.map(async ({ port }) => `port ${port} is taken by ${await holderOf(port)}`),
  );
  const why = taken.join(', ');
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}: ${moved.map(({ now }) => now).join(', ')}`;
}

/** `another program (pid 4711, node)`. */
export async function holderOf(port: number): Promise<string> {
  const holder = await portHolder(port);
  return `another program${holder === undefined ? '' : ` (pid ${holder.pid}, ${holder.name})`}`;
}
