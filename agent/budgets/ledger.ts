import { dollars } from '../values/vocabulary.ts';
import type {
  BudgetAccount,
  BudgetAmount,
  BudgetAnswer,
  BudgetExtension,
  LedgerEntry,
  BudgetReport,
  BudgetRule,
  BudgetUse,
  Reservation,
  Settlement,
} from './budget-rule.ts';
import { canonicalJson } from '../values/json-object.ts';
import { type Ledger, type LedgerDay, type OpenReservation, extended, none, sum } from './ledger-state.ts';
import { isCounted, runsSince, withRun, withoutUnbegun } from './counted-runs.ts';
import { grantOf, withLatestGrants } from './grants.ts';
import { accountWords, shareWords, tooLargeWords } from './budget-words.ts';
import { type Period, amounts, limitOf, periodReport, shareOf, spentIn } from './ledger-period.ts';
import { lastStarts, periodEnd, periodStart } from './periods.ts';

/** The current period, and those before it that a report has. */
const KEPT_PERIODS = 3;
/** A reservation is taken to be never settled when it is that old, or when there are more of them. */
const OPEN_MS = 24 * 3_600_000;
const MOST_OPEN = 3_000;
/** A message is sent again for a minute at most. */
const AGAIN_MS = 5 * 60_000;
const MOST_SETTLED = 3_000;

export function newLedger(account: BudgetAccount): Ledger {
  return { account, days: [], open: [], settled: [] };
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
  const { rule, estimate } = asked;
  const period = currentPeriod(ledger);
  const limit = limitOf(rule, period.extra);
  const spent = spentIn(period);
  const needed = { ...estimate, runs: isCounted(ledger, asked.run) ? 0 : 1 };
  const isOver = (name: keyof BudgetAmount, amount: number) => amount > (limit[name] ?? Infinity);
  const isAsked = (name: keyof BudgetAmount) => name !== 'runs' || needed.runs > 0;
  const over = amounts.find((name) => isAsked(name) && isOver(name, spent[name] + needed[name]));
  if (over === undefined) return undefined;
  const tooLarge = amounts.find((name) => isOver(name, needed[name]));
  if (tooLarge !== undefined) {
    const refused = tooLargeWords(asked, tooLarge, { limit, needs: needed[tooLarge] });
    return { refused, isTooLarge: true };
  }
  const left = Math.max(0, dollars((limit[over] ?? 0) - spent[over]));
  return {
    refused: accountWords(asked, over, { limit, left, needs: needed[over] }, periodEnd(rule.per, now)),
  };
}

/** Counts a reservation that fits. The same id counts once. */
export function reserve(before: Ledger, asked: Reservation, now: number): Step {
  const { rule, id, call, attempt, run, estimate } = asked;
  const ledger = brought(underRule(before, rule), now);
  if (isKnown(ledger, id)) {
    const warning = ledger.open.find((one) => one.id === id)?.warning;
    return { ledger, answer: { warning } };
  }
  const mine = { id, call, attempt, run, estimate, at: now, from: ledger.days[0].from };
  const open = ledger.open.map((one) => (isBefore(one, asked) ? { ...one, lost: true as const } : one));
  const next = withWarning(bounded(withRun({ ...ledger, open: [...open, mine] }, mine), now), now);
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
  const counted = added(
    withoutUnbegun({ ...before, open, settled }, found, spent),
    found.from,
    field,
    spent ?? found.estimate,
  );
  return withWarning(bounded(counted, now), now);
}

/** Adds to the limits of the current period. The same id of the same sender adds once. */
export function extend(before: Ledger, message: BudgetExtension, now: number): Ledger {
  if (grantOf(before, message) !== undefined) return before;
  const ledger = brought(before, now);
  const { from } = currentPeriod(ledger);
  const [today, ...past] = ledger.days;
  const grants = [...(today.grants ?? []), { ...message, at: now }];
  const days = withLatestGrants([{ ...today, extra: extended(today.extra, message), grants }, ...past]);
  // The next share may be passed again, and is worth another warning.
  return { ...ledger, days: days.map((day) => (day.from < from ? day : { ...day, warned: [] })) };
}

