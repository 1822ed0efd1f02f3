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

/** Packages for Python, pinned, and modules of them. `version`: of the whole list, which is the name of the folder. */
interface PythonPackages {
  packages: readonly string[];
  version: string;
  modules: readonly string[];
}

/** The one that the script names. */
const TEMPORALIO: PythonPackages = {
  packages: ['temporalio==1.35.0'],
  version: '1.35.0',
  modules: ['temporalio.worker'],
};
const OPENAI: PythonPackages = { packages: ['openai==3.54.0'], version: '3.54.0', modules: ['openai'] };
const CLIENTS: PythonPackages = {
  packages: [
    'openai==3.57.0',
    'openai-agents==0.24.0',
    'pydantic-ai-slim[openai]==2.66.0',
    'langchain-openai==1.7.4',
  ],
  version: '3.57.0',
  modules: ['openai', 'agents', 'pydantic_ai.models.openai', 'langchain_openai'],
};
/** It takes an openai of before 3, so it is by itself. */
const LLAMA_INDEX: PythonPackages = {
  packages: ['llama-index-llms-openai==0.8.3', 'llama-index-llms-openai-like==0.8.1', 'openai==2.54.0'],
  version: '0.8.3',
  modules: ['llama_index.llms.openai_like'],
};

const MCP: PythonPackages = {
  packages: ['mcp==2.3.0', 'fastmcp==4.1.6'],
  version: '2.3.0',
  modules: ['mcp', 'fastmcp'],
};

type Fetched = { python: string } | { missing: string };

/** A Python that has the package temporalio (90 MB). */
export const fetchPythonWorker = () => fetchPython(TEMPORALIO, 'python-worker');

/** A Python that has OpenAI's client (30 MB). */
export const fetchOpenaiPython = () => fetchPython(OPENAI, 'python-openai');

/** A Python that has OpenAI's client and three frameworks that use it (205 MB). */
export const fetchClientsPython = () => fetchPython(CLIENTS, 'python-openai-clients');

/** A Python that has LlamaIndex with its client of OpenAI's API (290 MB). */
export const fetchLlamaIndexPython = () => fetchPython(LLAMA_INDEX, 'python-llama-index');

/** A Python that has two clients of MCP (133 MB). */
export const fetchMcpPython = () => fetchPython(MCP, 'python-mcp');

/** Made once in the user's cache, in some seconds: the path of the interpreter, or why there is none. */
async function fetchPython(wanted: PythonPackages, title: string): Promise<Fetched> {
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
async function usable(python: string, { modules }: PythonPackages): Promise<boolean> {
  return run(python, ['-c', `import ${modules.join(', ')}`]).then(
    () => true,
    () => false,
  );
}

/** In another folder first, so that what has the right name is whole. */
async function make(cache: string, folder: string, wanted: PythonPackages): Promise<void> {
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  try {
    await run('python3', ['-m', 'venv', partial], { timeout: 60_000 });
    const python = join(partial, 'bin', 'python');
    const packages = ['--quiet', '--only-binary', ':all:', ...wanted.packages];
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
