import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { execa } from 'execa';
import postgres from 'postgres';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { startBroker } from '../../test/support/brokers.ts';
import { freePort, startDevServer } from '../../test/support/dev-server.ts';
import { folderBytes } from './bytes.ts';
import { pathOf } from './contestants.ts';

const START_MS = 60_000;

export type ServerName = 'temporal' | 'postgres' | 'restate';

/** Servers of a contestant, on a disk. Nothing else uses them. */
export interface Servers {
  /** Variables that name their addresses. */
  env: { [name: string]: string };
  versions: { [name: string]: string };
  /** Bytes that they have stored. */
  bytes(): Promise<number>;
  /** Kills the servers with SIGKILL, and starts them again at their addresses. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Server {
  env: { [name: string]: string };
  version: string;
  bytes(): Promise<number>;
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
    bytes: async () => {
      const sizes = await Promise.all(started.map(([, server]) => server.bytes()));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    restart: async () => {
      for (const [, server] of started) await server.restart();
    },
    stop,
  };
}

const startOne: { [name in ServerName]: (say: (line: string) => void) => Promise<Server> } = {
  temporal,
  postgres: database,
  restate,
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
    bytes: () => folderBytes(folder),
    restart: server.killAndRestart,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function database(): Promise<Server> {
  const broker = await startBroker('postgres');
  const ask = async (query: string): Promise<string> => {
    const sql = postgres(broker.url, { max: 1 });
    const [row] = await sql.unsafe(`SELECT (${query})::text AS value`);
    await sql.end();
    return String(row?.['value']);
  };
  const version = await ask(`current_setting('server_version')`);
  return {
    env: { POSTGRES_URL: broker.url },
    version: version.split(' ')[0] ?? '',
    bytes: async () => Number(await ask('pg_database_size(current_database())')),
    async restart() {
      await broker.kill();
      await broker.start();
    },
    stop: broker.stop,
  };
}

/** A single node, as `restate-server` starts one, on ports of its own. */
async function restate(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'reloop-durability-'));
  const [ingress, admin, node, service] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const env = {
    RESTATE_BASE_DIR: folder,
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_INGRESS__BIND_PORT: `${ingress}`,
    RESTATE_ADMIN__BIND_PORT: `${admin}`,
    RESTATE_BIND_PORT: `${node}`,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_AUTO_PROVISION: 'true',
    DO_NOT_TRACK: 'true',
  };
  const file = pathOf('peers/node_modules/@restatedev/restate-server-linux-x64/bin/restate-server');
  const run = () => execa(file, [], { env, cwd: folder, stdio: 'ignore', reject: false });
  let child = run();
  const isUp = () =>
    Promise.all(
      [`${ingress}/restate/health`, `${admin}/health`].map((path) => fetch(`http://127.0.0.1:${path}`)),
    ).then(
      (answers) => answers.every(({ ok }) => ok),
      () => false,
    );
  const untilUp = async () => {
    for (const late = Date.now() + START_MS; !(await isUp()); await sleep(100))
      if (Date.now() > late) throw new Error('The Restate server does not answer.');
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await child;
  };
  await untilUp();
  const { stdout } = await execa(file, ['--version']);
  return {
    env: {
      RESTATE_INGRESS: `http://127.0.0.1:${ingress}`,
      RESTATE_ADMIN: `http://127.0.0.1:${admin}`,
      RESTATE_SERVICE_PORT: `${service}`,
    },
    version: /[\d.]+/u.exec(stdout)?.[0] ?? '',
    bytes: () => folderBytes(folder),
    async restart() {
      await kill();
      child = run();
      await untilUp();
    },
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
