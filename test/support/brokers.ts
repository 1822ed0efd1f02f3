import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts } from '../../local/server/ports.ts';
import postgres from 'postgres';
import { postgresPrograms, postgresUser } from '../cluster/programs.ts';
import { freePort } from './dev-server.ts';

export const brokerNames = ['redis', 'nats', 'postgres'] as const;
export type BrokerName = (typeof brokerNames)[number];

/** A broker of live text, in a process of its own, on loopback. */
export interface Broker {
  url: string;
  /** At once, as when its machine fails. */
  kill(): Promise<void>;
  /** Starts it again at the same URL. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

interface Installed {
  url: (port: number) => string;
  /** Command line of a new broker with its data in `folder`. */
  prepare: (
    folder: string,
    port: number,
  ) => Promise<{ file: string; args: string[]; user?: Ids | undefined }>;
  /** Ends the broker with its child processes. */
  killSignal: NodeJS.Signals;
  /** Returns false while a broker that takes connections refuses requests. */
  isReady?: (url: string) => Promise<boolean>;
}

type Ids = Awaited<ReturnType<typeof postgresUser>>;

const installed: { [name in BrokerName]: Installed } = {
  redis: {
    url: (port) => `redis://127.0.0.1:${port}`,
    prepare: async (folder, port) => ({
      file: await program('redis-server'),
      args: ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    }),
    killSignal: 'SIGKILL',
  },
  nats: {
    url: (port) => `nats://127.0.0.1:${port}`,
    prepare: async (_folder, port) => ({
      file: await program('nats-server'),
      args: ['-a', '127.0.0.1', '-p', `${port}`],
    }),
    killSignal: 'SIGKILL',
  },
  postgres: {
    url: (port) => `postgres://reloop@127.0.0.1:${port}/postgres`,
    prepare: preparePostgres,
    killSignal: 'SIGQUIT',
    isReady: answersQueries,
  },
};

const START_MS = 60_000;

/** Throws where the broker cannot be had. */
export async function startBroker(name: BrokerName): Promise<Broker> {
  const { url, prepare, killSignal, isReady = async () => true } = installed[name];
  const folder = await mkdtemp(join(tmpdir(), 'reloop-broker-'));
  const port = await freePort();
  const { file, args, user } = await prepare(folder, port);
  let child: ReturnType<typeof run> | undefined;
  const run = () => execa(file, args, { ...user, cwd: folder, stdio: 'ignore', reject: false });
  const kill = async () => {
    child?.kill(killSignal);
    await child;
  };
  const start = async () => {
    child = run();
    for (
      const late = Date.now() + START_MS;
      !((await accepts(port)) && (await isReady(url(port))));
      await sleep(50)
    ) {
      if (Date.now() > late) throw new Error(`${name} does not answer on port ${port}`);
      // Another program may have had the port.
      if (child.exitCode !== null) child = run();
    }
  };
  await start();
  return {
    url: url(port),
    kill,
    start,
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Reason why a broker cannot be started here; undefined: it can. Installs Debian's package if it is missing and this is root's. */
export async function brokerProblem(name: BrokerName): Promise<string | undefined> {
  try {
    if (name === 'postgres') await postgresPrograms(console.error);
    else await program(`${name}-server`);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** PostgreSQL takes connections while it starts up, and refuses them with an error. */
async function answersQueries(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1 });
  try {
    await sql`SELECT 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

async function program(name: string): Promise<string> {
  const found = installedProgram(name);
  if (found !== undefined) return found;
  const isAllowed = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (isAllowed) await execa('apt-get', ['install', '--yes', name], { stdin: 'ignore', reject: false });
  const file = installedProgram(name);
  if (file === undefined) throw new Error(`${name} is not installed`);
  return file;
}

function installedProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

async function preparePostgres(folder: string, port: number) {
  const bin = await postgresPrograms(console.error);
  const user = await postgresUser();
  const data = join(folder, 'data');
  await mkdir(data);
  for (const one of user === undefined ? [] : [folder, data])
    await chown(one, user?.uid ?? 0, user?.gid ?? 0);
  await execa(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'reloop'], { ...user, cwd: data });
  const args = ['-D', data, '-p', `${port}`];
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  return {
    file: join(bin, 'postgres'),
    args: [...args, ...settings.flatMap((setting) => ['-c', setting])],
    user,
  };
}
