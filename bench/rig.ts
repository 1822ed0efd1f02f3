import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from 'reloop/client';
import { anyPorts } from '../server/ports.ts';
import { acquireServer } from '../server/server.ts';
import { type Child, startChild } from './child.ts';
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

/** The server that `reloop dev` starts, on an empty folder. */
export async function startRig(
  contestants: readonly Contestant[],
  observationBytes: number,
  onProgress: (line: string) => void,
): Promise<Rig> {
  const stateDir = await mkdtemp(join(tmpdir(), 'reloop-bench-'));
  const server = await acquireServer({ stateDir, ports: anyPorts, onProgress, onNote: () => undefined });
  const { address } = server;
  const model = await startChild<{ url: string }>('model-server.ts');
  const connection = await Connection.connect({
    address,
    channelArgs: { 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
  });
  const temporal = new Client({ connection });
  const children: Child<unknown>[] = [model];
  const closing: AgentClient[] = [];
  const entrants: Entrant[] = [];
  for (const contestant of contestants) {
    const { name, program } = contestant;
    onProgress(`starting ${name} …`);
    const worker = await startChild(program, {
      BENCH_ADDRESS: address,
      BENCH_QUEUE: name,
      BENCH_OBSERVATION: String(observationBytes),
      OPENAI_BASE_URL: model.ready.url,
    });
    const agents = await AgentClient.connect({ address, taskQueue: name });
    children.push(worker);
    closing.push(agents);
    entrants.push({ ...contestant, pid: worker.pid, place: { temporal, agents, taskQueue: name } });
  }
  return {
    entrants,
    temporal,
    serverPid: server.pid,
    async stop() {
      await Promise.all(children.map((child) => child.stop()));
      await Promise.all(closing.map((client) => client.close()));
      await connection.close();
      await server.release();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
