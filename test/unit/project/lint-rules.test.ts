import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tempFolder } from '../../support/temp-folder.ts';

/** The imports that a folder may have, then those that it may not; `type x` stands for an `import type` of x. */
const layout: { [folder: string]: [allowed: string, refused: string] } = {
  agent: [
    `./status.ts, ./kinds/zero-shot.ts, type ./limits.ts`,
    `node:crypto, type node:fs, zod, reloop, @temporalio/common, type @temporalio/common,
      ../adapters/models/model.ts, type ../adapters/tools/tool.ts, ../workflows/messages.ts, ../activities/a.ts,
      ../history/a.ts, ../config/a.ts, ../worker/a.ts, ../local/server/a.ts, ../client/a.ts, ../cli/a.ts,
      ../test/support/a.ts, ../bench/a.ts, ../index.ts, ../features/testing/index.ts`,
  ],
  'features/recovery/worker': [
    `node:fs, ../../../agent/values/values.ts, ../../../local/server/json-file.ts, type @temporalio/worker`,
    `../../../worker/a.ts, ../../../config/a.ts, ../../../activities/a.ts, ../../../local/server/server.ts, @temporalio/client`,
  ],
  'features/schedules/rules': [
    `./cron.ts, ../../../agent/values/values.ts, type ../../../agent/start/run-start.ts`,
    `node:fs, zod, ../option/a.ts, type ../client/a.ts, ../../../config/define.ts, ../../../client/a.ts,
      @temporalio/client`,
  ],
  'features/schedules/option': [
    `zod, ../rules/cron.ts, ../../../config/define.ts, ../../../agent/values/values.ts`,
    `../client/a.ts, type ../command/a.ts, ../../../client/a.ts, ../../../worker/a.ts, @temporalio/client`,
  ],
  'features/schedules/client': [
    `node:util, ../rules/cron.ts, ../../../client/connect/a.ts, ../../../workflows/messages.ts,
      type ../../../workflows/agent-run.ts, @temporalio/client`,
    `../command/a.ts, ../../../cli/a.ts, ../../../config/a.ts, ../../../worker/a.ts, ../../live/a.ts,
      ../../../workflows/agent-run.ts, @temporalio/worker`,
  ],
  'features/schedules/command': [
    `commander, ../rules/cron.ts, ../client/a.ts, ../../../client/a.ts, ../../../cli/shell/io.ts, ../../render/words/a.ts`,
    `../../../worker/a.ts, ../../../activities/a.ts, ../../../gateway/a.ts, ../../encryption/a.ts, @temporalio/worker`,
  ],
  'agent/kinds': [
    `../reply/stop.ts, ./zero-shot.ts, type ../vocabulary.ts`,
    `../../adapters/models/model.ts, type ../../adapters/tools/tool.ts, ../../index.ts`,
  ],
  'agent/values': [`./values.ts, ../text/sanitize.ts`, `../rules/a.ts, type ../run/events.ts`],
  'workflows/operator': [
    `../messages.ts, ../temporal/a.ts, ../../agent/a.ts, type ../../activities/index.ts`,
    `../call/a.ts, type ../loop/a.ts, ../../activities/index.ts`,
  ],
  workflows: [
    `./messages.ts, ../agent/status.ts, type ../agent/limits.ts, type ../activities/index.ts,
      @temporalio/workflow, type @temporalio/common`,
    `node:crypto, type node:fs, zod, @temporalio/common, @temporalio/client, @temporalio/activity,
      type @temporalio/worker, @temporalio/workflow/lib/global-attributes.js, ../activities/index.ts,
      ../adapters/models/model.ts, type ../adapters/models/model.ts, ../adapters/tools/tool.ts, type ../adapters/tools/tool.ts,
      ../worker/a.ts, ../history/a.ts, type ../history/a.ts, type ../client/a.ts, ../index.ts`,
  ],
  history: [
    `node:fs, ./a.ts, ../agent/status.ts, ../workflows/messages.ts, type ../workflows/agent-run.ts,
      @temporalio/client, @temporalio/common, type @temporalio/proto`,
    `../workflows/agent-run.ts, ../activities/a.ts, ../adapters/models/model.ts, ../adapters/tools/tool.ts, ../config/a.ts,
      ../worker/a.ts, ../client/a.ts, type ../client/a.ts, @temporalio/worker, @temporalio/activity,
      @temporalio/proto, @temporalio/common/lib/internal-non-workflow/index.js, ../index.ts`,
  ],
  activities: [
    `node:fs, lru-cache, ./a.ts, ../agent/status.ts, ../history/facts.ts, ../adapters/models/model.ts,
      type ../adapters/tools/tool.ts, @temporalio/activity, @temporalio/client, type @temporalio/proto,
      @temporalio/common`,
    `../adapters/models/openai/openai.ts, type ../adapters/models/openai/openai.ts, ../adapters/tools/python/python.ts,
      type ../adapters/tools/python/python.ts, @temporalio/worker, @temporalio/workflow, @temporalio/proto,
      @temporalio/common/lib/internal-non-workflow/index.js, ../workflows/messages.ts,
      type ../workflows/agent-run.ts, ../config/a.ts, ../worker/a.ts, ../client/a.ts, reloop, ../index.ts`,
  ],
  'adapters/models': [
    `node:http, openai, ./model.ts, type ../../agent/calls/calls.ts, ../../agent/values/values.ts,
      ../../agent/text/secrets.ts, ../../agent/reply/stop.ts`,
    `../../agent/calls/calls.ts, @temporalio/common, type @temporalio/activity, ../tools/tool.ts,
      type ../tools/tool.ts, ../../workflows/messages.ts, ../../activities/a.ts, ../../config/a.ts, ../../worker/a.ts`,
  ],
  'adapters/tools': [
    `node:child_process, mathjs, ./tool.ts, type ../../agent/calls/calls.ts, ../../agent/values/values.ts,
      ../../agent/text/secrets.ts`,
    `../../agent/calls/calls.ts, ../../agent/reply/stop.ts, @temporalio/activity, type @temporalio/client,
      ../models/model.ts, type ../models/model.ts, type ../../workflows/agent-run.ts, ../../activities/a.ts,
      ../../config/a.ts, ../../client/a.ts`,
  ],
  config: [
    `node:fs, zod, ../agent/status.ts, ../adapters/models/openai/openai.ts, ../adapters/tools/python/python.ts,
      ../local/server/project-folder.ts`,
    `../activities/a.ts, type ../activities/a.ts, ../workflows/messages.ts, ../history/a.ts,
      ../worker/a.ts, ../client/a.ts, ../local/server/a.ts, @temporalio/worker, @temporalio/client, ../index.ts`,
  ],
  worker: [
    `node:fs, ../agent/status.ts, ../config/load.ts, ../activities/a.ts, @temporalio/worker,
      @temporalio/client, @temporalio/proto, ../workflows/messages.ts, type ../workflows/agent-run.ts,
      ../local/server/process-identity.ts`,
    `../workflows/agent-run.ts, ../client/a.ts, type ../client/a.ts, ../cli/a.ts, ../local/server/a.ts,
      ../test/a.ts, ../index.ts`,
  ],
  'local/server': [
    `node:fs, ./a.ts, @temporalio/testing`,
    `../../agent/status.ts, type ../../agent/limits.ts, ../../config/a.ts, ../../worker/a.ts, ../../client/a.ts,
      ../../cli/a.ts, ../../index.ts`,
  ],
  client: [
    `node:fs, string-width, ./run.ts, ../agent/events.ts, ../history/trace.ts, ../workflows/messages.ts,
      type ../workflows/agent-run.ts, @temporalio/client, @temporalio/common, @temporalio/envconfig,
      type @temporalio/proto, ../local/server/project-folder.ts`,
    `../workflows/agent-run.ts, ../activities/a.ts, type ../activities/a.ts, ../adapters/models/model.ts,
      ../adapters/tools/tool.ts, ../config/a.ts, ../worker/a.ts, type ../worker/a.ts, ../local/server/a.ts,
      ../local/embedded/a.ts, ../cli/main.ts, @temporalio/worker, @temporalio/workflow, @temporalio/proto,
      ../index.ts`,
  ],
  cli: [
    `commander, ./output.ts, ../client/index.ts, ../worker/create-worker.ts, ../config/load.ts,
      ../local/server/server.ts, ../local/embedded/a.ts, ../history/live.ts, ../agent/events.ts,
      ../workflows/messages.ts, type ../workflows/agent-run.ts`,
    `../workflows/agent-run.ts, ../activities/a.ts, ../adapters/models/openai/openai.ts, ../adapters/tools/tool.ts,
      @temporalio/worker, ../test/a.ts`,
  ],
  'local/embedded': [
    `node:fs, ../../agent/events.ts, ../../config/load.ts, ../../worker/run-worker.ts, ../server/server.ts,
      ../../client/connect.ts, @temporalio/client`,
    `../../workflows/messages.ts, ../../activities/a.ts, ../../history/a.ts, type ../../adapters/models/model.ts,
      ../../adapters/tools/tool.ts, ../../cli/a.ts, ../../features/testing/a.ts, @temporalio/worker, ../../index.ts`,
  ],
  'features/testing': [
    `node:fs, ../../agent/events.ts, ../../config/check.ts, ../../activities/model/read-decision.ts,
      ../../client/run-export.ts, ../../local/embedded/test-server.ts, ../../adapters/models/scripted/scripted.ts,
      type ../../adapters/tools/tool.ts`,
    `../../activities/call-model.ts, ../../history/trace.ts, ../../worker/a.ts, ../../local/server/a.ts, ../../cli/a.ts,
      @temporalio/client`,
  ],
};
const imports = Object.entries(layout).map(([folder, [allowed, refused]]) => {
  return { folder, allowed: allowed.split(/,\s+/u), refused: refused.split(/,\s+/u) };
});

