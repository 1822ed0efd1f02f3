import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Io, say } from '../shell/io.ts';

/** State of the packages, and the command that installs them. */
export interface Installed {
  state: 'installed' | 'failed' | 'left to you';
  command: string;
}

const LOCK_FILES = [
  ['pnpm-lock.yaml', 'pnpm install'],
  ['yarn.lock', 'yarn install'],
  ['bun.lock', 'bun install'],
  ['bun.lockb', 'bun install'],
] as const;

const COMMAND = 'npm install';

/** npm itself says nothing for most of a minute. */
const SAID_EVERY_MS = 10_000;

/** Runs `npm install`, unless the project uses another package manager or the user declined. */
export async function install(io: Io, folder: string, wanted: boolean): Promise<Installed> {
  const other = LOCK_FILES.find(([file]) => existsSync(join(folder, file)));
  if (!wanted || other !== undefined) return { state: 'left to you', command: other?.[1] ?? COMMAND };
  say(io, `${COMMAND} in ${folder}: this takes a while …`);
  const startedAt = Date.now();
  const said = setInterval(() => {
    say(io, `${COMMAND}: ${Math.round((Date.now() - startedAt) / 1000)} s so far …`);
  }, SAID_EVERY_MS);
  const code = await npmInstall(io, folder).finally(() => clearInterval(said));
  return { state: code === 0 ? 'installed' : 'failed', command: COMMAND };
}

/** Resolves to npm's exit code; 127 without npm. */
function npmInstall(io: Io, folder: string): Promise<number> {
  const child = spawn('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: ownEnvironment(io.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => io.stderr.write(text));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => {
      say(io, `npm could not be started: ${error.message}`);
      resolve(127);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** npx passes the project that it was called in to its child; here another project is meant. */
function ownEnvironment(env: Io['env']): Io['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^npm_(?:config_(?:local_prefix|package|call)|package_|lifecycle_)/iu.test(name),
    ),
  );
}
