import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

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
  'cli',
];
const sources = new Map(
  [...folders.flatMap(filesIn), 'index.ts', 'testing.ts'].map((file) => [
    file,
    readFileSync(join(root, file), 'utf8'),
  ]),
);

/** Circles that are there; whoever takes one out takes its line out. */
const KNOWN_CIRCLES = [
  'agent/calls.ts agent/events.ts agent/observations.ts agent/reply/repeats.ts',
  'models/openai/call.ts models/openai/openai.ts',
  'config/agent-manifest.ts config/loaded-config.ts',
  'client/agent-client.ts client/batch.ts',
];

describe('the sources', () => {
  test('name the attributes of Temporal events in one file', () => {
    expect(filesWith(/\w+EventAttributes\b/u)).toEqual(['history/facts.ts']);
  });

  test("reach into the SDK's internals in one file", () => {
    expect(filesWith(/internal-non-workflow/u)).toEqual(['history/payloads.ts']);
  });

  test('have no new circle of imports, not even of types', () => {
    const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]));
    expect(circlesOf(imports).filter((circle) => !KNOWN_CIRCLES.includes(circle))).toEqual([]);
  });

  test('are files of at most 300 lines', () => {
    const long = [...sources].filter(([, text]) => text.trimEnd().split('\n').length > 300);
    expect(long.map(([file]) => file)).toEqual([]);
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
