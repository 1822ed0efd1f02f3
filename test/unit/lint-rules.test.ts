import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tempFolder } from '../support/temp-folder.ts';

/** What a folder may and may not import; `type x` stands for an `import type` of x. */
const imports: { folder: string; allowed: string[]; refused: string[] }[] = [
  {
    folder: 'agent',
    allowed: list(`./status.ts, ./kinds/zero-shot.ts, type ./limits.ts`),
    refused:
      list(`node:crypto, type node:fs, zod, reloop, @temporalio/common, type @temporalio/common, ../models/model.ts,
      type ../tools/tool.ts, ../workflows/messages.ts, ../activities/a.ts, ../history/a.ts, ../config/a.ts,
      ../worker/a.ts, ../server/a.ts, ../client/a.ts, ../cli/a.ts, ../test/support/a.ts, ../index.ts, ../testing.ts`),
  },
  {
    folder: 'agent/kinds',
    allowed: list(`../reply/stop.ts, ./zero-shot.ts, type ../vocabulary.ts`),
    refused: list(`../../models/model.ts, type ../../tools/tool.ts, ../../index.ts`),
  },
  {
    folder: 'agent/values',
    allowed: list(`./values.ts, ../text/sanitize.ts`),
    refused: list(`../rules/a.ts, type ../run/events.ts`),
  },
  {
    folder: 'workflows/operator',
    allowed: list(`../messages.ts, ../temporal/a.ts, ../../agent/a.ts, type ../../activities/index.ts`),
    refused: list(`../call/a.ts, type ../loop/a.ts, ../../activities/index.ts`),
  },
  {
    folder: 'workflows',
    allowed: list(`./messages.ts, ../agent/status.ts, type ../agent/limits.ts, type ../activities/index.ts,
      @temporalio/workflow, type @temporalio/common`),
    refused:
      list(`node:crypto, type node:fs, zod, @temporalio/common, @temporalio/client, @temporalio/activity,
      type @temporalio/worker, @temporalio/workflow/lib/global-attributes.js, ../activities/index.ts,
      ../models/model.ts, type ../models/model.ts, ../tools/tool.ts, type ../tools/tool.ts, ../worker/a.ts,
      ../history/a.ts, type ../history/a.ts, type ../client/a.ts, ../index.ts`),
  },
  {
    folder: 'history',
    allowed:
      list(`node:fs, ./a.ts, ../agent/status.ts, ../workflows/messages.ts, type ../workflows/agent-run.ts,
      @temporalio/client, @temporalio/common, type @temporalio/proto`),
    refused:
      list(`../workflows/agent-run.ts, ../activities/a.ts, ../models/model.ts, ../tools/tool.ts, ../config/a.ts,
      ../worker/a.ts, ../client/a.ts, type ../client/a.ts, @temporalio/worker, @temporalio/activity, @temporalio/proto,
      @temporalio/common/lib/internal-non-workflow/index.js, ../index.ts`),
  },
  {
    folder: 'activities',
    allowed: list(`node:fs, lru-cache, ./a.ts, ../agent/status.ts, ../history/facts.ts, ../models/model.ts,
      type ../tools/tool.ts, @temporalio/activity, @temporalio/client, type @temporalio/proto, @temporalio/common`),
    refused: list(`../models/openai/openai.ts, type ../models/openai/openai.ts, ../tools/python/python.ts,
      type ../tools/python/python.ts, @temporalio/worker, @temporalio/workflow, @temporalio/proto,
      @temporalio/common/lib/internal-non-workflow/index.js, ../workflows/messages.ts, type ../workflows/agent-run.ts,
      ../config/a.ts, ../worker/a.ts, ../client/a.ts, reloop, ../index.ts`),
  },
  {
    folder: 'models',
    allowed: list(`node:http, openai, ./model.ts, type ../agent/calls/calls.ts, ../agent/values/values.ts,
      ../agent/text/secrets.ts, ../agent/reply/stop.ts`),
    refused:
      list(`../agent/calls/calls.ts, @temporalio/common, type @temporalio/activity, ../tools/tool.ts, type ../tools/tool.ts,
      ../workflows/messages.ts, ../activities/a.ts, ../config/a.ts, ../worker/a.ts`),
  },
  {
    folder: 'tools',
    allowed:
      list(`node:child_process, mathjs, ./tool.ts, type ../agent/calls/calls.ts, ../agent/values/values.ts,
      ../agent/text/secrets.ts`),
    refused:
      list(`../agent/calls/calls.ts, ../agent/reply/stop.ts, @temporalio/activity, type @temporalio/client, ../models/model.ts,
      type ../models/model.ts, type ../workflows/agent-run.ts, ../activities/a.ts, ../config/a.ts, ../client/a.ts`),
  },
  {
    folder: 'config',
    allowed: list(`node:fs, zod, ../agent/status.ts, ../models/openai/openai.ts, ../tools/python/python.ts,
      ../server/project-folder.ts`),
    refused:
      list(`../activities/a.ts, type ../activities/a.ts, ../workflows/messages.ts, ../history/a.ts, ../worker/a.ts,
      ../client/a.ts, ../server/a.ts, @temporalio/worker, @temporalio/client, ../index.ts`),
  },
  {
    folder: 'worker',
    allowed: list(`node:fs, ../agent/status.ts, ../config/load.ts, ../activities/a.ts, @temporalio/worker,
      @temporalio/client, @temporalio/proto, ../workflows/messages.ts, type ../workflows/agent-run.ts,
      ../server/process-identity.ts`),
    refused:
      list(`../workflows/agent-run.ts, ../client/a.ts, type ../client/a.ts, ../cli/a.ts, ../server/a.ts,
      ../test/a.ts, ../index.ts`),
  },
  {
    folder: 'server',
    allowed: list(`node:fs, ./a.ts, @temporalio/testing`),
    refused:
      list(`../agent/status.ts, type ../agent/limits.ts, ../config/a.ts, ../worker/a.ts, ../client/a.ts, ../cli/a.ts,
      ../index.ts`),
  },
  {
    folder: 'client',
    allowed:
      list(`node:fs, string-width, ./run.ts, ../agent/events.ts, ../history/trace.ts, ../workflows/messages.ts,
      type ../workflows/agent-run.ts, @temporalio/client, @temporalio/common, @temporalio/envconfig,
      type @temporalio/proto, ../server/project-folder.ts`),
    refused: list(`../workflows/agent-run.ts, ../activities/a.ts, type ../activities/a.ts, ../models/model.ts,
      ../tools/tool.ts, ../config/a.ts, ../worker/a.ts, type ../worker/a.ts, ../server/a.ts, ../embedded/a.ts, ../cli/main.ts,
      @temporalio/worker, @temporalio/workflow, @temporalio/proto, ../index.ts`),
  },
  {
    folder: 'cli',
    allowed: list(`commander, ./output.ts, ../client/index.ts, ../worker/create-worker.ts, ../config/load.ts,
      ../server/server.ts, ../embedded/a.ts, ../history/live.ts, ../agent/events.ts, ../workflows/messages.ts,
      type ../workflows/agent-run.ts`),
    refused:
      list(`../workflows/agent-run.ts, ../activities/a.ts, ../models/openai/openai.ts, ../tools/tool.ts,
      @temporalio/worker, ../test/a.ts`),
  },
  {
    folder: 'embedded',
    allowed:
      list(`node:fs, ../agent/events.ts, ../config/load.ts, ../worker/run-worker.ts, ../server/server.ts,
      ../client/connect.ts, @temporalio/client`),
    refused:
      list(`../workflows/messages.ts, ../activities/a.ts, ../history/a.ts, type ../models/model.ts, ../tools/tool.ts,
      ../cli/a.ts, ../testing/a.ts, @temporalio/worker, ../index.ts`),
  },
  {
    folder: 'testing',
    allowed: list(`node:fs, ../agent/events.ts, ../config/check.ts, ../activities/model/read-decision.ts,
      ../client/run-export.ts, ../embedded/test-server.ts, ../models/scripted/scripted.ts, type ../tools/tool.ts`),
    refused:
      list(`../activities/call-model.ts, ../history/trace.ts, ../worker/a.ts, ../server/a.ts, ../cli/a.ts,
      @temporalio/client, ../testing.ts`),
  },
];

