import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decisionNames } from '../../../agent/rules/decisions.ts';
import { exitCodes } from '../../../cli/shell/io.ts';
import * as client from '../../../client/index.ts';
import { root } from '../../support/cli.ts';
import { pages, referencePages, textOf } from '../../support/doc-pages.ts';
import { referencePagesNow } from '../../support/reference.ts';
import { reportFrom } from '../../support/report.ts';

/** The page on the client library leaves nothing out. */
const page = textOf('docs/client.md');

test.each([client.AgentClient, client.AgentRun, client.AgentSession])(
  'it has every method of %o',
  ({ prototype, name }) => {
    const methods = Object.getOwnPropertyNames(prototype).filter((method) => method !== 'constructor');
    expect(methods.length).toBeGreaterThan(2);
    expect(methods.filter((method) => !page.includes(`\`${method}(`))).toEqual([]);
    expect(name).toMatch(/^Agent/u);
  },
);

test('it has every event, with its fields', () => {
  const source = readFileSync(join(root, 'agent/run/events.ts'), 'utf8');
  const union = source.slice(
    source.indexOf('export type RunEvent'),
    source.indexOf('export type TimelessEvent'),
  );
  const events = [...union.matchAll(/\{\s*type: '(\w+)';?([^}]*)\}/gu)];
  expect(events.length).toBeGreaterThan(15);
  for (const [, type = '', fields = ''] of events) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${type}\``)) ?? `no row for ${type}`;
    const names = [...fields.matchAll(/(\w+)\??:/gu)].map(([, field]) => `\`${field}\``);
    expect(names.filter((field) => !row.includes(field))).toEqual([]);
    expect(row).toContain(type);
  }
});

test('it has every decision and every error', () => {
  const names = Object.entries<unknown>(client).flatMap(([name, value]) =>
    typeof value === 'function' && value.prototype instanceof Error ? [`\`${name}\``] : [],
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
  expect(decisionNames.filter((name) => !page.includes(`type: '${name}'`))).toEqual([]);
});

test('the page on --json has every field of a run', () => {
  const json = textOf('docs/json.md');
  expect(Object.keys(reportFrom('')).filter((field) => !json.includes(`\`${field}\``))).toEqual([]);
});

const { arrows } = (await import(join(root, '.ci/arrows.mjs'))) as { arrows: object };

/** Names that never leave the process that throws them, and why. */
const INTERNAL = new Map([
  ['AttemptEnd', 'carries the failure of an attempt to the runner'],
  ['ComputationTimeout', 'the calculator makes a ToolError of it'],
  ['CancelledFailure', "the SDK's own, checked by name"],
  ['ModelError', 'its type is the name that people see'],
  ['NotInline', 'ends an inline attempt, which becomes an activity'],
  ['PythonEnded', 'the Python tool makes a ToolError of it'],
  ['StillRunning', 'becomes InDoubt'],
]);

/** The ways in which the sources name an error. */
const NAMING = [
  /\btype: '([A-Z]\w*[a-z]\w*)'/gu, // not the names of AG-UI's events
  /\b(?:override|readonly) name = '([A-Z]\w+)'/gu,
  /\b\w+\(\s*'([A-Z][a-z]+[A-Z]\w+)',/gu,
  /\berrorOf\('([A-Z]\w+)'/gu,
  /^\s+\| '((?:Model|Tool)[A-Z]\w+)'/gmu,
];

describe('the page on errors', () => {
  const page = textOf('docs/errors.md');
  const rows = page.split('\n').flatMap((line) => /^\| ([^|]+) \|/u.exec(line)?.slice(1) ?? []);
  const listed = new Set(
    rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/gu)].map(([, name = '']) => name)),
  );
  const named = namesInSources();

  test('has a row for each name that the sources give to an error', () => {
    expect(named.size).toBeGreaterThan(60);
    expect([...named].filter((name) => !listed.has(name) && !INTERNAL.has(name))).toEqual([]);
  });

  test('has no row for a name that nothing has', () => {
    const stale = [...listed].filter((name) => /^[A-Z]/u.test(name) && !named.has(name));
    expect(stale).toEqual([]);
    expect([...INTERNAL.keys()].filter((name) => !named.has(name))).toEqual([]);
  });

  test('has a row for each exit code', () => {
    const codes = Object.values(exitCodes).map(String);
    expect(codes.filter((code) => !rows.map((cell) => cell.trim()).includes(code))).toEqual([]);
  });
});

function namesInSources(): Set<string> {
  const texts = Object.keys(arrows).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(root, folder, file), 'utf8')),
  );
  const all = texts.join('\n');
  const literal = NAMING.flatMap((pattern) => [...all.matchAll(pattern)].map(([, name = '']) => name));
  const constants = [...all.matchAll(/\btype: ([A-Z][A-Z_]+)\b/gu)].flatMap(
    ([, constant]) => new RegExp(`const ${constant} = '([A-Z]\\w+)'`, 'u').exec(all)?.slice(1) ?? [],
  );
  return new Set([...literal, ...constants]);
}

/** Nobody is sent to a page, a heading or a picture that is not there. */
const everyPage = [...pages, ...referencePages];

