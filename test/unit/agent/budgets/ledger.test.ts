import type { Ledger } from '../../../../agent/budgets/ledger-state.ts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BudgetRule, BudgetUse, Settlement } from '../../../../agent/budgets/budget-rule.ts';
import {
  count,
  extend,
  isEmpty,
  keptMs,
  newLedger,
  refusal,
  refusals,
  reportOf,
  reserve,
  settle,
} from '../../../../agent/budgets/ledger.ts';

const DAY = 24 * 3_600_000;
const NOON = Date.UTC(2026, 10, 30, 12);
const rule: BudgetRule = {
  name: 'b',
  of: 'tenant',
  per: 'day',
  totalTokens: 1_000,
  onEnd: 'wait',
  warnAt: 0.8,
};
const account = { rule, key: 'acme' };
const tokens = (totalTokens: number): BudgetUse => ({ calls: 1, totalTokens, cost: 0 });
const ask = (id: string, estimate: number, { call = id, attempt = 1 } = {}) => ({
  ...account,
  id,
  call,
  attempt,
  estimate: tokens(estimate),
});

const current = (ledger: Ledger, now = NOON) => reportOf(ledger, now).periods[0];
const reserved = (ledger: Ledger, ...args: Parameters<typeof ask>) =>
  reserve(ledger, ask(...args), NOON).ledger;

const settled = (ledger: Ledger, sent: Settlement) => settle(ledger, sent, NOON).ledger;

test('a request that does not fit in what is left is refused, and says when the budget begins again', () => {
  const ledger = settled(reserved(newLedger(account), 'a', 600), { id: 'a', spent: tokens(700) });
  expect(refusal(ledger, ask('b', 300), NOON)).toBeUndefined();
  expect(refusal(ledger, ask('b', 301), NOON)).toEqual({
    refused:
      'the budget "b": of 1,000 tokens a day of the tenant "acme", 300 tokens are left, and the request is estimated at 301 tokens; it begins again 2026-12-01 00:00 UTC',
  });
  const full = settled(reserved(ledger, 'b', 300), { id: 'b', spent: tokens(400) });
  expect(refusal(full, ask('c', 1), NOON)).toEqual({
    refused:
      'the budget "b": 1,000 tokens a day of the tenant "acme" is used up; it begins again 2026-12-01 00:00 UTC',
  });
  expect(refusal(full, ask('c', 1), NOON + DAY)).toBeUndefined();
  expect(refusal(extend(full, { totalTokens: 101 }, NOON), ask('c', 1), NOON)).toBeUndefined();
  expect(refusal(extend(full, { totalTokens: 100 }, NOON), ask('c', 1), NOON)).toBeDefined();
});

test('a request that is larger than all of the budget is refused for good, until the budget is extended', () => {
  const ledger = newLedger(account);
  expect(refusal(ledger, ask('a', 1_001), NOON)).toEqual({
    refused:
      'the budget "b": the request is estimated at 1,001 tokens, and all of the budget is 1,000 tokens a day of the tenant "acme". Extend the budget, or ask with a shorter prompt',
    isTooLarge: true,
  });
  expect(refusal(extend(ledger, { totalTokens: 1 }, NOON), ask('a', 1_001), NOON)).toBeUndefined();
});

test('a sentence about a budget has amounts as people write them', () => {
  const paid = { rule: { ...rule, totalTokens: undefined, cost: 1.5 }, key: 'acme' };
  const used = (cost: number) => ({ calls: 1, totalTokens: 1, cost });
  const sentenceOf = (cost: number, next: number) => {
    const first = { ...ask('a', 1), ...paid, estimate: used(cost) };
    const ledger = reserve(newLedger(paid), first, NOON).ledger;
    return refusal(ledger, { ...first, id: 'b', estimate: used(next) }, NOON)?.refused;
  };
  expect(sentenceOf(1.25, 0.3)).toContain(
    'of $1.50 a day of the tenant "acme", $0.25 is left, and the request is estimated at $0.30;',
  );
  const almost = reserved(newLedger(account), 'a', 999);
  expect(refusal(almost, ask('b', 2), NOON)?.refused).toContain(', 1 token is left, ');
});

