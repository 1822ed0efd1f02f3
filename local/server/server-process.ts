import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptArgs } from './child-script.ts';
import { portHolder } from './port-holder.ts';
import { accepts, type Ports } from './ports.ts';

export interface ServerProcess {
  /** undefined: it could not even be started. */
  pid: number | undefined;
  /** Resolves when it answers; rejects when it ended before, or does not answer in time. */
  ready: Promise<void>;
  /** Resolves when the process is gone: how it ended. */
  ended: Promise<string>;
  /** Lets it close its database; kills it where it does not. */
  stop(): Promise<unknown>;
}

export interface ServerProcessOptions {
  binary: string;
  ports: Ports;
  /** undefined: its runs are kept in memory, and gone with it. */
  dbFile: string | undefined;
  cwd: string;
  /** Open file that takes the server's log. */
  log: number;
}

const READY_MS = 30_000;
const STOP_MS = 10_000;

/** Interval at which the server reads its namespaces. Until then, runs that close keep the old retention. */
export const NAMESPACE_REFRESH_MS = 500;

const dynamicConfig = [
  'system.enableActivityEagerExecution=true',
  // Priorities hold within a partition: docs/priority.md.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // 20 polls a second as it comes: after a burst every task would wait about 40 ms.
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  `system.namespaceCacheRefreshInterval="${NAMESPACE_REFRESH_MS}ms"`,
];

const searchAttributes = [
  'ReloopAgent=Keyword',
  'ReloopStatus=Keyword',
  'ReloopSession=Keyword',
  'ReloopTags=KeywordList',
];

/** Starts the Temporal dev server, fast and durable, on loopback only; stops it when the signal aborts. */
export function startServer(options: ServerProcessOptions, signal: AbortSignal): ServerProcess {
  const { binary, ports, dbFile, cwd, log } = options;
  // Files, not pipes: a server that outlives its keeper must not die of a log line.
  const stdio = ['ignore' as const, log, log];
  const child = spawn(binary, flags(options), { cwd, env: plainEnvironment(), stdio, windowsHide: true });
  const ended = once(child, 'exit').then(
    () => `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`,
    (error: unknown) => `it could not be run (${String(error)})`,
  );
  const stop = () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    return ended.finally(() => clearTimeout(timer));
  };
  const gone = new AbortController();
  const onAbort = () => void stop();
  signal.addEventListener('abort', onAbort);
  void ended.then((reason) => {
    signal.removeEventListener('abort', onAbort);
    gone.abort(new Error(reason));
  });
  const ready = untilReady(ports.grpc, child.pid, dbFile !== undefined, gone.signal);
  ready.catch(() => undefined); // the keeper may look later, and must not die of it
  return { pid: child.pid, ready, ended, stop };
}

function flags({ ports, dbFile }: ServerProcessOptions): string[] {
  const named = [
    ['--ip', '127.0.0.1'],
    ['--port', String(ports.grpc)],
    ['--ui-port', String(ports.ui)],
    ...(dbFile === undefined ? [] : onFile(dbFile)),
    ['--log-level', 'warn'],
    ...dynamicConfig.map((value) => ['--dynamic-config-value', value]),
    ...searchAttributes.map((value) => ['--search-attribute', value]),
  ];
  return ['server', 'start-dev', ...named.flat()];
}

function onFile(dbFile: string): string[][] {
  return [
    ['--db-filename', dbFile],
    ['--sqlite-pragma', 'journal_mode=wal'],
    ['--sqlite-pragma', 'synchronous=normal'],
  ];
}

const KEPT_VARIABLES = 'PATH HOME TMPDIR LANG TZ USERPROFILE SystemRoot TEMP TMP APPDATA'.split(' ');

/** The server outlives the command that started it: it gets neither the user's keys nor variables that point a CLI elsewhere. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(KEPT_VARIABLES.map((name) => [name, process.env[name]]));
}

async function untilReady(
  port: number,
  pid: number | undefined,
  keepsRuns: boolean,
  gone: AbortSignal,
): Promise<void> {
  const end = Date.now() + READY_MS;
  const served = untilServed(port, keepsRuns, gone);
  served.catch(() => undefined); // awaited below
  await untilTrue(() => accepts(port), end, gone);
  await mustBeOurs(port, pid);
  await served;
  await mustBeOurs(port, pid);
  gone.throwIfAborted();
}

/** The services are asked by another process, which ends: Temporal's client would hold 40 MB for as long as the server runs. */
async function untilServed(port: number, keepsRuns: boolean, gone: AbortSignal): Promise<void> {
  const args = [...scriptArgs('until-served'), String(port), keepsRuns ? 'keeps-runs' : 'in-memory'];
  const asking = spawn(process.execPath, args, {
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
    windowsHide: true,
    timeout: READY_MS,
    signal: gone,
  });
  const [code] = (await once(asking, 'exit').catch((error: unknown) => {
    gone.throwIfAborted();
    throw error;
  })) as [number | null];
  if (code !== 0) throw new Error(`it does not answer after ${READY_MS / 1000} s`);
}

/** Tries to read the holder of a port. The system's tables change while they are read. */
const HOLDER_TRIES = 5;
const HOLDER_POLL_MS = 20;

/**
 * Throws if the port belongs to another process than `pid`: two servers that start at a time may find one port free. The check passes where the
 * system does not say who holds a port.
 */
async function mustBeOurs(port: number, pid: number | undefined): Promise<void> {
  for (let tries = 0; tries < HOLDER_TRIES; tries++) {
    const holder = await portHolder(port);
    if (holder?.pid === pid) return;
    if (holder !== undefined) {
      throw new Error(`another process (${holder.name}, pid ${holder.pid}) listens on port ${port}`);
    }
    await sleep(HOLDER_POLL_MS);
  }
}

async function untilTrue(condition: () => Promise<boolean>, end: number, gone: AbortSignal): Promise<void> {
  while (!(await condition())) {
    gone.throwIfAborted();
    if (Date.now() > end) throw new Error(`it does not answer after ${READY_MS / 1000} s`);
    await sleep(20);
  }
}
