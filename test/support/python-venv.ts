import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from './processes.ts';

const run = promisify(execFile);

const script = fileURLToPath(new URL('../../examples/python-tool/worker.py', import.meta.url));

/** A package for Python, and a module of it. */
interface PythonPackage {
  name: string;
  version: string;
  module: string;
}

/** The one that the script names. */
const TEMPORALIO: PythonPackage = { name: 'temporalio', version: '1.35.0', module: 'temporalio.worker' };
const OPENAI: PythonPackage = { name: 'openai', version: '3.54.0', module: 'openai' };

type Fetched = { python: string } | { missing: string };

/** A Python that has the package temporalio (90 MB). */
export const fetchPythonWorker = () => fetchPython(TEMPORALIO, 'python-worker');

/** A Python that has OpenAI's client (30 MB). */
export const fetchOpenaiPython = () => fetchPython(OPENAI, 'python-openai');

/** Made once in the user's cache, in some seconds: the path of the interpreter, or why there is none. */
async function fetchPython(wanted: PythonPackage, title: string): Promise<Fetched> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'reloop');
  const folder = join(cache, `${title}-${wanted.version}`);
  const python = join(folder, 'bin', 'python');
  try {
    if (!(await usable(python, wanted))) await make(cache, folder, wanted);
    return { python };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    // pip says what is wrong last.
    return { missing: (said.trim().split('\n').at(-1) ?? '').slice(0, 200) };
  }
}

/** The interpreter that an environment was made with may be gone since. */
async function usable(python: string, { module }: PythonPackage): Promise<boolean> {
  return run(python, ['-c', `import ${module}`]).then(
    () => true,
    () => false,
  );
}

/** In another folder first, so that what has the right name is whole. */
async function make(cache: string, folder: string, wanted: PythonPackage): Promise<void> {
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  try {
    await run('python3', ['-m', 'venv', partial], { timeout: 60_000 });
    const python = join(partial, 'bin', 'python');
    const packages = ['--quiet', '--only-binary', ':all:', `${wanted.name}==${wanted.version}`];
    await run(python, ['-m', 'pip', 'install', '--disable-pip-version-check', ...packages], {
      timeout: 240_000,
    });
    if (existsSync(folder) && !(await usable(join(folder, 'bin', 'python'), wanted))) {
      await rm(folder, { recursive: true });
    }
    if (!existsSync(folder)) await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

export interface PythonWorker {
  /** Resolves when it has printed the text. */
  prints(text: string): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

/** The worker of the example as a process; it looks for work as soon as it can. */
export function startPythonWorker(
  python: string,
  address: string,
  env: { [name: string]: string },
): PythonWorker {
  const child = spawn(python, [script, address], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  // What was killed has no code.
  child.once('exit', (code) => void (code !== null && console.error(printed)));
  const closed = once(child, 'close');
  return {
    prints: (text) => until(() => printed.includes(text)),
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