/** Ways round the import rules, then the rules of the code itself. */
const snippets: { folder: string; code: string; refused: string }[] = [
  { folder: 'agent', code: "export * from '../models/model.ts';", refused: 'no-restricted-imports' },
  {
    folder: 'agent',
    code: "export const a = () => import('../tools/a.ts');",
    refused: 'no-restricted-imports',
  },
  { folder: 'agent', code: "import '../worker/a.ts';", refused: 'no-restricted-imports' },
  { folder: 'agent', code: "export type A = import('../tools/a.ts').A;", refused: 'consistent-type-imports' },
  {
    folder: 'workflows',
    code: "import { type A } from '../activities/a.ts'; export type { A };",
    refused: 'no-import-type-side-effects',
  },
  { folder: 'workflows', code: 'export const a: unknown = globalThis;', refused: 'no-restricted-globals' },
  { folder: 'workflows', code: 'export const a = new WeakRef({});', refused: 'no-restricted-globals' },
  ...['process', 'Buffer', 'fetch', 'require', 'performance'].flatMap((name) =>
    ['agent', 'workflows'].map((folder) => ({
      folder,
      code: `export const a: unknown = ${name};`,
      refused: 'no-undef',
    })),
  ),
  { folder: 'agent', code: 'setTimeout(() => undefined, 1);', refused: 'no-undef' },
  { folder: 'agent', code: 'export const a = Date.now();', refused: 'no-restricted-properties' },
  { folder: 'agent', code: 'export const a = Math.random();', refused: 'no-restricted-properties' },
  { folder: 'worker', code: 'Promise.resolve(1);', refused: 'no-floating-promises' },
  {
    folder: 'worker',
    code: "export function f(a: 'x' | 'y'): void { switch (a) { case 'x': break; } }",
    refused: 'switch-exhaustiveness-check',
  },
  { folder: 'worker', code: 'export const a: any = 1;', refused: 'no-explicit-any' },
  { folder: 'worker', code: "export const f = (): string => JSON.parse('1');", refused: 'no-unsafe-return' },
  {
    folder: 'worker',
    code: 'export const f = (a?: string): string => a!;',
    refused: 'no-non-null-assertion',
  },
  { folder: 'worker', code: '// TODO: finish', refused: 'no-warning-comments' },
  { folder: 'worker', code: 'export const a = 1;' + '\n// more'.repeat(300), refused: 'max-lines' },
  { folder: 'worker', code: "console.log('a');", refused: 'no-console' },
  { folder: 'client', code: 'process.exit(1);', refused: 'no-process-exit' },
  {
    folder: 'test',
    code: "import { expect, test } from 'vitest'; test.only('a', () => expect(1).toBe(1));",
    refused: 'no-focused-tests',
  },
];