export function reportOf(before: Ledger, now: number): BudgetReport {
  const { account } = before;
  const { rule } = account;
  const ledger = brought(before, now);
  const starts = lastStarts(rule.per, ledger.days[0].from, KEPT_PERIODS);
  const periods = starts.map((from) => periodOf(ledger, from));
  const kept = periods.filter((period, index) => index === 0 || !isUnused(period) || period.open.length > 0);
  return { ...account, periods: kept.map((period) => periodReport(rule, period)) };
}

/** Nothing would be lost if the ledger were forgotten: all that it counted is in periods that no report has any more. */
export function isEmpty(before: Ledger, now: number): boolean {
  const { days, open } = bounded(brought(before, now), now);
  return open.length === 0 && days.every(isUnused);
}

/** Time after which a ledger without messages may be empty. */
export function keptMs({ account }: Ledger): number {
  return (account.rule.per === 'day' ? 1 : 31) * (KEPT_PERIODS + 1) * 24 * 3_600_000;
}

interface Step {
  ledger: Ledger;
  answer: BudgetAnswer;
}

type Current = Ledger & { days: [LedgerDay, ...LedgerDay[]] };

/** Warns once a period, with the message that passes the share. */
function withWarning(before: Ledger, now: number): Step {
  const { rule, key } = before.account;
  const ledger = brought(before, now);
  const period = currentPeriod(ledger);
  const share = shareOf(spentIn(period), limitOf(rule, period.extra));
  if (period.warned.includes(rule.per) || share < rule.warnAt) return { ledger, answer: { share } };
  const warning = shareWords({ rule, key }, share);
  const [today, ...past] = ledger.days;
  const days = [{ ...today, warned: [...today.warned, rule.per] }, ...past] as const;
  return { ledger: { ...ledger, days: [...days] }, answer: { warning, share } };
}

function isSameRule(one: BudgetRule, other: BudgetRule): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The ledger with the rule that the config has now. It counts days, so that no rule forgets what another one has counted. */
function underRule(ledger: Ledger, rule: BudgetRule): Ledger {
  const { account } = ledger;
  return isSameRule(account.rule, rule) ? ledger : { ...ledger, account: { ...account, rule } };
}

/** The ledger with the current day, without days that no report has. A clock that goes back stays in the latest day. */
function brought(ledger: Ledger, now: number): Current {
  const [first, ...others] = ledger.days;
  const from = periodStart('day', now);
  if (first !== undefined && first.from >= from) return { ...ledger, days: [first, ...others] };
  const today = emptyDay(from);
  const { per } = ledger.account.rule;
  // A rule of days may become one of months, which then has the days of this month.
  const since = Math.min(periodStart('month', from), lastStarts(per, from, KEPT_PERIODS).at(-1) ?? from);
  const isOpen = (day: LedgerDay) => ledger.open.some((one) => one.from === day.from);
  const kept = ledger.days.filter(
    (day) => day.from >= since && (isOpen(day) || !isUnused(day) || day.warned.length > 0),
  );
  return { ...ledger, ...runsSince(ledger, since), days: [today, ...kept] };
}

function currentPeriod(ledger: Current): Period {
  return periodOf(ledger, periodStart(ledger.account.rule.per, ledger.days[0].from));
}

/** The day or month that begins at `from`. */
function periodOf({ account, days, open }: Current, from: number): Period {
  const to = periodEnd(account.rule.per, from);
  const isIn = (at: { from: number }) => at.from >= from && at.from < to;
  const period = days.filter(isIn).reduce<Omit<Period, 'open'>>(
    (all, { used, unsettled, runs = 0, extra, grants = [], warned }) => ({
      from,
      used: sum(all.used, used),
      unsettled: sum(all.unsettled, unsettled),
      runs: all.runs + runs,
      extra: extended(all.extra, extra),
      grants: [...grants, ...(all.grants ?? [])],
      warned: [...all.warned, ...warned],
    }),
    { ...emptyDay(from), runs: 0 },
  );
  return { ...period, open: open.filter(isIn) };
}

function emptyDay(from: number): LedgerDay {
  return { from, used: none, unsettled: none, extra: {}, warned: [] };
}

function isUnused({ used, unsettled, extra }: LedgerDay): boolean {
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

/** Adds to the day of this start, if the ledger still has it. */
function added(ledger: Ledger, from: number, field: 'used' | 'unsettled', spent: BudgetUse): Ledger {
  const days = ledger.days.map((day) =>
    day.from === from ? { ...day, [field]: sum(day[field], spent) } : day,
  );
  return { ...ledger, days };
}
