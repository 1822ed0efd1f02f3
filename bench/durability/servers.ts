import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import postgres from 'postgres';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { startBroker } from '../../test/support/brokers.ts';
import { startDevServer } from '../../test/support/dev-server.ts';

export type ServerName = 'temporal' | 'postgres';

/** Servers of a contestant, on a disk. Nothing else uses them. */
export interface Servers {
  /** Variables that name their addresses. */
  env: { [name: string]: string };
  versions: { [name: string]: string };
  /** Kills the servers with SIGKILL, and starts them again at their addresses. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Server {
  env: { [name: string]: string };
  version: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startServers(
  needs: readonly ServerName[],
  say: (line: string) => void,
): Promise<Servers> {
  const started: [ServerName, Server][] = [];
  const stop = async () => {
    for (const [, server] of started.toReversed()) await server.stop();
  };
  try {
    for (const name of needs) started.push([name, await startOne[name](say)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    env: Object.assign({}, ...started.map(([, { env }]) => env)) as Servers['env'],
    versions: Object.fromEntries(started.map(([name, { version }]) => [name, version])),
    restart: async () => {
      for (const [, server] of started) await server.restart();
    },
    stop,
  };
}

const startOne: { [name in ServerName]: (say: (line: string) => void) => Promise<Server> } = {
  temporal,
  postgres: database,
};

async function temporal(say: (line: string) => void): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'reloop-durability-'));
  const { path } = await findTemporalBinary({ onProgress: say });
  const pragmas = ['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'];
  const server = await startDevServer(path, ['--db-filename', join(folder, 'temporal.db'), ...pragmas]);
  const connection = await Connection.connect({ address: server.address });
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  await connection.close();
  return {
    env: { TEMPORAL_ADDRESS: server.address },
    version: serverVersion,
    restart: server.killAndRestart,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function database(): Promise<Server> {
  const broker = await startBroker('postgres');
  const sql = postgres(broker.url, { max: 1 });
  const [row] = await sql`SHOW server_version`;
  await sql.end();
  return {
    env: { POSTGRES_URL: broker.url },
    version: String(row?.['server_version']).split(' ')[0] ?? '',
    async restart() {
      await broker.kill();
      await broker.start();
    },
    stop: broker.stop,
  };
}
