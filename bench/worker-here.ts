import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { AgentClient } from '../client/index.ts';
import { createLoadedConfig } from '../config/load/loaded-config.ts';
import { type AgentDefinition, defineConfig } from '../index.ts';
import { acquireServer } from '../local/server/server.ts';
import { createAgentWorker } from '../worker/create-worker.ts';

/** Starts the server of `reloop dev`, a client, and a worker of these agents in this process. Logs errors only. */
export async function startWorkerHere(taskQueue: string, agents: AgentDefinition[]) {
  Runtime.install({
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error },
  });
  const stateDir = await mkdtemp(join(tmpdir(), `reloop-${taskQueue}-`));
  const server = await acquireServer({ stateDir, onProgress: (line) => console.error(line) });
  const { address } = server;
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const temporal = new Client({ connection });
  const config = createLoadedConfig(defineConfig({ agents, taskQueue }));
  const worker = await createAgentWorker(config, { connection: native });
  const running = worker.run();
  return {
    address,
    stateDir,
    native,
    temporal,
    client: new AgentClient(temporal, address, taskQueue),
    /** Ends all of it, and removes the state folder. */
    async stop(): Promise<void> {
      worker.shutdown();
      await running;
      await connection.close();
      await native.close();
      await server.release();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
