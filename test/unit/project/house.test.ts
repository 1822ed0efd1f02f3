import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Rules of the whole tree that no linter knows. */

const root = resolve(import.meta.dirname, '../../..');
interface Folder {
  imports: { [folder: string]: true | 'types' | string[] };
  rooms: string[];
}
const { arrows } = (await import(join(root, '.ci/arrows.mjs'))) as { arrows: { [folder: string]: Folder } };
const folders = Object.keys(arrows);
/** Lists of equals: each file is one of a kind, and the folder is the index. */
const LISTS = ['cli/commands'];
const MAX_FILES = 15;
const sources = new Map(
  [...folders.flatMap(filesIn), 'index.ts'].map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);

/** Names that several files have, and why: they play the same part, each in its folder. Any other name is one file's. */
const SHARED_NAMES = new Map([
  ['index.ts', 'what a folder shows to others'],
  ['error.ts', 'what goes wrong with a service, in words'],
  ['errors.ts', 'the one map of what is thrown, of a folder'],
  ['agent-run.ts', 'the workflow, and the handle on one'],
  ['agent-session.ts', 'the workflow, and the handle on one'],
  ['session.ts', 'the rules of a session, and a session read from its record'],
  ['transcript.ts', 'the transcript of a running loop, and one read from its record'],
  ['earlier-calls.ts', 'earlier calls as a tool asks for them, and as they are read from the record'],
  ['observations.ts', 'the words of observations, and where they are kept'],
  ['options.ts', 'the options of definitions, and of commands'],
  ['task-queue.ts', 'who serves a queue, and the queue of a config'],
]);

/**
 * Files whose modules hold something for the life of the process, and why test files that share a process do not disturb each
 * other. A test that needs such a module as a new process has it begins with `vi.hoisted(() => vi.resetModules())`.
 */
const HOLDING = new Map([
  ['valid-prompt.ts', 'by prompt, and by call'],
  ['parameters.ts', 'by schema'],
  ['tool-call.ts', 'by the context of one attempt'],
  ['heartbeat.ts', 'by the context of one attempt'],
  ['earlier-calls.ts', 'a cache by run id'],
  ['connection-end.ts', 'by connection'],
  ['scripted.ts', 'by model'],
  ['openai-compatible.ts', 'a module that is imported late'],
  ['undici-fetch.ts', 'hosts, of which each test has its own port'],
  ['call.ts', 'by URL, of which each test has its own port'],
  ['same-tool.ts', 'by tool'],
  ['pyodide-child.ts', 'runs in a process of its own'],
  ['pyodide.ts', 'the image stays while the process lives'],
  ['math.ts', 'a module that is imported late'],
  ['import-module.ts', 'by file, and what is imported is in the cache of Node as well'],
  ['a-few-updates.ts', 'by connection: the updates of a workflow that are under way, or wait for their turn'],
  ['attempt-journal.ts', 'by folder, of which each test has its own'],
  ['worker-log.ts', 'by task queue, until its worker ends'],
  ['start-attributes.ts', 'by client'],
  ['coerce.ts', 'by schema'],
  ['cli-name.ts', 'by PATH'],
  ['call-under-way.ts', 'by connection'],
  ['open-calls.ts', 'by client'],
  ['client-of-sender.ts', 'by client'],
  ['local-topics.ts', 'by run, until its readers and attempts leave'],
  ['subscription.ts', 'by connection'],
  ['test-server.ts', 'the server of the process, which test files share'],
  ['open-program.ts', 'by server and task queue, until its worker ends'],
  ['run-in-process.ts', 'by folder, until its runs have ended'],
  ['worker-process.ts', 'runs in a process of its own'],
]);

/** Named after the commands that users type. */
const COMMANDS = 'cli/commands/';

