import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, normalize, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statelessModules } from '../../worker/stateless-modules.ts';

/** Rules of the whole tree that no linter knows. */

const root = resolve(import.meta.dirname, '../..');
const folders = [
  'agent',
  'workflows',
  'activities',
  'history',
  'models',
  'tools',
  'config',
  'worker',
  'server',
  'client',
  'embedded',
  'cli',
  'testing',
];
const sources = new Map(
  [...folders.flatMap(filesIn), 'index.ts', 'testing.ts'].map((file) => [
    file,
    readFileSync(join(root, file), 'utf8'),
  ]),
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
  ['overrides.ts', 'what a start may override, and the check of it'],
  ['options.ts', 'the options of definitions, and of commands'],
  ['task-queue.ts', 'who serves a queue, and the queue of a config'],
]);

/** Named after the commands that users type. */
const COMMANDS = 'cli/commands/';

describe('the sources', () => {
  test('name the attributes of Temporal events where facts are made of them', () => {
    expect(filesWith(/\w+EventAttributes\b/u)).toEqual(['history/cost-facts.ts', 'history/facts.ts']);
  });

  test("reach into the SDK's internals in one file", () => {
    expect(filesWith(/internal-non-workflow/u)).toEqual(['history/payloads.ts']);
  });

  test('have no circle of imports, not even of types', () => {
    const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]));
    expect(circlesOf(imports)).toEqual([]);
  });

  test('are shared by the runs of a worker where they hold nothing of one', () => {
    const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, withoutTypes(text))]));
    const listed = statelessModules('.ts').map((path) => relative(root, path));
    const shared = new Set(listed.flatMap((file) => [file, ...reachableFrom(imports, file)]));
    const holding = [...sources].filter(([, text]) => HOLDS.test(text)).map(([file]) => file);
    expect(holding).toEqual(expect.arrayContaining(['workflows/agents.ts', 'workflows/call-header.ts']));
    expect(holding.filter((file) => shared.has(file))).toEqual([]);
    expect(shared.size).toBeGreaterThan(listed.length);
  });

  test('have names that tell which file is meant', () => {
    const files = [...sources.keys()].filter((file) => !file.startsWith(COMMANDS));
    const shared = [...groupedByName(files)].filter(([, group]) => group.length > 1);
    const unexplained = shared.filter(([name]) => !SHARED_NAMES.has(name));
    expect(unexplained.map(([, group]) => group.join(' '))).toEqual([]);
    expect(shared.map(([name]) => name).toSorted()).toEqual([...SHARED_NAMES.keys()].toSorted());
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

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

/** A variable of a module that may change, or a collection that begins empty. */
const HOLDS =
  /^(?:export )?(?:let |const \w+(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<[^;]*>)?\(\)|\[\]);)/mu;

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