const BYPASS = "import { type A } from '../activities/a.ts'; export type { A };";
const SWITCH = "export function f(a: 'x' | 'y'): void { switch (a) { case 'x': break; } }";
const ONLY = "import { expect, test } from 'vitest'; test.only('a', () => expect(1).toBe(1));";
const PAIR = 'export const a = (b: AbortSignal) => AbortSignal.any([b, AbortSignal.timeout(1000)]);';
const LONG = 'export const a = 1;' + '\n// more'.repeat(300);
const globals = ['process', 'Buffer', 'fetch', 'require', 'performance'];

/** Ways round the import rules, then the rules of the code itself. */
const snippets: [folder: string, code: string, refused: string][] = [
  ['agent', "export * from '../adapters/models/model.ts';", 'no-restricted-imports'],
  ['agent', "export const a = () => import('../adapters/tools/a.ts');", 'no-restricted-imports'],
  ['agent', "import '../worker/a.ts';", 'no-restricted-imports'],
  ['agent', "export type A = import('../adapters/tools/a.ts').A;", 'consistent-type-imports'],
  ['workflows', BYPASS, 'no-import-type-side-effects'],
  ['workflows', 'export const a: unknown = globalThis;', 'no-restricted-globals'],
  ['workflows', 'export const a = new WeakRef({});', 'no-restricted-globals'],
  ...['agent', 'workflows'].flatMap((folder) =>
    globals.map((name): [string, string, string] => [
      folder,
      `export const a: unknown = ${name};`,
      'no-undef',
    ]),
  ),
  ['agent', 'setTimeout(() => undefined, 1);', 'no-undef'],
  ['agent', 'export const a = Date.now();', 'no-restricted-properties'],
  ['agent', 'export const a = Math.random();', 'no-restricted-properties'],
  ['worker', 'Promise.resolve(1);', 'no-floating-promises'],
  ['worker', SWITCH, 'switch-exhaustiveness-check'],
  ['worker', 'export const a: any = 1;', 'no-explicit-any'],
  ['worker', "export const f = (): string => JSON.parse('1');", 'no-unsafe-return'],
  ['worker', 'export const f = (a?: string): string => a!;', 'no-non-null-assertion'],
  ['worker', '// TODO: finish', 'no-warning-comments'],
  ['worker', LONG, 'max-lines'],
  ['worker', "console.log('a');", 'no-console'],
  ...['activities', 'gateway'].map((folder): [string, string, string] => [
    folder,
    PAIR,
    'no-restricted-properties',
  ]),
  ['client', 'process.exit(1);', 'no-process-exit'],
  ['test', ONLY, 'no-focused-tests'],
  ['test/simulation', "export { Worker } from '@temporalio/worker/lib/worker.js';", 'no-restricted-imports'],
];

