import { dirname } from 'node:path';
import { type KeptWorker, keepWorker } from '../dev/keep-worker.ts';
import { watchServer } from '../dev/watch-server.ts';
import { removeLoadedFiles, writeLoadedFiles } from '../connection/loaded-files.ts';
import { type FileWatch, watchFiles } from '../dev/watch-files.ts';
import { type WorkerChild, startWorkerChild, whyNotReady } from '../dev/worker-child.ts';
import { envFiles, envWithoutFile, folderOf } from '../shell/env-file.ts';
import { type Io, ENDING, UsageError, exitCodes, printJson, untilSignal } from '../shell/io.ts';
import type { ContextOptions } from '../connection/context.ts';
import { waitingRuns } from '../connection/find-runs.ts';
import { type ProgressLine, createProgressLine } from '../print/progress-line.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import type { EmbeddedServer } from '../../local/server/server.ts';

interface DevOptions extends ContextOptions {
  port?: number;
  uiPort?: number;
  watch: boolean;
}

/**
 * `reloop dev`: Temporal with its Web UI, and a worker that is replaced when its code changes; stays up. The worker is
 * another process, so this one loads little, and reports at once that it is up.
 */
export async function dev(io: Io, options: DevOptions): Promise<number> {
  if (options.address !== undefined) {
    throw new UsageError(`dev has its own server: for another one, ${cliName()} worker --address …`);
  }
  const progress = createProgressLine(io);
  progress.show('Loading the config …');
  const crew = createCrew(io, options, progress);
  try {
    return await serve(io, options, { progress, ...crew });
  } finally {
    progress.end();
    crew.close();
  }
}

interface Crew {
  watch: FileWatch;
  spawn(): WorkerChild;
  /** Receives changes, once there is something to replace. */
  onChange(reload: KeptWorker['reload']): void;
  close(): void;
}

/** Processes for the worker, and the files that their configs came from. */
function createCrew(io: Io, options: DevOptions, progress: ProgressLine): Crew {
  const env = envWithoutFile(io.env, options.config);
  const children = new Set<WorkerChild>();
  const killAll = () => children.forEach((child) => child.kill());
  process.once('exit', killAll);
  const early: string[] = [];
  let reload: KeptWorker['reload'] = (files) => void early.push(...files);
  const watch = watchFiles({
    onChange: (files, isGuess) => reload(files, isGuess),
    onPolling(reason) {
      if (options.watch) {
        progress.note(`note: folders cannot be watched (${reason}): files are looked at every second.`);
      }
    },
  });
  watch.add(envFiles(folderOf(options.config)));
  return {
    watch,
    onChange(listener) {
      reload = listener;
      if (early.length > 0) listener(early);
    },
    spawn() {
      const busy = new Set<string>();
      const child = startWorkerChild(options, {
        env,
        onSaid: (text) => progress.note(text.replace(/\n$/u, '')),
        onImported: watch.add,
        onBusy(what, over) {
          if (over) busy.delete(what);
          else busy.add(what);
          // A server's name may be a command that is shortened.
          const names = [...busy].map((name) => name.replace(/ …$/u, ''));
          if (names.length > 0) progress.show(`Loading the config: ${names.join(', ')} …`);
        },
      });
      children.add(child);
      void child.gone.then(() => children.delete(child));
      return child;
    },
    close() {
      watch.close();
      killAll();
      process.off('exit', killAll);
    },
  };
}

type ServeOptions = Crew & { progress: ProgressLine };

async function serve(
  io: Io,
  options: DevOptions,
  { progress, watch, spawn, onChange }: ServeOptions,
): Promise<number> {
  const child = spawn();
  const summary = await child.loaded;
  if (summary === undefined) return failed(child, progress);
  const server = await acquire(options, progress);
  const stateDir = dirname(server.dbFile);
  let stopWatching = () => {};
  const onLoading = () => {
    const before = watch.known();
    return (isLoaded: boolean) => {
      watch.expectNew(!isLoaded);
      const files = { ...watch.known(), ...before };
      writeLoadedFiles(stateDir, { watching: options.watch, isLoaded, files });
    };
  };
  try {
    await checkPorts(server, options);
    child.tell({ type: 'work' });
    const ready = await child.ready;
    if (ready === undefined) return await failed(child, progress);
    progress.end();
    await sayReady(io, options, { server, ...ready, agents: Object.keys(summary.agents) }, progress.note);
    onLoading()(true);
    const kept = keepWorker({
      child,
      summary,
      spawn,
      watching: options.watch,
      onBegin: progress.show,
      onSay(text) {
        progress.end();
        progress.note(text);
      },
      onLoading,
    });
    if (options.watch) onChange(kept.reload);
    stopWatching = watchServer(server, (text) => {
      progress.end();
      progress.note(text);
    });
    const { signal, stop } = untilSignal(io);
    await signal.finally(stop);
    progress.end();
    progress.note(ENDING);
    await kept.end();
    return exitCodes.answered;
  } finally {
    stopWatching();
    removeLoadedFiles(stateDir);
    await server.release();
  }
}

