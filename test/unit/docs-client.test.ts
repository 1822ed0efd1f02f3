import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyReport } from '../../client/report.ts';
import * as client from '../../client/index.ts';
import { decisionNames } from '../../agent/rules/decisions.ts';
import { root } from '../support/cli.ts';
import { textOf } from '../support/doc-pages.ts';

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
  const source = readFileSync(join(root, 'agent/events.ts'), 'utf8');
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
  const errors = Object.values(client).filter(
    (value) => typeof value === 'function' && value.prototype instanceof Error,
  );
  const names = errors.map(({ name }) => `\`${name}\``);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
  expect(decisionNames.filter((name) => !page.includes(`type: '${name}'`))).toEqual([]);
});

test('the page on --json has every field of a run', () => {
  const json = textOf('docs/json.md');
  expect(Object.keys(emptyReport('', '')).filter((field) => !json.includes(`\`${field}\``))).toEqual([]);
});
