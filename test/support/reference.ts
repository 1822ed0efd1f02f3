import { join } from 'node:path';
import { root } from './cli.ts';
import { type Declaration, exportsOf, usedIn } from './declarations.ts';

/** Pages of the reference, made of the package's declaration files (`dist`, so build first). */
const ENTRIES = [
  ['reloop', 'index.d.ts', 'For config modules, and for workers of your own.'],
  ['client', 'client/index.d.ts', 'The client library: start runs, follow them, decide.'],
  ['gateway', 'gateway/index.d.ts', 'For an HTTP API.'],
  ['workflows', 'workflows/index.d.ts', 'For workflows of your own.'],
  ['testing', 'features/testing/index.d.ts', 'For tests.'],
  ['evals', 'features/evals/index.d.ts', "Checks for the config's `evals`."],
] as const;

/** File names under docs/reference/, and what they hold. */
export function referencePagesNow(): Map<string, string> {
  return new Map(ENTRIES.map(([name, file, about]) => [`${name}.md`, pageOf(name, file, about)]));
}

function pageOf(name: string, file: string, about: string): string {
  const entry = name === 'reloop' ? 'reloop' : `reloop/${name}`;
  const exported = exportsOf(join(root, 'dist', file)).toSorted(byName);
  const values = exported.filter(({ kind }) => kind === 'value');
  const types = exported.filter(({ kind }) => kind === 'type');
  const elsewhere = exportedElsewhere(name);
  const within = usedBy(exported, new Set(elsewhere.keys())).toSorted(byName);
  return [
    `# Reference: \`${entry}\``,
    `${about} Written by \`npm run docs:reference\` from the package's types; the pages that explain them are [here](../README.md).`,
    ...section('Functions and classes', values),
    ...section('Types', types),
    ...section('Types that these are made of, not exported', within),
    ...linksTo(elsewhere, [...exported, ...within]),
    '',
  ].join('\n\n');
}

function section(title: string, declarations: readonly Declaration[]): string[] {
  if (declarations.length === 0) return [];
  return [
    `## ${title}`,
    ...declarations.flatMap(({ name, said, code }) => [
      `### ${name}`,
      ...(said === '' ? [] : [said]),
      `\`\`\`ts\n${code}\n\`\`\``,
    ]),
  ];
}

/** What the pages before this one have, and where. */
function exportedElsewhere(page: string): Map<string, string> {
  const before = ENTRIES.slice(
    0,
    ENTRIES.findIndex(([name]) => name === page),
  );
  return new Map(
    before.flatMap(([name, file]) =>
      exportsOf(join(root, 'dist', file)).map((declaration) => [declaration.name, `${name}.md`] as const),
    ),
  );
}

function linksTo(elsewhere: ReadonlyMap<string, string>, shown: readonly Declaration[]): string[] {
  const own = new Set(shown.map(({ name }) => name));
  const used = shown.flatMap(({ code }) => [...code.matchAll(/\b[A-Z]\w+\b/gu)].map(([name]) => name));
  const links = [...new Set(used)]
    .filter((name) => elsewhere.has(name) && !own.has(name))
    .toSorted()
    .map((name) => `[${name}](${elsewhere.get(name) ?? ''}#${name.toLowerCase()})`);
  return links.length === 0 ? [] : ['## Elsewhere', links.join(', ')];
}

/** Interfaces and types that are named in these, and in those, that nobody can import. */
function usedBy(exported: readonly Declaration[], elsewhere: ReadonlySet<string>): Declaration[] {
  const known = new Set([...elsewhere, ...exported.map(({ name }) => name)]);
  const found: Declaration[] = [];
  const open = [...exported];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const [name] of next.code.replaceAll(/\/\*[^]*?\*\//gu, '').matchAll(/\b[A-Z]\w+\b/gu)) {
      if (known.has(name)) continue;
      const declaration = usedIn(next.file, name);
      if (declaration?.kind !== 'type') continue;
      known.add(name);
      found.push(declaration);
      open.push(declaration);
    }
  }
  return found;
}

function byName({ name: a }: Declaration, { name: b }: Declaration): number {
  return a.localeCompare(b, 'en');
}
