import { dollars } from '../values/vocabulary.ts';
import type {
  BudgetAccount,
  BudgetAmount,
  BudgetAnswer,
  LedgerEntry,
  BudgetPeriod,
  BudgetReport,
  BudgetRule,
  Reservation,
  Settlement,
  BudgetUse,
} from './budget-rule.ts';
import { isSameRule, underRule } from './changed-rule.ts';
import { type Ledger, type LedgerPeriod, type OpenReservation, extended, none, sum } from './ledger-state.ts';
import { accountWords, shareWords, tooLargeWords } from './budget-words.ts';
import { periodEnd, periodStart } from './periods.ts';

/** The current period, and those before it that a report has. */
const KEPT_PERIODS = 3;
/** A reservation is taken to be never settled when it is that old, or when there are more of them. */
const OPEN_MS = 24 * 3_600_000;
const MOST_OPEN = 3_000;
/** A message is sent again for a minute at most. */
const AGAIN_MS = 5 * 60_000;
const MOST_SETTLED = 3_000;

export function newLedger(account: BudgetAccount): Ledger {
  return { account, periods: [], open: [], settled: [] };
}

/** Counts the entries of a message, in their order. A reservation that does not fit is answered with a sentence. */
export function count(
  before: Ledger,
  entries: readonly LedgerEntry[],
  now: number,
): { ledger: Ledger; answers: BudgetAnswer[] } {
  let ledger = before;
  const answers = entries.map((entry) => {
    if (entry.type === 'reserve') ledger = brought(underRule(ledger, entry.rule), now);
    const refused = entry.type === 'reserve' ? refusal(ledger, entry, now) : undefined;
    if (refused !== undefined) return refused;
    const step = entry.type === 'reserve' ? reserve(ledger, entry, now) : settle(ledger, entry, now);
    ledger = step.ledger;
    return step.answer;
  });
  return { ledger, answers };
}

/** The answers to entries none of which would change the ledger; undefined if one would: it is counted, or it brings a new rule. */
export function refusals(
  ledger: Ledger,
  entries: readonly LedgerEntry[],
  now: number,
): BudgetAnswer[] | undefined {
  const answers: BudgetAnswer[] = [];
  for (const entry of entries) {
    const isNews = entry.type === 'settle' || !isSameRule(entry.rule, ledger.account.rule);
    const refused = isNews ? undefined : refusal(ledger, entry, now);
    if (refused === undefined) return undefined;
    answers.push(refused);
  }
  return answers;
}

/** Answer to a reservation that does not fit; undefined for one that does. The ledger has the rule of the reservation. */
export function refusal(before: Ledger, asked: Reservation, now: number): BudgetAnswer | undefined {
  const ledger = brought(before, now);
  if (isKnown(ledger, asked.id)) return undefined;
  const [period] = ledger.periods;
  const { rule, estimate } = asked;
  const limit = limitOf(rule, period.extra);
  const counted = sum(spentIn(ledger, period), estimate);
  const over = amounts.find((name) => counted[name] > (limit[name] ?? Infinity));
  if (over === undefined) return undefined;
  const tooLarge = amounts.find((name) => estimate[name] > (limit[name] ?? Infinity));
  if (tooLarge !== undefined) {
    const refused = tooLargeWords(asked, tooLarge, { limit, needs: estimate[tooLarge] });
    return { refused, isTooLarge: true };
  }
  const left = Math.max(0, dollars((limit[over] ?? 0) - spentIn(ledger, period)[over]));
  return {
    refused: accountWords(asked, over, { limit, left, needs: estimate[over] }, periodEnd(rule.per, now)),
  };
}

/** Counts a reservation that fits. The same id counts once. */
export function reserve(before: Ledger, asked: Reservation, now: number): Step {
  const { rule, id, call, attempt, estimate } = asked;
  const ledger = brought(underRule(before, rule), now);
  if (isKnown(ledger, id)) {
    const warning = ledger.open.find((one) => one.id === id)?.warning;
    return { ledger, answer: { warning } };
  }
  const mine = { id, call, attempt, estimate, at: now, from: ledger.periods[0].from };
  const open = ledger.open.map((one) => (isBefore(one, asked) ? { ...one, lost: true as const } : one));
  const next = withWarning(bounded({ ...ledger, open: [...open, mine] }, now), now);
  const { warning } = next.answer;
  if (warning === undefined) return next;
  // The answer to the same message, sent again.
  const last = next.ledger.open.map((one) => (one.id === id ? { ...one, warning } : one));
  return { ...next, ledger: { ...next.ledger, open: last } };
}

/** Puts what the request took in the place of its estimate. Does nothing for an id that is not open any more. */
export function settle(before: Ledger, { id, spent }: Settlement, now: number): Step {
  const found = before.open.find((one) => one.id === id);
  if (found === undefined) return { ledger: before, answer: {} };
  const open = before.open.filter((one) => one !== found);
  const settled = [...before.settled, { id, at: now }];
  const field = spent === null ? 'unsettled' : 'used';
  const counted = added({ ...before, open, settled }, found.from, field, spent ?? found.estimate);
  return withWarning(bounded(counted, now), now);
}

/** Adds to the limits of the current period. */
export function extend(before: Ledger, more: BudgetAmount, now: number): Ledger {
  const ledger = brought(before, now);
  const [period, ...past] = ledger.periods;
  const extra = extended(period.extra, more);
  // The next share may be passed again, and is worth another warning.
  return { ...ledger, periods: [{ ...period, extra, warned: false }, ...past] };
}