test('an account takes the rule of the config with the next request, also if it refuses it', () => {
  const full = reserved(newLedger(account), 'a', 1_000);
  const tighter = { ...rule, totalTokens: 900, cost: 1 };
  const entry = { type: 'reserve', ...ask('b', 1) } as const;
  // A message without news is refused before it is in the history of the workflow.
  expect(refusals(full, [entry], NOON)).toHaveLength(1);
  const changed = { ...entry, rule: tighter };
  expect(refusals(full, [changed], NOON)).toBeUndefined();
  const { ledger, answers } = count(full, [changed], NOON);
  expect(answers).toEqual([{ refused: expect.stringContaining('900 tokens a day') }]);
  expect(reportOf(ledger, NOON)).toMatchObject({
    rule: tighter,
    periods: [{ limit: { totalTokens: 900, cost: 1 } }],
  });
  expect(refusals(ledger, [changed], NOON)).toHaveLength(1);
});

test('days that were counted are in their month when the rule is of months', () => {
  const yesterday = reserve(newLedger(account), ask('a', 100), NOON - DAY + 1_000).ledger;
  const both = reserved(extend(yesterday, { totalTokens: 5 }, NOON), 'b', 10);
  const monthly = { ...rule, per: 'month' as const };
  const { ledger } = reserve(both, { ...ask('c', 1), rule: monthly }, NOON);
  const { periods } = reportOf(settled(ledger, { id: 'a', spent: tokens(70) }), NOON);
  expect(periods).toMatchObject([
    {
      from: Date.UTC(2026, 10),
      used: tokens(70),
      reserved: { calls: 2, totalTokens: 11 },
      limit: { totalTokens: 1_005 },
    },
  ]);
});

test('what a request took is counted, though a rule of days came meanwhile and refused another request', () => {
  const monthly = { ...rule, per: 'month' as const };
  const open = reserve(newLedger({ ...account, rule: monthly }), { ...ask('a', 500), rule: monthly }, NOON);
  const { ledger, answers } = count(open.ledger, [{ type: 'reserve', ...ask('b', 600) }], NOON);
  expect(answers).toEqual([{ refused: expect.any(String) }]);
  expect(current(settled(ledger, { id: 'a', spent: tokens(700) }))?.used.totalTokens).toBe(700);
});

test('a rule that two versions of the config change with each request forgets nothing', () => {
  const asked = (per: 'day' | 'month', id: string) => ({ ...ask(id, 100), rule: { ...rule, per } });
  let ledger = reserve(newLedger(account), asked('day', 'before'), NOON - 10 * DAY).ledger;
  for (const [index, per] of (['month', 'day', 'month', 'day'] as const).entries())
    ({ ledger } = count(ledger, [{ type: 'reserve', ...asked(per, `a${index}`) }], NOON));
  const totals = (at: Ledger) =>
    reportOf(at, NOON).periods.map(({ from, reserved: open, unsettled }) => [
      from,
      open.totalTokens + unsettled.totalTokens,
    ]);
  // The report has the last three days, and the month has one more.
  expect(totals(ledger)).toEqual([[NOON - DAY / 2, 400]]);
  const refused = count(ledger, [{ type: 'reserve', ...asked('month', 'b'), estimate: tokens(501) }], NOON);
  expect(refused.answers[0]?.refused).toContain('of 1,000 tokens a month');
  expect(totals(refused.ledger)).toEqual([[Date.UTC(2026, 10), 500]]);
});

test('an extension is of the current day only', () => {
  const ledger = extend(newLedger(account), { totalTokens: 500 }, NOON);
  expect(current(ledger)?.limit.totalTokens).toBe(1_500);
  expect(current(ledger, NOON + DAY)?.limit.totalTokens).toBe(1_000);
});

