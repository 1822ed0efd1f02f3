import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { cacheFolder } from '../../local/server/cache-folder.ts';
import { everyFiveSeconds } from '../../local/server/binary/progress.ts';
import { root } from '../support/cli.ts';

type Say = (line: string) => void;

/** Folders of Debian's and Ubuntu's package, which are not on PATH. */
const DEBIAN = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs. Installs Debian's package if it is missing and this is root's. */
export async function postgresPrograms(say: Say): Promise<string> {
  const found = installedPostgres();
  if (found !== undefined) return found;
  const isAllowed = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (isAllowed) {
    say('Installing PostgreSQL with apt-get …');
    await execa('apt-get', ['install', '--yes', 'postgresql'], { stdin: 'ignore' });
  }
  const installed = installedPostgres();
  if (installed !== undefined) return installed;
  throw new Error(
    `PostgreSQL is missing: neither PATH nor ${DEBIAN} has its programs initdb and postgres. Install it, for instance with \`apt-get install postgresql\`, and start again.`,
  );
}

function installedPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const folders = [
    ...newestFirst.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const folder = folders.find((one) => existsSync(join(one, 'initdb')));
  return folder && dirname(realpathSync(join(folder, 'initdb')));
}

/** PostgreSQL refuses to run as root: the user of Debian's package. undefined: ours, which is not root. */
export async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const ids = ['-u', '-g'].map(async (flag) => Number((await execa('id', [flag, 'postgres'])).stdout));
  const [uid = 0, gid = 0] = await Promise.all(ids);
  return { uid, gid };
}

/** Programs of Temporal's server: the server, and the tool that makes and updates its schema. */
export interface ServerPrograms {
  server: string;
  sql: string;
}

const MODULE = 'go.temporal.io/server/cmd';

/** Builds the server of docker-compose.yml with Go, once, into the cache of the embedded server. */
export async function serverPrograms(say: Say): Promise<ServerPrograms> {
  const version = composeVersion();
  const folder = join(cacheFolder(process.env), `temporal-server-v${version}`);
  const programs = { server: join(folder, 'server'), sql: join(folder, 'sql') };
  if (Object.values(programs).every((file) => existsSync(file))) return programs;
  await mkdir(folder, { recursive: true });
  const draft = await mkdtemp(join(folder, 'build-'));
  const next = everyFiveSeconds(say);
  const report = () =>
    next((s) => `Building Temporal's server v${version} with Go, once; this takes some minutes (${s} s) …`);
  const reports = setInterval(report, 500);
  try {
    const packages = ['server', 'tools/sql'].map((path) => `${MODULE}/${path}@v${version}`);
    await execa('go', ['install', ...packages], { env: { GOBIN: draft }, cwd: draft });
    // A file at its place is always whole.
    for (const name of ['server', 'sql'] as const) await rename(join(draft, name), programs[name]);
  } catch (error) {
    throw new Error(`Temporal's server cannot be built with Go (https://go.dev/dl): ${String(error)}`, {
      cause: error,
    });
  } finally {
    clearInterval(reports);
    await rm(draft, { recursive: true, force: true });
  }
  return programs;
}

function composeVersion(): string {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8')) as {
    services: { temporal: { image: string } };
  };
  return services.temporal.image.replace(/^.*:/u, '');
}
