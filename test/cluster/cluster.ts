import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { execa } from 'execa';
import { parse } from 'yaml';
import { type Ports, accepts, freePorts } from '../../local/server/ports.ts';
import { root } from '../support/cli.ts';
import { freePort } from '../support/dev-server.ts';
import { type ServerPrograms, postgresPrograms, postgresUser, serverPrograms } from './programs.ts';
import { DATABASES, DATABASE_USER, serverConfig } from './server-config.ts';
import { Supervised } from './supervised.ts';

export interface ClusterOptions {
  /** Data, config and logs. */
  folder: string;
  /** Added to examples/deploy/dynamic-config.yaml. */
  dynamicConfig?: { [name: string]: { value: unknown }[] };
  /**
   * The frontend's port, if it is free, and the first of those of the other services. Default: Temporal's usual ones, which other programs
   * take as well while the server is down.
   */
  port?: number;
  /** Pause before a program starts again. */
  pauseMs?: () => number;
  say(line: string): void;
}

/** Temporal on PostgreSQL, both supervised: docker-compose.yml without containers. */
export interface Cluster {
  /** Address of Temporal's frontend. */
  address: string;
  /** URL of the database server, to which the name of a database is added. */
  databaseUrl: string;
  postgres: Supervised;
  server: Supervised;
  stop(): Promise<void>;
}

/** A start after a crash takes longer than one of a new database. */
const READY_MS = 60_000;
/** Temporal's usual port. Its tables have no room for ports from 32768 on. */
const PORT = 7233;
/** From the frontend's port to those of the other services. */
const SERVICES = [0, 100, 200, 300];
/** 90 days, as in docker-compose.yml. */
const RETENTION_S = 90 * 24 * 60 * 60;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, say, port = PORT } = options;
  const [bin, programs] = [await postgresPrograms(say), await serverPrograms(say)];
  // Other users reach their folders in it.
  await chmod(folder, 0o755);
  const stops: Supervised[] = [];
  const stop = async () => {
    for (const program of stops.splice(0).toReversed()) await program.stop();
  };
  try {
    const databasePort = await freePort();
    const postgres = await startPostgres(bin, databasePort, options);
    stops.push(postgres);
    await until('PostgreSQL', () => accepts(databasePort));
    await makeSchema(programs, databasePort);
    const ports = await Promise.all(
      SERVICES.map((further) => freePorts({ grpc: port + further, ui: port + further + 50 })),
    );
    const server = await startServer(programs, { ...options, databasePort, ports });
    stops.push(server);
    const address = `127.0.0.1:${ports[0]?.grpc}`;
    await until('Temporal', () => makeNamespace(address));
    return {
      address,
      databaseUrl: `postgres://${DATABASE_USER}@127.0.0.1:${databasePort}`,
      postgres,
      server,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`The cluster did not start; the logs in ${folder} may say why: ${String(error)}`, {
      cause: error,
    });
  }
}

async function startPostgres(bin: string, port: number, options: ClusterOptions): Promise<Supervised> {
  const { folder, pauseMs } = options;
  const data = join(folder, 'postgres');
  const user = await postgresUser();
  await mkdir(data);
  if (user !== undefined) await chown(data, user.uid, user.gid);
  await execa(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', DATABASE_USER], { ...user, cwd: data });
  return new Supervised({
    name: 'postgres',
    file: join(bin, 'postgres'),
    // No socket file: its folder belongs to another user.
    args: ['-D', data, '-p', `${port}`, '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    cwd: data,
    log: join(folder, 'postgres.log'),
    user,
    // "Fast": without waiting for connections to end.
    killSignal: 'SIGINT',
    pauseMs,
  });
}

async function makeSchema({ sql }: ServerPrograms, port: number): Promise<void> {
  const place = `--plugin postgres12 --ep 127.0.0.1 -p ${port} -u ${DATABASE_USER} --pw none`.split(' ');
  for (const [database, schema] of Object.entries(DATABASES)) {
    const step = (...args: string[]) => execa(sql, [...place, '--db', database, ...args]);
    await step('create');
    await step('setup-schema', '-v', '0.0');
    await step('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

async function startServer(
  { server }: ServerPrograms,
  { folder, dynamicConfig, pauseMs, ...config }: ClusterOptions & { databasePort: number; ports: Ports[] },
): Promise<Supervised> {
  const shared = parse(await readFile(join(root, 'examples/deploy/dynamic-config.yaml'), 'utf8')) as object;
  const dynamic = join(folder, 'dynamic-config.yaml');
  // JSON is YAML.
  await writeFile(dynamic, JSON.stringify({ ...shared, ...dynamicConfig }));
  const environment = serverConfig({ ...config, dynamicConfig: dynamic });
  await writeFile(join(folder, 'cluster.yaml'), JSON.stringify(environment));
  return new Supervised({
    name: 'temporal',
    file: server,
    args: ['--root', folder, '--config', '.', '--env', 'cluster', '--allow-no-auth', 'start'],
    log: join(folder, 'temporal.log'),
    pauseMs,
  });
}

/** Returns false while the server or the namespace does not answer. */
async function makeNamespace(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 1000 }).catch(() => undefined);
  if (connection === undefined) return false;
  try {
    const client = new Client({ connection });
    await connection.workflowService
      .registerNamespace({
        namespace: 'default',
        workflowExecutionRetentionPeriod: { seconds: RETENTION_S as never },
      })
      .catch(() => undefined); // it is there, or the next line throws
    await client.workflow.count();
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

async function until(name: string, condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + READY_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`${name} does not answer after ${READY_MS / 1000} s`);
    await sleep(200);
  }
}
