import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { pages, textOf } from '../support/doc-pages.ts';

/** Words that only we know, and what a reader knows. Code and what commands print are left out. */
const UNKNOWN: readonly [RegExp, string][] = [
  [/\bseeds?\b/iu, 'the example itself'],
  [/\bpark(?:s|ed|ing)?\b/iu, 'wait(s) for a person'],
  [/\bfast settings\b/iu, 'say which settings'],
  [/\bnone paid twice\b/iu, 'no model call is made twice'],
  [/\bchildWaiting\b|\bresolveAgent\b/u, 'these are inside'],
  [/\blineage\b/iu, 'the run and those that took its place'],
];

/** What only those meet who change Reloop. */
const INSIDE = ['docs/architecture.md', 'CONTRIBUTING.md'];

describe('the pages speak words that a stranger knows', () => {
  test.each(pages.filter((page) => !INSIDE.includes(page)))('%s', (page) => {
    const prose = textOf(page)
      .replaceAll(/^ {0,3}```[^]*?^ {0,3}```$/gmu, '')
      .replaceAll(/`[^`\n]*`/gu, '');
    expect(unknownIn(prose, page === 'CHANGELOG.md' ? ['the example itself'] : [])).toEqual([]);
  });

  test('and each of these words would be found', () => {
    const text = 'Seed 003 parks. It has fast settings: none paid twice. A lineage. childWaiting';
    expect(unknownIn(text)).toHaveLength(UNKNOWN.length);
  });
});

test('the number of an example stands in its head and nowhere else', () => {
  const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
  const others = ['reloop.config.ts', ...examples.map((name) => `examples/${name}`)].filter(
    (file) => (readFileSync(join(root, file), 'utf8').match(/\bseeds?\b/giu) ?? []).length > 1,
  );
  expect(others).toEqual([]);
  expect(readFileSync(join(root, 'reloop.config.ts'), 'utf8')).not.toMatch(/\bseed/iu);
});

function unknownIn(text: string, allowed: readonly string[] = []): string[] {
  return UNKNOWN.filter(([, instead]) => !allowed.includes(instead)).flatMap(([pattern, instead]) => {
    const [word] = pattern.exec(text) ?? [];
    return word === undefined ? [] : [`"${word}": ${instead}`];
  });
}