/** What the rules must leave alone. */
const clean: [folder: string, code: string][] = [
  ['workflows', "export { defineSearchAttributeKey } from '@temporalio/common';"],
  ['workflows', 'export const a = Date.now() + Math.random();'],
  ['workflows', 'setTimeout(() => undefined, 1);'],
  ['adapters/tools', "export const a = [process.pid, Buffer.from('a'), setTimeout(() => undefined, 1)];"],
  ['cli', "console.log('a'); process.exit(1);"],
  [
    'test',
    "export { v } from '../adapters/models/openai/openai.ts'; export { w } from '@temporalio/worker';",
  ],
];

const tree = tempFolder();
let refusals: (folder: string, code: string) => string[];

// One run of the linter over a tree that holds every case: starting it is what takes the time.
beforeAll(async () => {
  const imported = imports.flatMap(({ folder, allowed, refused }) =>
    [...allowed, ...refused].map((specifier) => [folder, importOf(specifier)]),
  );
  const cases = [...imported, ...snippets, ...clean].map(([folder = '', code = ''], index) => {
    return { file: `${folder}/case-${index}.ts`, key: `${folder}: ${code}`, code };
  });
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
  test.each(snippets)('in %s, %s is refused by %s', (folder, code, refused) => {
    expect(refusals(folder, code)).toContain(refused);
  });

  test.each(clean)('in %s, no rule speaks against %s', (folder, code) => {
    expect(refusals(folder, code)).toEqual([]);
  });
});

