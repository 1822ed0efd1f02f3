import { expect, test } from 'vitest';
import type { BudgetRule } from '../../../../agent/budgets/budget-rule.ts';
import { repeatProblem } from '../../../../agent/budgets/grants.ts';
import { extend, newLedger, reportOf } from '../../../../agent/budgets/ledger.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 30, 12);
const rule: BudgetRule = {
  name: 'b',
  of: 'tenant',
  per: 'day',
  totalTokens: 1_000,
  onEnd: 'wait',
  warnAt: 0.8,
};

test('an extension that is sent again extends once, and the report has who made it', () => {
  const by = (name: string) => ({ id: 'one', totalTokens: 5, by: name });
  const once = extend(newLedger({ rule, key: 'acme' }), by('ada'), NOW);
  expect(extend(once, by('ada'), NOW + DAY)).toBe(once);
  const other = extend(extend(once, by('bob'), NOW + 1), { totalTokens: 1 }, NOW + 2);
  expect(reportOf(other, NOW).periods[0]).toMatchObject({
    limit: { totalTokens: 1_011 },
    extensions: [
      { at: NOW, by: 'ada', totalTokens: 5 },
      { at: NOW + 1, by: 'bob', totalTokens: 5 },
      { at: NOW + 2, totalTokens: 1 },
    ],
  });
  expect(repeatProblem(once, by('ada'))).toBeUndefined();
  expect(repeatProblem(once, { ...by('ada'), totalTokens: 6 })).toContain('by another amount');
});

test('a ledger keeps its latest 200 extensions one by one, and all of them in its limit', () => {
  let ledger = newLedger({ rule, key: 'acme' });
  for (let at = 0; at < 300; at++)
    ledger = extend(ledger, { totalTokens: 1, id: `${at}` }, NOW + at * 3_600_000);
  const kept = ledger.days.flatMap(({ grants = [] }) => grants.map(({ id }) => id));
  expect(kept).toHaveLength(200);
  expect(kept).toContain('299');
});