export function reportOf(before: Ledger, now: number): BudgetReport {
  const { account } = before;
  const ledger = brought(before, now);
  return { ...account, periods: ledger.periods.map((period) => periodReport(ledger, account, period)) };
}

/** Nothing would be lost if the ledger were forgotten: all that it counted is in periods that no report has any more. */
export function isEmpty(before: Ledger, now: number): boolean {
  const { periods, open } = bounded(brought(before, now), now);
  return open.length === 0 && periods.every(isUnused);
}

/** Time after which a ledger without messages may be empty. */
export function keptMs({ account }: Ledger): number {
  return (account.rule.per === 'day' ? 1 : 31) * (KEPT_PERIODS + 1) * 24 * 3_600_000;
}

interface Step {
  ledger: Ledger;
  answer: BudgetAnswer;
}

type Current = Ledger & { periods: [LedgerPeriod, ...LedgerPeriod[]] };

const amounts = ['cost', 'totalTokens'] as const;

/** Warns once a period, with the message that passes the share. */
function withWarning(before: Ledger, now: number): Step {
  const { rule, key } = before.account;
  const ledger = brought(before, now);
  const [period, ...past] = ledger.periods;
  const share = shareOf(spentIn(ledger, period), limitOf(rule, period.extra));
  if (period.warned || share < rule.warnAt) return { ledger, answer: { share } };
  const warning = shareWords({ rule, key }, share);
  return {
    ledger: { ...ledger, periods: [{ ...period, warned: true }, ...past] },
    answer: { warning, share },
  };
}

/** The ledger with the current period. A clock that goes back stays in the latest period. */
function brought(ledger: Ledger, now: number): Current {
  const { per } = ledger.account.rule;
  const [first, ...past] = ledger.periods;
  const from = periodStart(per, now);
  if (first !== undefined && first.from >= from) return { ...ledger, periods: [first, ...past] };
  const current = { from, used: none, unsettled: none, extra: {}, warned: false };
  const starts = pastStarts(per, from);
  const isOpen = (period: LedgerPeriod) => ledger.open.some((one) => one.from === period.from);
  const kept = ledger.periods.filter(
    (period) => starts.includes(period.from) && (isOpen(period) || !isUnused(period)),
  );
  return { ...ledger, periods: [current, ...kept] };
}

/** Starts of the periods before this one that are kept. */
function pastStarts(per: BudgetRule['per'], from: number): number[] {
  const starts: number[] = [];
  for (let at = from; starts.length < KEPT_PERIODS - 1;) {
    at = periodStart(per, at - 1);
    starts.push(at);
  }
  return starts;
}

function isUnused({ used, unsettled, extra }: LedgerPeriod): boolean {
  return used.calls + unsettled.calls === 0 && amounts.every((name) => extra[name] === undefined);
}

function isKnown({ open, settled }: Ledger, id: string): boolean {
  return open.some((one) => one.id === id) || settled.some((one) => one.id === id);
}

function isBefore(one: OpenReservation, { call, attempt }: Reservation): boolean {
  return one.call === call && one.attempt < attempt;
}

/** Forgets ids that cannot come again, and counts reservations that nobody will settle with their estimates. */
function bounded(ledger: Ledger, now: number): Ledger {
  const settled = ledger.settled.filter(({ at }) => now - at < AGAIN_MS).slice(-MOST_SETTLED);
  const tooMany = ledger.open.length - MOST_OPEN;
  const given = ledger.open.filter(({ at }, index) => index < tooMany || now - at >= OPEN_MS);
  const open = given.length === 0 ? ledger.open : ledger.open.filter((one) => !given.includes(one));
  return given.reduce((next, { from, estimate }) => added(next, from, 'unsettled', estimate), {
    ...ledger,
    open,
    settled,
  });
}

/** Adds to the period of this start, if the ledger still has it. */
function added(ledger: Ledger, from: number, field: 'used' | 'unsettled', spent: BudgetUse): Ledger {
  const periods = ledger.periods.map((period) =>
    period.from === from ? { ...period, [field]: sum(period[field], spent) } : period,
  );
  return { ...ledger, periods };
}

function spentIn({ open }: Ledger, { from, used, unsettled }: LedgerPeriod): BudgetUse {
  return open
    .filter((one) => one.from === from)
    .reduce((all, one) => sum(all, one.estimate), sum(used, unsettled));
}

function limitOf(rule: BudgetAmount, extra: BudgetAmount): BudgetAmount {
  const limit = (name: keyof BudgetAmount) => {
    const own = rule[name];
    return own === undefined ? undefined : dollars(own + (extra[name] ?? 0));
  };
  return { cost: limit('cost'), totalTokens: limit('totalTokens') };
}

function shareOf(spent: BudgetUse, limit: BudgetAmount): number {
  const shares = amounts.map((name) => {
    const most = limit[name];
    return most === undefined ? 0 : spent[name] / most;
  });
  return Math.max(...shares);
}

function periodReport(ledger: Ledger, { rule }: BudgetAccount, period: LedgerPeriod): BudgetPeriod {
  const { from, used, unsettled, extra, warned } = period;
  const open = ledger.open.filter((one) => one.from === from);
  const of = (isLost: boolean) =>
    open.filter(({ lost }) => (lost === true) === isLost).reduce((all, one) => sum(all, one.estimate), none);
  const limit = limitOf(rule, extra);
  return {
    from,
    to: periodEnd(rule.per, from),
    limit,
    used,
    reserved: of(false),
    unsettled: sum(unsettled, of(true)),
    share: shareOf(spentIn(ledger, period), limit),
    warned,
  };
}