/** The worker that was to be the first one. */
async function failed(child: WorkerChild, progress: ProgressLine): Promise<number> {
  const { lines, code } = await whyNotReady(child);
  progress.end();
  for (const line of lines) progress.note(line);
  return code;
}

async function acquire({ port, uiPort }: DevOptions, progress: ProgressLine): Promise<EmbeddedServer> {
  const { acquireServer, stateDirectory } = await import('../../local/server/server.ts');
  const named = {
    ...(port === undefined ? {} : { grpc: port }),
    ...(uiPort === undefined ? {} : { ui: uiPort }),
  };
  await checkFree({ port, uiPort });
  return acquireServer({
    stateDir: stateDirectory(),
    onProgress: progress.show,
    onNote: progress.note,
    ...(Object.keys(named).length === 0 ? {} : { ports: named }),
  });
}

interface Ready {
  server: EmbeddedServer;
  serves: readonly string[];
  agents: readonly string[];
  /** Runs that wait for a person. */
  waiting: number;
}

async function sayReady(
  io: Io,
  options: DevOptions,
  { server, serves, agents, waiting }: Ready,
  note: (line: string) => void,
): Promise<void> {
  const [{ temporalSettings }, { waitingPath }] = await Promise.all([
    import('../../client/connect/connect.ts'),
    import('../connection/web-ui.ts'),
  ]);
  const { address, uiUrl, dbFile, startedByUs } = server;
  const { address: named, namespace } = temporalSettings(options); // dev takes no --address
  const link = uiUrl + waitingPath(namespace);
  if (options.json === true)
    printJson(io, { address, uiUrl, taskQueue: serves[0], taskQueues: serves, agents });
  note(`Temporal  ${address}${startedByUs ? '' : ' (was running already)'}, kept in ${dbFile}`);
  note(`Web UI    ${uiUrl}`);
  note(`Waiting   ${waiting === 0 ? '' : `${waitingRuns(waiting)}: `}${link}`);
  note(`Worker    agents ${agents.join(', ')}, task queue ${serves.join(' and ')}`);
  if (named !== undefined) {
    note(`note: TEMPORAL_ADDRESS or temporal.toml names ${named}: other commands go there, not here.`);
  }
  const changes = options.watch ? 'Changes of the config and of what it imports are taken over. ' : '';
  note(`Ready. ${changes}Ctrl-C ends it; runs under way continue at the next start.`);
}

/** Checks, before a server is started, that a requested port is not another program's. Throws UsageError. */
async function checkFree(asked: { port: number | undefined; uiPort: number | undefined }): Promise<void> {
  const { runningServer, stateDirectory, holderOf } = await import('../../local/server/server.ts');
  if ((await runningServer(stateDirectory())) !== undefined) return;
  const { accepts } = await import('../../local/server/ports.ts');
  for (const [what, port] of [
    ['port', asked.port],
    ['UI port', asked.uiPort],
  ] as const) {
    if (port === undefined || !(await accepts(port))) continue;
    throw new UsageError(
      `Not on ${what} ${port}: ${await holderOf(port)} listens there. Leave the option out, or name another port.`,
    );
  }
}

/** A port that was asked for by name is not silently another one. */
async function checkPorts(
  { address, uiUrl, startedByUs }: EmbeddedServer,
  { port, uiPort }: DevOptions,
): Promise<void> {
  const elsewhere = [
    ...(port === undefined || address.endsWith(`:${port}`) ? [] : [{ what: 'port', asked: port }]),
    ...(uiPort === undefined || uiUrl.endsWith(`:${uiPort}`) ? [] : [{ what: 'UI port', asked: uiPort }]),
  ];
  const [first] = elsewhere;
  if (first === undefined) return;
  const { holderOf } = await import('../../local/server/server.ts');
  const why = startedByUs
    ? `${await holderOf(first.asked)} listens there`
    : `this project's server runs already, at ${address}`;
  const which = elsewhere.map(({ what, asked }) => `${what} ${asked}`).join(' and ');
  throw new UsageError(`Not on ${which}: ${why}. Leave the option out, or name another port.`);
}
