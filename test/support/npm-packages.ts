import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packages of npm with their versions: `openai@7.59.0`, `openai-7@npm:openai@7.59.0`. `name`: of the folder; another one for other packages. */
interface NpmPackages {
  name: string;
  packages: readonly string[];
}

/** A folder with `node_modules`, made once in the user's cache; or why there is none. */
export async function fetchNpm({
  name,
  packages,
}: NpmPackages): Promise<{ folder: string } | { missing: string }> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'reloop');
  const folder = join(cache, name);
  if (existsSync(folder)) return { folder };
  await mkdir(cache, { recursive: true });
  // In another folder first, so that what has the right name is whole.
  const partial = await mkdtemp(`${folder}-`);
  try {
    await writeFile(join(partial, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run('npm', ['install', ...quietly, ...packages], { cwd: partial, timeout: 240_000 });
    if (!existsSync(folder)) await rename(partial, folder);
    return { folder };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { missing: (said.trim().split('\n').at(-1) ?? '').slice(0, 200) };
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** npm's package with the program of a version of Node. */
export function nodePackage(version: string): string {
  return `node-${version}@npm:node-${process.platform}-${process.arch}@${version}`;
}

/** The program of {@link nodePackage} in a folder. */
export function nodeIn(folder: string, version: string): string {
  return join(folder, 'node_modules', `node-${version}`, 'bin', 'node');
}

const NODE = '24.21.0';

/** Version 7 of the AI SDK with `useChat` and two providers. It names Node 22, and loads in 20 too (40 MB). */
export function fetchAiSdk7(): ReturnType<typeof fetchNpm> {
  const packages = [
    'ai@7.0.173',
    '@ai-sdk/react@4.0.177',
    '@ai-sdk/openai@4.0.118',
    '@ai-sdk/openai-compatible@3.0.92',
    'react@19.3.1',
    'react-dom@19.3.1',
  ];
  return fetchNpm({ name: 'npm-ai-7.0.173', packages });
}

/** OpenAI's clients for JavaScript, and frameworks that use them; with a Node, because they need 22 or later (650 MB). */
export async function fetchClientsNode(): Promise<{ folder: string; node: string } | { missing: string }> {
  const packages = [
    'openai-6@npm:openai@6.49.0',
    'openai-7@npm:openai@7.59.0',
    '@langchain/openai@1.6.0',
    '@langchain/core@1.4.0',
    '@openai/agents@0.20.0',
    'zod@4.6.7',
    'ai-6@npm:ai@6.0.326',
    'ai-openai-6@npm:@ai-sdk/openai@3.0.141',
    'ai-compatible-6@npm:@ai-sdk/openai-compatible@2.0.92',
    'ai-7@npm:ai@7.0.173',
    'ai-openai-7@npm:@ai-sdk/openai@4.0.118',
    'ai-compatible-7@npm:@ai-sdk/openai-compatible@3.0.92',
    nodePackage(NODE),
  ];
  const fetched = await fetchNpm({ name: 'npm-openai-clients-7.59.0', packages });
  return 'missing' in fetched ? fetched : { ...fetched, node: nodeIn(fetched.folder, NODE) };
}

/** CopilotKit's runtime, and the core that its hooks for React use (330 MB). */
export function fetchCopilotKit(): ReturnType<typeof fetchNpm> {
  const packages = ['@copilotkit/runtime@1.75.0', '@copilotkit/core@1.75.0', 'zod@4.6.7'];
  return fetchNpm({ name: 'npm-copilotkit-1.75.0', packages });
}