/** What the rules must leave alone. */
const clean: { folder: string; code: string }[] = [
  { folder: 'workflows', code: "export { defineSearchAttributeKey } from '@temporalio/common';" },
  { folder: 'workflows', code: 'export const a = Date.now() + Math.random();' },
  { folder: 'workflows', code: 'setTimeout(() => undefined, 1);' },
  {
    folder: 'tools',
    code: "export const a = [process.pid, Buffer.from('a'), setTimeout(() => undefined, 1)];",
  },
  { folder: 'cli', code: "console.log('a'); process.exit(1);" },
  {
    folder: 'test',
    code: "export { v } from '../models/openai/openai.ts'; export { w } from '@temporalio/worker';",
  },
];

const tree = tempFolder();
let refusals: (folder: string, code: string) => string[];

// One run of the linter over a tree that holds every case: starting it is what takes the time.
beforeAll(async () => {
  const cases = [
    ...imports.flatMap(({ folder, allowed, refused }) =>
      [...allowed, ...refused].map((specifier) => ({ folder, code: importOf(specifier) })),
    ),
    ...snippets,
    ...clean,
  ].map(({ folder, code }, index) => ({
    file: `${folder}/case-${index}.ts`,
    key: `${folder}: ${code}`,
    code,
  }));
  plant(cases);
  const found = await lint();
  const files = new Map(cases.map(({ key, file }) => [key, file]));
  refusals = (folder, code) =>
    found.filter(({ file }) => file === files.get(`${folder}: ${code}`)).map(({ rule }) => rule);
}, 60_000);

describe('imports', () => {
  test.each(imports)('$folder imports what the layout allows it and nothing else', ({ folder, ...cases }) => {
    const all = [...cases.allowed, ...cases.refused];
    const spokenAgainst = all.filter((specifier) => refusals(folder, importOf(specifier)).length > 0);
    expect(spokenAgainst).toEqual(cases.refused);
  });
});

describe('code', () => {
  test.each(snippets)('$refused speaks in $folder against $code', ({ folder, code, refused }) => {
    expect(refusals(folder, code)).toContain(refused);
  });

  test.each(clean)('no rule speaks in $folder against $code', ({ folder, code }) => {
    expect(refusals(folder, code)).toEqual([]);
  });
});

function list(text: string): string[] {
  return text.split(/,\s+/);
}

function importOf(specifier: string): string {
  return specifier.startsWith('type ')
    ? `import type { T } from '${specifier.slice('type '.length)}'; export type { T };`
    : `import { v } from '${specifier}'; export { v };`;
}

function plant(cases: { file: string; code: string }[]): void {
  const project = resolve(import.meta.dirname, '../..');
  for (const name of ['oxlint.config.mjs', 'arrows.mjs', 'tsconfig.json'])
    copyFileSync(join(project, name), join(tree, name));
  symlinkSync(join(project, 'node_modules'), join(tree, 'node_modules'));
  for (const { file, code } of cases) {
    mkdirSync(join(tree, dirname(file)), { recursive: true });
    writeFileSync(join(tree, file), `${code}\n`);
  }
}

const report = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) });

async function lint(): Promise<{ file: string; rule: string }[]> {
  const folders = [...new Set([...imports, ...snippets].map(({ folder }) => folder.split('/')[0] ?? ''))];
  // Its exit code is 1 whenever a rule speaks, as most do here.
  const { stdout } = await execa(
    'node_modules/.bin/oxlint',
    ['-c', 'oxlint.config.mjs', '--format', 'json', ...folders],
    { cwd: tree, reject: false },
  );
  return report
    .parse(JSON.parse(stdout))
    .diagnostics.map(({ code, filename }) => ({ file: filename, rule: /\((.*)\)/.exec(code)?.[1] ?? code }));
}