test('the estimate of a lost request stays, is shown as unsettled, and gives way to a late settlement', () => {
  const first = reserved(newLedger(account), 'a', 100, { call: 'call', attempt: 1 });
  const lost = reserved(first, 'b', 50, { call: 'call', attempt: 2 });
  expect(current(lost)).toMatchObject({ reserved: tokens(50), unsettled: tokens(100) });
  const late = settled(lost, { id: 'a', spent: tokens(70) });
  expect(current(late)).toMatchObject({ used: tokens(70), reserved: tokens(50), unsettled: { calls: 0 } });
  const unknown = settled(late, { id: 'b', spent: null });
  expect(current(unknown)).toMatchObject({ reserved: { calls: 0 }, unsettled: tokens(50) });
});

test('a request is lost when a later attempt of the same call has begun, and not before', () => {
  const first = reserved(newLedger(account), 'a', 100, { call: 'call', attempt: 2 });
  const others = ['same', 'earlier', 'other'].map((id) => ({
    id,
    call: id === 'other' ? 'another call' : 'call',
    attempt: { same: 2, earlier: 1, other: 3 }[id],
  }));
  const all = others.reduce((ledger, { id, ...of }) => reserved(ledger, id, 1, of), first);
  expect(current(all)).toMatchObject({ reserved: { calls: 4 }, unsettled: { calls: 0 } });
});

test('usage of a request counts in the day of its reservation', () => {
  const ledger = reserve(reserved(newLedger(account), 'a', 100), ask('b', 10), NOON + DAY / 2).ledger;
  const late = settle(ledger, { id: 'a', spent: tokens(70) }, NOON + DAY / 2).ledger;
  const { periods } = reportOf(late, NOON + DAY / 2);
  expect(periods.map(({ used, reserved: open }) => [used.totalTokens, open.totalTokens])).toEqual([
    [0, 10],
    [70, 0],
  ]);
});

test('ids of settled requests are forgotten after some minutes', () => {
  const before = settled(reserved(newLedger(account), 'a', 1), { id: 'a', spent: tokens(1) });
  const later = NOON + 10 * 60_000;
  const after = settle(
    reserve(before, ask('b', 1), later).ledger,
    { id: 'b', spent: tokens(1) },
    later,
  ).ledger;
  expect(after.settled.map(({ id }) => id)).toEqual(['b']);
});

test('a reservation that nobody settles for a day is unsettled', () => {
  const ledger = reserve(reserved(newLedger(account), 'a', 100), ask('b', 1), NOON + DAY).ledger;
  expect(ledger.open.map(({ id }) => id)).toEqual(['b']);
  expect(reportOf(ledger, NOON + DAY).periods[1]?.unsettled).toEqual(tokens(100));
});

test('one warning is given where the share is passed, and again after an extension', () => {
  const first = reserve(newLedger(account), ask('a', 799), NOON);
  expect(first.answer.warning).toBeUndefined();
  const second = reserve(first.ledger, ask('b', 1), NOON);
  expect(second.answer.warning).toBe('the budget "b" of the tenant "acme" is used to 80 %');
  expect(reserve(second.ledger, ask('b', 1), NOON).answer.warning).toBe(second.answer.warning);
  expect(reserve(second.ledger, ask('c', 1), NOON).answer.warning).toBeUndefined();
  const more = settle(first.ledger, { id: 'a', spent: tokens(900) }, NOON);
  expect(more.answer.warning).toBe('the budget "b" of the tenant "acme" is used to 90 %');
  const extended = extend(second.ledger, { totalTokens: 1_000 }, NOON);
  expect(reserve(extended, ask('d', 800), NOON).answer.warning).toBeDefined();
});

