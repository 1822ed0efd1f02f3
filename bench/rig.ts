import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from 'reloop/client';
import { anyPorts } from '../local/server/ports.ts';
import { acquireServer } from '../local/server/server.ts';
import { startCluster } from '../test/cluster/cluster.ts';
import { workerSettings } from '../worker/create-worker.ts';
import { startChild } from './child.ts';
import type { Contestant, Place } from './contestants.ts';

/** A contestant whose worker polls. */
export interface Entrant extends Contestant {
  place: Place;
  /** Of its worker. */
  pid: number;
}

/** A server, a model and a worker per contestant: each a process of its own. */
export interface Rig {
  entrants: Entrant[];
  temporal: Client;
  /** Process id of the Temporal server. */
  serverPid: number;
  stop(): Promise<void>;
}

/** Histories are read whole. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

export interface RigOptions {
  /** Size of the tool's output. */
  observationBytes: number;
  /** Time that the model and the tool take for a call, in milliseconds. Default 0. */
  modelMs?: number;
  toolMs?: number;
  /** Temporal on PostgreSQL, in place of the server that `reloop dev` starts. */
  onPostgres?: boolean;
  /** Settings of the workers of hand-written loops. Default: 'ours'. */
  worker?: 'ours' | 'usual';
}

/** A rig for as long as `use` takes; a signal ends it as well. */
export async function withRig(
  contestants: readonly Contestant[],
  options: RigOptions,
  use: (rig: Rig) => Promise<void>,
): Promise<void> {
  const rig = await startRig(contestants, options);
  let interrupted = false;
  const end = () => {
    interrupted = true;
    void rig.stop().finally(() => process.exit(130));
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await use(rig);
  } catch (error) {
    // What was under way when its server went.
    if (!interrupted) throw error;
  } finally {
    await rig.stop();
  }
}

/** On stderr: what is printed on stdout is the result. */
export function progress(line: string): void {
  console.error(line);
}

/** Starts everything, on an empty folder. What was started is ended if the rest cannot be. */
async function startRig(
  contestants: readonly Contestant[],
  { observationBytes, modelMs = 0, toolMs = 0, onPostgres = false, worker = 'ours' }: RigOptions,
): Promise<Rig> {
  const stops: (() => Promise<unknown>)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= (async () => {
      for (const end of stops.toReversed()) await end();
    })());
  try {
    const stateDir = await mkdtemp(join(tmpdir(), 'reloop-bench-'));
    stops.push(() => rm(stateDir, { recursive: true, force: true }));
    const { address, pid: serverPid, stop: stopServer } = await startServer(stateDir, onPostgres);
    stops.push(stopServer);
    const connection = await Connection.connect({
      address,
      channelArgs: { 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
    });
    stops.push(() => connection.close());
    const temporal = new Client({ connection });
    const model = await startChild<{ url: string }>('model-server.ts', { BENCH_MODEL_MS: String(modelMs) });
    stops.push(() => model.stop());
    const env = {
      BENCH_ADDRESS: address,
      BENCH_OBSERVATION: String(observationBytes),
      BENCH_MODEL_MS: String(modelMs),
      BENCH_TOOL_MS: String(toolMs),
      BENCH_WORKER: worker,
      // The default of a worker whose server is on another machine.
      BENCH_HEARTBEATS: onPostgres ? 'frugal' : 'lively',
      BENCH_WORKER_SETTINGS: JSON.stringify(workerSettings),
      OPENAI_BASE_URL: model.ready.url,
    };
    const entrants: Entrant[] = [];
    for (const contestant of contestants) {
      const { name: taskQueue, program } = contestant;
      progress(`starting ${taskQueue} …`);
      const child = await startChild(program, { ...env, BENCH_QUEUE: taskQueue });
      stops.push(() => child.stop());
      const agents = await AgentClient.connect({ address, taskQueue });
      stops.push(() => agents.close());
      entrants.push({ ...contestant, pid: child.pid, place: { temporal, agents, taskQueue } });
    }
    return { entrants, temporal, serverPid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServer(folder: string, onPostgres: boolean) {
  if (onPostgres) {
    const { address, server, stop } = await startCluster({ folder, say: progress });
    return { address, pid: server.pid ?? Number.NaN, stop };
  }
  const { address, pid, release } = await acquireServer({
    stateDir: folder,
    ports: anyPorts,
    onProgress: progress,
    onNote: () => undefined,
  });
  return { address, pid, stop: release };
}