test.each(everyPage)('every link of %s leads somewhere', (page) => {
  const broken = linksOf(page).filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

test('every page of docs/ is reached from README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) for (const target of targetsOf(page)) reached.add(target);
  expect(everyPage.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
});

test('a file of the sources that a page on the inside names is there', () => {
  const files = Object.keys(arrows).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  const named = [
    ...pages.filter((page) => page.startsWith('docs/internals/')),
    'docs/architecture.md',
  ].flatMap((page) =>
    [...textOf(page).matchAll(/`([\w./-]+\.ts)`/gu)].map(([, name = '']) => ({ page, name })),
  );
  expect(named.length).toBeGreaterThan(20);
  const isThere = (name: string) =>
    existsSync(join(root, name)) || files.some((file) => file.endsWith(`/${name}`));
  expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
});

test('a link to a heading that is not there would be found', () => {
  expect(leadsSomewhere('README.md', 'docs/tools.md#effects')).toBe(true);
  expect(leadsSomewhere('README.md', 'docs/tools.md#no-such-heading')).toBe(false);
  expect(leadsSomewhere('README.md', 'docs/no-such-page.md')).toBe(false);
});

function leadsSomewhere(page: string, link: string): boolean {
  if (/^(?:https?|mailto):/u.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, join(root, dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

function targetsOf(page: string): string[] {
  return linksOf(page)
    .filter((link) => !/^\w+:/u.test(link))
    .map((link) => relative(root, join(root, dirname(page), link.split('#')[0] ?? '')))
    .filter((target) => target.endsWith('.md') && existsSync(join(root, target)));
}

/** Targets of the page's Markdown links and pictures. Links in code are left out. */
function linksOf(page: string): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/gu)].map(([, link = '']) => link);
}

/** As GitHub makes them: small letters, blanks as hyphens, no other signs; the second of a name has `-1`. */
function anchorsOf(target: string): string[] {
  if (!statSync(join(root, target)).isFile()) return [];
  const headings = [...proseOf(target, false).matchAll(/^#{1,6} (.+)$/gmu)].map(([, text = '']) => text);
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function proseOf(page: string, withoutCode = true): string {
  const text = textOf(page).replaceAll(/^ {0,3}```[^]*?^ {0,3}```$/gmu, '');
  return withoutCode ? text.replaceAll(/`[^`\n]*`/gu, '') : text;
}

/** Words that only we know, and what a reader knows. Code and what commands print are left out. */
const UNKNOWN: readonly [RegExp, string][] = [
  [/\bseeds?\b/iu, 'the example itself'],
  [/\bpark(?:s|ed|ing)?\b/iu, 'wait(s) for a person'],
  [/\bfast settings\b/iu, 'say which settings'],
  [/\bnone paid twice\b/iu, 'no model call is made twice'],
  [/\bchildWaiting\b|\bresolveAgent\b/u, 'these are inside'],
  [/\blineage\b/iu, 'the run and those that took its place'],
];

/** Pages for people who change Reloop. */
const isInside = (page: string) =>
  ['docs/architecture.md', 'CONTRIBUTING.md'].includes(page) || page.startsWith('docs/internals/');

describe('the pages speak words that a stranger knows', () => {
  test.each(pages.filter((page) => !isInside(page)))('%s', (page) => {
    const prose = textOf(page)
      .replaceAll(/^ {0,3}```[^]*?^ {0,3}```$/gmu, '')
      .replaceAll(/`[^`\n]*`/gu, '');
    expect(unknownIn(prose)).toEqual([]);
  });

  test('the search finds each refused word', () => {
    const text = 'Seed 003 parks. It has fast settings: none paid twice. A lineage. childWaiting';
    expect(unknownIn(text)).toHaveLength(UNKNOWN.length);
  });
});

test('the number of an example stands in its head and nowhere else', () => {
  const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'));
  const others = examples
    .map((name) => `examples/${name}`)
    .filter((file) => (readFileSync(join(root, file), 'utf8').match(/\bseeds?\b/giu) ?? []).length > 1);
  expect(others).toEqual([]);
  expect(readFileSync(join(root, 'examples/reloop.config.ts'), 'utf8')).not.toMatch(/\bseed/iu);
});

function unknownIn(text: string): string[] {
  return UNKNOWN.flatMap(([pattern, instead]) => {
    const [word] = pattern.exec(text) ?? [];
    return word === undefined ? [] : [`"${word}": ${instead}`];
  });
}

const written = [...referencePagesNow()];

test.each(written)(
  'the reference page %s says what the types say now: `npm run docs:reference` writes it',
  (name, text) => {
    const file = join(root, 'docs/reference', name);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : 'missing').toBe(text);
  },
);

test.each(['reloop', 'reloop/client', 'reloop/workflows', 'reloop/testing', 'reloop/evals'])(
  'the reference has everything that a program can import of %s',
  async (entry) => {
    const all = (await import(entry)) as object; // the package by its own name
    const [, text = ''] = written.find(([name]) => name === `${entry.split('/').at(-1)}.md`) ?? [];
    // zod's own, passed on.
    const names = Object.keys(all).filter((name) => name !== 'z');
    expect(names.filter((name) => !text.includes(`\n### ${name}\n`))).toEqual([]);
  },
);

const read = (path: string) => readFileSync(join(root, path), 'utf8');

test.each([
  ['docs/testing.md', 'support.ts', 'examples/testing/support.ts'],
  ['docs/testing.md', 'agent.test.ts', 'examples/testing/agent.test.ts'],
  ['docs/scripts.md', 'run-here.ts', 'examples/run-here.ts'],
])('%s shows %s as it runs', (page, name, file) => {
  expect(read(page)).toContain(`\`\`\`ts\n// ${name}\n${read(file)}\`\`\`\n`);
});
