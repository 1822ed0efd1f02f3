import type { BudgetUse } from './budget-rule.ts';
import type { CountedRun, Ledger, OpenReservation } from './ledger-state.ts';

/** Runs that a ledger knows. One that it has forgotten counts again when it asks once more. */
const MOST_RUNS = 5_000;

export function isCounted({ runs = [] }: Ledger, run: string | undefined): boolean {
  return run === undefined || runs.some((one) => one.run === run);
}

/** Counts the run of a reservation in the day of the reservation, if the run is not counted yet. */
export function withRun(ledger: Ledger, { run, at, from }: OpenReservation): Ledger {
  if (run === undefined) return ledger;
  const { runs = [] } = ledger;
  const known = runs.find((one) => one.run === run);
  const counted: CountedRun = { run, at, from: known?.from ?? from, requests: (known?.requests ?? 0) + 1 };
  const all = [...runs.filter((one) => one !== known), counted].slice(-MOST_RUNS);
  return known === undefined ? added({ ...ledger, runs: all }, from, 1) : { ...ledger, runs: all };
}

/** Takes a run back whose requests have all ended before they cost anything: the run has not begun. */
export function withoutUnbegun(ledger: Ledger, { run }: OpenReservation, spent: BudgetUse | null): Ledger {
  const { runs = [] } = ledger;
  const known = runs.find((one) => one.run === run);
  if (known === undefined || spent === null || spent.calls > 0) return ledger;
  if (known.requests === 1)
    return added({ ...ledger, runs: runs.filter((one) => one !== known) }, known.from, -1);
  const fewer = { ...known, requests: known.requests - 1 };
  return { ...ledger, runs: runs.map((one) => (one === known ? fewer : one)) };
}

/** Forgets runs that have not asked since a time. */
export function runsSince({ runs }: Ledger, since: number): Pick<Ledger, 'runs'> {
  return runs === undefined ? {} : { runs: runs.filter(({ at }) => at >= since) };
}

function added(ledger: Ledger, from: number, more: number): Ledger {
  const days = ledger.days.map((day) => (day.from === from ? { ...day, runs: (day.runs ?? 0) + more } : day));
  return { ...ledger, days };
}
