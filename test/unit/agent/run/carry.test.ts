import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Carried, type CarriedBy, carry } from '../../../../agent/run/carry.ts';
import { freshCounters } from '../../../../agent/limits/counters.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const manifest = sampleManifest();
const other = { ...manifest, name: 'other' };
const state: Carried = {
  agent: 'sample',
  session: 's',
  caller: '1.1',
  root: 'r',
  manifest,
  agents: [other, manifest],
  done: [{ call: '1.1', tool: 'pay', input: 'd' }],
  firstN: 1,
  lastN: 4,
  takenWords: [{ updateId: 'u', at: 1, receipt: { message: 'say' } }],
  said: ['hurry'],
  question: { input: 'what?', chatHistory: [] },
  parentBudget: { totalTokens: 100 },
  from: { runId: 'r', length: 2, digest: 'd' },
  pending: [],
  counters: { ...freshCounters(7), approved: ['pay'], allowance: { iterations: 1 } },
};

/** Reads a field of the input, or of its counters. */
type Read = (input: ReturnType<typeof carry>) => unknown;

/** Fields of the rows of the table in docs/internals/restarts.md. */
const rows: { readonly [row: string]: Read } = {
  'prompt entries': ({ from }) => from,
  counters: ({ counters }) => counters,
  'raised limits': ({ counters }) => counters?.allowance,
  'remembered approvals': ({ counters }) => counters?.approved,
  'effects (`done`)': ({ done }) => done,
  'messages (`say`)': ({ said }) => said,
  'numbers of schedules and waits': ({ firstN }) => firstN,
  'idempotency keys': ({ root }) => root,
  'agents after a handoff (`agents`)': ({ agents }) => agents,
  'agent (manifest)': (input) => input.manifest,
};

const page = readFileSync(join(import.meta.dirname, '../../../../docs/internals/restarts.md'), 'utf8');
const section = page.slice(page.indexOf('## What does each restart keep?'));
const table = section.split('\n').flatMap((line) => {
  const [row = '', ...cells] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  return row in rows ? [{ row, cells }] : [];
});
const ways: readonly CarriedBy[] = ['continue', 'rewind', 'retry', 'fork'];
/** A cell of state that is not kept. */
const ANEW = /^(?:none|from 0|a new)/u;

describe('an execution that continues a run', () => {
  test('has each state in the table of the docs', () => {
    expect(table.map(({ row }) => row).toSorted()).toEqual(Object.keys(rows).toSorted());
  });

  const cells = table.flatMap(({ row, cells: texts }) =>
    ways.map((by, index) => ({ row, by, text: texts[index] ?? '' })),
  );
  test.each(cells)('keeps what the docs say of $row ($by)', ({ row, by, text }) => {
    expect(rows[row]?.(carry(state, by)) === undefined).toBe(ANEW.test(text));
  });

  test.each(ways)('begins without the question, as the transcript has it (%s)', (by) => {
    const { question, parentBudget } = carry(state, by);
    expect([question, parentBudget]).toEqual([undefined, undefined]);
  });

  test('has the question if the run has no transcript', () => {
    const { question, parentBudget } = carry({ ...state, from: undefined }, 'retry');
    expect([question, parentBudget]).toEqual([state.question, state.parentBudget]);
  });

  test('has numbers that no call of the run has', () => {
    const { lastN: _, ...open } = state;
    expect(ways.map((by) => carry(by === 'continue' ? open : state, by).firstN)).toEqual([
      1,
      5,
      5,
      undefined,
    ]);
  });

  test('has the agents that do not have the conversation', () => {
    expect(carry(state, 'rewind').agents).toEqual([other]);
    expect(carry({ ...state, agents: [manifest] }, 'rewind').agents).toBeUndefined();
  });

  test('keeps the clock of a run that only has a long history', () => {
    expect(ways.map((by) => carry(state, by).counters?.startedAtMs)).toEqual([7, 0, 0, 0]);
  });
});
