import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const file = (name: string) => fileURLToPath(new URL(`./search-engine/${name}`, import.meta.url));

/**
 * OpenSearch from Maven Central, fetched once into the user's cache (44 MB, about ten seconds): the folder of its jars,
 * or why there is none.
 */
export async function fetchSearchEngine(): Promise<{ jars: string } | { missing: string }> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'reloop');
  const jars = join(cache, 'opensearch-2.19.1');
  try {
    // Older ones than 9 do not know this option; OpenSearch wants 11, and its sources a compiler.
    await run('javac', ['--version']);
    if (!existsSync(jars)) await download(cache, jars);
    return { jars };
  } catch (error) {
    return { missing: reasonOf(error) };
  }
}

/** Maven says on its standard output what is wrong. */
function reasonOf(error: unknown): string {
  const { stdout, message } = error as { stdout?: string; message: string }; // of a command that failed
  return (/\[ERROR\] (.*)/.exec(stdout ?? '')?.[1] ?? message).slice(0, 300);
}

/** Into another folder first, so that what has the right name is whole. */
async function download(cache: string, jars: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${jars}-`);
  try {
    const copy = [
      'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${partial}`,
    ];
    await run('mvn', ['-q', '-B', '-Dstyle.color=never', '-f', file('pom.xml'), ...copy], {
      timeout: 240_000,
    });
    if (!existsSync(jars)) await rename(partial, jars);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

export interface SearchEngine {
  url: string;
  /** Adds documents; a search that is made afterwards finds them. */
  add(index: string, documents: readonly object[]): Promise<void>;
  /** At once, as a machine that loses power; its documents are gone. */
  kill(): Promise<void>;
}

/** An engine of its own, on a free port of the loopback interface. It ends with this process at the latest. */
export async function startSearchEngine(jars: string): Promise<SearchEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'reloop-search-'));
  const flags = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-cp', join(jars, '*')];
  const child = spawn('java', [...flags, file('SearchEngine.java'), folder], { cwd: folder });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const url = `http://${await addressOf(child)}`;
  return {
    url,
    async add(index, documents) {
      const lines = documents
        .flatMap((document) => [{ index: {} }, document])
        .map((line) => JSON.stringify(line));
      const response = await fetch(`${url}/${index}/_bulk?refresh=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: `${lines.join('\n')}\n`,
      });
      const { errors } = (await response.json()) as { errors?: boolean }; // OpenSearch's answer to a bulk request
      if (!response.ok || errors !== false) throw new Error(`OpenSearch refused documents for ${index}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The one line that it prints when it is ready. Rejects with what it complained of, if it ends before. */
function addressOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (complaint += piece));
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`OpenSearch did not start: ${complaint.slice(-2000)}`)));
  });
}