test('a warning is given once a month, and the warning of a day is none of its month', () => {
  const monthly = { ...rule, per: 'month' as const };
  const late = NOON + DAY / 2 - 1_000 - DAY; // before the midnight of the 29th
  const asked = (id: string, estimate: number) => ({ ...ask(id, estimate), rule: monthly });
  const first = reserve(newLedger({ ...account, rule: monthly }), asked('a', 100), late).ledger;
  const counted = settle(first, { id: 'a', spent: tokens(900) }, late + 2_000);
  expect(counted.answer.warning).toBeDefined();
  expect(reserve(counted.ledger, asked('b', 1), NOON + 1_000).answer.warning).toBeUndefined();
  const ofDay = settle(
    reserve(newLedger(account), ask('a', 100), late).ledger,
    { id: 'a', spent: tokens(850) },
    late,
  );
  expect(ofDay.answer.warning).toBeDefined();
  expect(reserve(ofDay.ledger, asked('b', 1), late).answer.warning).toBeDefined();
});

test('a ledger may be forgotten only when no report has what it counted', () => {
  const ledger = reserved(newLedger(account), 'a', 100);
  expect(isEmpty(ledger, NOON)).toBe(false);
  expect(isEmpty(ledger, NOON + 2 * DAY)).toBe(false);
  expect(isEmpty(ledger, NOON + keptMs(ledger))).toBe(true);
  expect(isEmpty(extend(newLedger(account), { totalTokens: 1 }, NOON), NOON)).toBe(false);
});

interface Message {
  type: 'reserve' | 'settle' | 'lose' | 'wait';
  id: number;
  amount: number;
}

const messages = fc.array(
  fc.record<Message>({
    type: fc.constantFrom('reserve', 'reserve', 'settle', 'settle', 'lose', 'wait'),
    id: fc.nat(12),
    amount: fc.integer({ min: 1, max: 400 }),
  }),
  { maxLength: 60 },
);

test('in any order of messages, sent again or lost, all that was granted is counted once, in its day', () => {
  fc.assert(
    fc.property(messages, (sent) => {
      let ledger = newLedger(account);
      let now = NOON;
      /** Requests that were refused although they fit, or the other way. */
      const wrong: string[] = [];
      /** Tokens and day with which each granted request is counted. */
      const model = new Map<string, { day: number; tokens: number }>();
      const dayOf = (at: number) => at - (at % DAY);
      const countedOn = (day: number) =>
        [...model.values()].filter((one) => one.day === day).reduce((all, one) => all + one.tokens, 0);
      for (const { type, id, amount } of sent) {
        const name = String(id);
        const known = model.get(name);
        if (type === 'wait') now += amount * 60_000;
        else if (type === 'reserve') {
          // A message is sent again within a minute; here, while the ledger knows its id.
          if (known !== undefined && !knows(ledger, name)) continue;
          const isRefused = refusal(ledger, ask(name, amount), now) !== undefined;
          const isOver = countedOn(dayOf(now)) + amount > 1_000;
          // A granted request that is sent again is granted again.
          if (isRefused !== (known === undefined && isOver)) wrong.push(name);
          if (isRefused) continue;
          ({ ledger } = reserve(ledger, ask(name, amount), now));
          if (known === undefined) model.set(name, { day: dayOf(now), tokens: amount });
        } else {
          const isOpen = ledger.open.some((one) => one.id === name);
          ledger = settle(ledger, { id: name, spent: type === 'lose' ? null : tokens(amount) }, now).ledger;
          if (known === undefined || !isOpen) continue;
          if (type === 'settle') known.tokens = amount;
        }
      }
      expect(wrong).toEqual([]);
      for (const { from, used, reserved: open, unsettled } of reportOf(ledger, now).periods) {
        const counted = used.totalTokens + open.totalTokens + unsettled.totalTokens;
        const calls = used.calls + open.calls + unsettled.calls;
        expect(counted).toBe(countedOn(from));
        expect(calls).toBe([...model.values()].filter(({ day }) => day === from).length);
      }
    }),
    { numRuns: 500 },
  );
});

function knows({ open, settled }: Ledger, id: string): boolean {
  return [...open, ...settled].some((one) => one.id === id);
}
