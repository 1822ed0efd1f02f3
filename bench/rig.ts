import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from 'reloop/client';
import { anyPorts } from '../server/ports.ts';
import { acquireServer } from '../server/server.ts';
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

/** A rig for as long as `use` takes; a signal ends it as well. */
export async function withRig(
  contestants: readonly Contestant[],
  observationBytes: number,
  use: (rig: Rig) => Promise<void>,
): Promise<void> {
  const rig = await startRig(contestants, observationBytes);
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

/** The server that `reloop dev` starts, on an empty folder. What was started is ended if the rest cannot be. */
async function startRig(contestants: readonly Contestant[], observationBytes: number): Promise<Rig> {
  const stops: (() => Promise<unknown>)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= (async () => {
      for (const end of stops.toReversed()) await end();
    })());
  try {
    const stateDir = await mkdtemp(join(tmpdir(), 'reloop-bench-'));
    stops.push(() => rm(stateDir, { recursive: true, force: true }));
    const server = await acquireServer({
      stateDir,
      ports: anyPorts,
      onProgress: progress,
      onNote: () => undefined,
    });
    stops.push(() => server.release());
    const { address } = server;
    const connection = await Connection.connect({
      address,
      channelArgs: { 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
    });
    stops.push(() => connection.close());
    const temporal = new Client({ connection });
    const model = await startChild<{ url: string }>('model-server.ts');
    stops.push(() => model.stop());
    const env = {
      BENCH_ADDRESS: address,
      BENCH_OBSERVATION: String(observationBytes),
      BENCH_WORKER_SETTINGS: JSON.stringify(workerSettings),
      OPENAI_BASE_URL: model.ready.url,
    };
    const entrants: Entrant[] = [];
    for (const contestant of contestants) {
      const { name: taskQueue, program } = contestant;
      progress(`starting ${taskQueue} …`);
      const worker = await startChild(program, { ...env, BENCH_QUEUE: taskQueue });
      stops.push(() => worker.stop());
      const agents = await AgentClient.connect({ address, taskQueue });
      stops.push(() => agents.close());
      entrants.push({ ...contestant, pid: worker.pid, place: { temporal, agents, taskQueue } });
    }
    return { entrants, temporal, serverPid: server.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
