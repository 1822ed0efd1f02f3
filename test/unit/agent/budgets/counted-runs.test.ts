import { expect, test } from 'vitest';
import type { BudgetRule } from '../../../../agent/budgets/budget-rule.ts';
import { extend, newLedger, refusal, reportOf, reserve, settle } from '../../../../agent/budgets/ledger.ts';
import type { Ledger } from '../../../../agent/budgets/ledger-state.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const DAY = 24 * 3_600_000;
const rule: BudgetRule = { name: 'b', of: 'all', per: 'day', runs: 2, onEnd: 'wait', warnAt: 0.8 };
const account = { rule, key: '' };
const one = { calls: 1, totalTokens: 10, cost: 0 };
const nothing = { calls: 0, totalTokens: 0, cost: 0 };
let asked = 0;

/** A request of a run. */
const ask = (run: string) => ({
  ...account,
  id: `request ${++asked}`,
  call: run,
  attempt: 1,
  run,
  estimate: one,
});

const runsIn = (ledger: Ledger, now = NOW) => reportOf(ledger, now).periods[0]?.runs;

function after(runs: readonly string[], now = NOW): Ledger {
  return runs.reduce((ledger, run) => reserve(ledger, ask(run), now).ledger, newLedger(account));
}

test('a run counts once, however often it asks, and no more runs begin than the limit', () => {
  const ledger = after(['a', 'b', 'a']);
  expect(runsIn(ledger)).toBe(2);
  expect(refusal(ledger, ask('a'), NOW)).toBeUndefined();
  expect(refusal(ledger, ask('c'), NOW)).toEqual({
    refused: 'the budget "b": 2 runs a day is used up; it begins again 2026-12-01 00:00 UTC',
  });
  expect(refusal(extend(ledger, { runs: 1 }, NOW), ask('c'), NOW)).toBeUndefined();
});

test('a run that continues on the next day does not count there', () => {
  const ledger = reserve(after(['a', 'b']), ask('a'), NOW + DAY).ledger;
  expect(runsIn(ledger, NOW + DAY)).toBe(0);
  expect(refusal(ledger, ask('c'), NOW + DAY)).toBeUndefined();
});

test('a run counts no more once its only request has ended unbilled', () => {
  const request = ask('a');
  const { ledger } = reserve(newLedger(account), request, NOW);
  const more = ask('a');
  const both = reserve(ledger, more, NOW).ledger;
  const first = settle(both, { id: request.id, spent: nothing }, NOW).ledger;
  expect(runsIn(first)).toBe(1);
  expect(runsIn(settle(first, { id: more.id, spent: nothing }, NOW).ledger)).toBe(0);
  expect(runsIn(settle(first, { id: more.id, spent: null }, NOW).ledger)).toBe(1);
});

test('a ledger knows the 5,000 runs that asked last, and counts all', () => {
  const known = Array.from({ length: 5_000 }, (_, index) => ({
    run: `run ${index}`,
    at: NOW,
    from: NOW,
    requests: 1,
  }));
  const before = { ...after(['first']), runs: known };
  const ledger = reserve(before, { ...ask('last'), rule: { ...rule, runs: 10_000 } }, NOW).ledger;
  expect(ledger.runs).toHaveLength(5_000);
  expect(ledger.runs?.[0]?.run).toBe('run 1');
  expect(runsIn(ledger)).toBe(2);
});