function importOf(specifier: string): string {
  return specifier.startsWith('type ')
    ? `import type { T } from '${specifier.slice('type '.length)}'; export type { T };`
    : `import { v } from '${specifier}'; export { v };`;
}

function plant(cases: { file: string; code: string }[]): void {
  const project = resolve(import.meta.dirname, '../../..');
  mkdirSync(join(tree, '.ci'), { recursive: true });
  for (const name of ['oxlint.config.mjs', '.ci/arrows.mjs', 'tsconfig.json'])
    copyFileSync(join(project, name), join(tree, name));
  symlinkSync(join(project, 'node_modules'), join(tree, 'node_modules'));
  for (const { file, code } of cases) {
    mkdirSync(join(tree, dirname(file)), { recursive: true });
    writeFileSync(join(tree, file), `${code}\n`);
  }
}

const report = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) });

async function lint(): Promise<{ file: string; rule: string }[]> {
  const folders = [...Object.keys(layout), ...snippets.map(([folder]) => folder)].map(
    (path) => path.split('/')[0],
  );
  const args = ['-c', 'oxlint.config.mjs', '--format', 'json', ...new Set(folders)] as string[]; // each path has a first part
  // Its exit code is 1 whenever a rule speaks, as most do here.
  const { stdout } = await execa('node_modules/.bin/oxlint', args, { cwd: tree, reject: false });
  return report
    .parse(JSON.parse(stdout))
    .diagnostics.map(({ code, filename }) => ({ file: filename, rule: /\((.*)\)/.exec(code)?.[1] ?? code }));
}
