import { spawn } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootSource, serveSource, snapshotSource } from './pyodide-child.ts';
import type { Launch } from './process.ts';
import { replSource } from './host.ts';

/**
 * Runs Pyodide in a Node process. A boot takes seconds, mostly to compile Pyodide's own library. So an image of the memory
 * after the boot is kept in the user's cache. A start from the image takes half a second.
 */
export async function pyodideLaunch(memoryBytes: number): Promise<Launch> {
  const image = await bootImage();
  const readable = image === undefined ? [] : [image];
  const args = nodeArgs(readable, [], bootSource + serveSource, { image, memoryBytes, repl: replSource });
  return {
    name: 'Pyodide',
    command: '/bin/sh',
    args: ['-c', 'exec "$@" <&3 >&3 3>&-', 'sh', process.execPath, ...args],
    env: {},
  };
}

let building: Promise<string | undefined> | undefined;

/** Path of the image. Undefined if the image cannot be written: every start boots then. */
function bootImage(): Promise<string | undefined> {
  building ??= buildImage().catch(() => undefined);
  return building;
}

async function buildImage(): Promise<string | undefined> {
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  const folder = join(isAbsolute(named) ? named : join(process.env['HOME'] ?? homedir(), '.cache'), 'reloop');
  const image = join(folder, `pyodide-${packages().version}.image`);
  if (await exists(image)) return image;
  await mkdir(folder, { recursive: true });
  const draft = `${image}.${process.pid}`;
  const args = nodeArgs([folder], [folder], bootSource + snapshotSource, { image, draft });
  const code = await exitCode(process.execPath, args);
  return code === 0 ? image : undefined;
}

/**
 * Node's permissions deny files, processes and threads to code that escapes from Python to JavaScript. Node 20 has the
 * permissions under their experimental name only.
 */
function nodeArgs(readable: string[], writable: string[], source: string, config: object): string[] {
  const { pyodide, ws } = packages();
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  return [
    permission,
    ...[dirname(pyodide), ws, ...readable].map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    '--expose-gc',
    '--no-warnings',
    '--input-type=module',
    '-e',
    source,
    JSON.stringify({ ...config, pyodide: pathToFileURL(pyodide).href }),
  ];
}

/** Folders of the installed package and of its dependency `ws`. */
function packages(): { pyodide: string; ws: string; version: string } {
  const require = createRequire(import.meta.url);
  const pyodide = require.resolve('pyodide/pyodide.mjs');
  const { version } = require('pyodide/package.json') as { version: string }; // every package has one
  return { pyodide, ws: dirname(createRequire(pyodide).resolve('ws/package.json')), version };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function exitCode(command: string, args: string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    spawn(command, args, { env: {}, stdio: 'ignore' }).once('error', reject).once('exit', resolve);
  });
}