describe('the sources', () => {
  test('name the attributes of Temporal events where facts are made of them', () => {
    expect(filesWith(/\w+EventAttributes\b/u)).toEqual([
      'history/read/cost-facts.ts',
      'history/read/facts.ts',
      'history/read/pause-facts.ts',
    ]);
  });

  test("reach into the SDK's internals in one file", () => {
    expect(filesWith(/internal-non-workflow/u)).toEqual(['history/read/payloads.ts']);
  });

  test('leave the streams of the process to cli/main.ts: commands write to their Io', () => {
    const writes =
      /process\.std(?:out|err)\b|\bconsole\.|[{,] ?std(?:out|err)\b[^}]*\} = process|writeSync\([12],/u;
    const commands = filesWith(writes).filter((file) => file.startsWith('cli/'));
    expect(commands).toEqual(['cli/main.ts']);
  });

  test('have no circle of imports, not even of types', () => {
    const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]));
    expect(circlesOf(imports)).toEqual([]);
  });

  test('of workflows hold nothing: all runs of a worker share them', () => {
    const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, withoutTypes(text))]));
    const shared = new Set(reachableFrom(imports, 'workflows/index.ts'));
    expect(shared).toContain('workflows/loop/agent-registry.ts');
    expect([...sources].filter(([file, text]) => shared.has(file) && HOLDS.test(text))).toEqual([]);
    expect(HOLDS.test('let count = 0;')).toBe(true);
  });

  test('hold nothing for the life of a process that is not listed', () => {
    const holding = [...sources].filter(([, text]) => HOLDS.test(text)).map(([file]) => basename(file));
    expect(holding.toSorted()).toEqual([...HOLDING.keys()].toSorted());
  });

  test('have names that tell which file is meant', () => {
    const files = [...sources.keys()].filter((file) => !file.startsWith(COMMANDS));
    const shared = [...groupedByName(files)].filter(([, group]) => group.length > 1);
    const unexplained = shared.filter(([name]) => !SHARED_NAMES.has(name));
    expect(unexplained.map(([, group]) => group.join(' '))).toEqual([]);
    expect(shared.map(([name]) => name).toSorted()).toEqual([...SHARED_NAMES.keys()].toSorted());
  });

  test.each(folders)('of %s/ are in the rooms of .ci/arrows.mjs, whose imports run one way', (folder) => {
    const room = (file: string) => roomOf(folder, file);
    const rooms = new Set([...sources.keys()].filter((file) => file.startsWith(`${folder}/`)).map(room));
    const { rooms: listed = [] } = arrows[folder] ?? {};
    expect([...rooms].filter((name) => !name.endsWith('.ts')).toSorted()).toEqual(listed.toSorted());
    const edges = [...sources].flatMap(([file, text]) =>
      importsOf(file, text).map((target) => [file, target] as const),
    );
    const within = edges.filter((edge) => edge.every((file) => file.startsWith(`${folder}/`)));
    const graph = new Map([...rooms].map((name) => [name, new Set<string>()]));
    for (const [file, target] of within)
      if (room(file) !== room(target)) graph.get(room(file))?.add(room(target));
    expect(circlesOf(new Map([...graph].map(([name, targets]) => [name, [...targets]])))).toEqual([]);
  });

  test('are at most 15 in a folder, unless the folder is a list of equals', () => {
    const counts = new Map<string, number>();
    for (const file of sources.keys()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const full = [...counts].filter(([folder, count]) => count > MAX_FILES && !LISTS.includes(folder));
    expect(full).toEqual([]);
  });

  test('are files of at most 300 lines', () => {
    const long = [...sources].filter(([, text]) => linesOf(text) > 300);
    expect(long.map(([file]) => file)).toEqual([]);
  });

  test('are files of 80 lines and fewer, half of them at least', () => {
    const lengths = [...sources.values()].map(linesOf).toSorted((a, b) => a - b);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(80);
  });
});

describe('the tests on a server', () => {
  test('that share it name their sessions differently: a session is on the task queue of its first message', () => {
    const files = new Map<string, Set<string>>();
    for (const file of readdirSync('test/workflow').filter((name) => name.endsWith('.ts'))) {
      const text = readFileSync(join('test/workflow', file), 'utf8');
      for (const [, name = ''] of text.matchAll(/(?:session: |session\()'([^']+)'/gu))
        files.set(name, (files.get(name) ?? new Set()).add(file));
    }
    expect(files.size).toBeGreaterThan(10);
    expect([...files].filter(([, users]) => users.size > 1)).toEqual([]);
  });
});

describe('the search for circles', () => {
  test.each([
    ['none', { a: ['b', 'c'], b: ['c'], c: [] }, []],
    ['of two', { a: ['b'], b: ['a'], c: ['a'] }, ['a b']],
    ['two that share a file', { a: ['b'], b: ['a', 'c'], c: ['b'] }, ['a b c']],
    ['two apart', { a: ['b'], b: ['a'], c: ['d'], d: ['c'] }, ['a b', 'c d']],
  ])('finds %s', (_, graph, circles) => {
    expect(circlesOf(new Map(Object.entries(graph)))).toEqual(circles);
  });

  test('follows imports of every kind', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from '../b/b.ts';",
      "export {\n  type C,\n} from './c.ts';",
      "import './d.ts';",
      "const e = await import('./e.ts');",
      "import { z } from 'zod';",
    ].join('\n');
    expect(importsOf('x/y.ts', text)).toEqual(['x/a.ts', 'b/b.ts', 'x/c.ts', 'x/d.ts', 'x/e.ts']);
  });
});

/** The room of a file in its folder; for a file beside the rooms, its own name. */
function roomOf(folder: string, file: string): string {
  return file.slice(folder.length + 1).split('/')[0] ?? '';
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

/** A variable of a module that may change, a collection that begins empty, or a cache. */
const HOLDS =
  /^(?:export )?(?:let |const \w+(?:: [^=]+)? = (?:new (?:(?:Weak)?(?:Map|Set)(?:<.*>)?\(\);|LRUCache<)|\[\];))/mu;

function withoutTypes(text: string): string {
  return text.replaceAll(/^import type [^;]*;/gmu, '');
}

function linesOf(text: string): number {
  return text.trimEnd().split('\n').length;
}

function groupedByName(files: string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const file of files) groups.set(basename(file), [...(groups.get(basename(file)) ?? []), file]);
  return groups;
}

function filesWith(pattern: RegExp): string[] {
  return [...sources].filter(([, text]) => pattern.test(text)).map(([file]) => file);
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+\.ts)'/gu)].map(([, target = '']) =>
    normalize(join(dirname(file), target)),
  );
}

/** Files that lead to each other, a group in a line. */
function circlesOf(imports: Map<string, string[]>): string[] {
  const reached = new Map([...imports.keys()].map((file) => [file, reachableFrom(imports, file)]));
  const groups = [...imports.keys()].map((file) =>
    [...imports.keys()].filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file)),
  );
  return [...new Set(groups.filter((group) => group.length > 0).map((group) => group.join(' ')))];
}

function reachableFrom(imports: Map<string, string[]>, file: string): Set<string> {
  const found = new Set<string>();
  const open = [...(imports.get(file) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(imports.get(next) ?? []));
  }
  return found;
}
