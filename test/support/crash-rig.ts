import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from '../../client/index.ts';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { type Script, type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type Command, reloop } from './cli.ts';
import { type DevServer, startDevServer } from './dev-server.ts';

/** A server and a model of a test's own, and workers that are processes: what a test of crashes kills. */
export interface CrashRig {
  /** Gone with the rig. */
  folder: string;
  server: DevServer;
  model: ScriptedServer;
  client: AgentClient;
  /**
   * A worker of the rig's config; its tools may write down what they do in `effects`, a line each (CRASH_RECORD). Those of one
   * `stateDir` know of each other's deaths; by default that is one of the rig's. `more`: further arguments. `version`: RELOOP_VERSION.
   */
  startWorker(effects?: string, stateDir?: string, more?: string[], version?: string): Command;
  /** SIGKILL to every worker that is still there. */
  killWorkers(): Promise<void>;
  stop(): Promise<void>;
}

export interface CrashRigOptions {
  /** A path in this repository. */
  config: string;
  /** What the model says; it should answer from what it is shown, for it does not know how often it was asked. */
  replies: Script;
  /** Further variables of the workers. */
  env?: { [name: string]: string };
  /** Keeps the server's runs in a file, so that they outlive it. */
  durable?: boolean;
  /** Further arguments of the server. */
  flags?: readonly string[];
}

export async function startCrashRig(options: CrashRigOptions): Promise<CrashRig> {
  const { config, replies, durable, env, flags = [] } = options;
  const folder = temporaryFolder();
  const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  const kept = durable === true ? ['--db-filename', join(folder, 'temporal.db')] : [];
  const server = await startDevServer(path, [...kept, ...flags]);
  const model = await startScriptedServer(replies);
  const client = await AgentClient.connect({ address: server.address });
  const workers: Command[] = [];
  const killWorkers = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.killGroup()));
  };
  return {
    folder,
    server,
    model,
    client,
    startWorker(effects = join(folder, 'effects'), stateDir = join(folder, 'state'), more = [], version) {
      const args = ['worker', '--address', server.address, '--config', config, ...more];
      const worker = reloop(args, {
        OPENAI_BASE_URL: model.url,
        CRASH_RECORD: effects,
        RELOOP_STATE_DIR: stateDir,
        ...(version === undefined ? {} : { RELOOP_VERSION: version }),
        ...env,
      });
      workers.push(worker);
      return worker;
    },
    killWorkers,
    async stop() {
      await killWorkers();
      await client.close();
      await model.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the workers of a rig have written down so far. */
export function linesOf(effects: string): string[] {
  const text = existsSync(effects) ? readFileSync(effects, 'utf8').trim() : '';
  return text === '' ? [] : text.split('\n');
}

/** A project with an embedded server of its own, as a user has one: commands come and go, and share it. */
export interface CrashProject {
  /** Its folder, gone with it. */
  state: string;
  /** For other programs that are to use the same server. */
  env: { [name: string]: string };
  start(...args: string[]): Command;
  /** A command to its end. */
  run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** kill -9 of the command, of who keeps the server, and of the server. */
  killEverything(command: Command): Promise<void>;
  stop(): Promise<void>;
}

export function crashProject(options: {
  args?: string[];
  env?: { [name: string]: string };
  /** Default: this repository. */
  cwd?: string;
}): CrashProject {
  const state = temporaryFolder();
  const env = { RELOOP_STATE_DIR: state, ...options.env };
  const commands: Command[] = [];
  const start = (...args: string[]) => {
    const command = reloop([...args, ...(options.args ?? [])], env, options.cwd);
    commands.push(command);
    return command;
  };
  return {
    state,
    env,
    start,
    async run(...args) {
      const command = start(...args);
      const code = await command.exit;
      return { code, stdout: command.stdout(), stderr: command.stderr() };
    },
    async killEverything(command) {
      await command.killGroup();
      for (const file of ['keeper.json', 'server.json']) {
        const { pid } = JSON.parse(readFileSync(join(state, file), 'utf8')) as { pid: number }; // our own files
        process.kill(pid, 'SIGKILL');
      }
    },
    async stop() {
      for (const command of commands) await command.killGroup();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'reloop-crash-'));
}
