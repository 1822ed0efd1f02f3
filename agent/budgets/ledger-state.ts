import { dollars } from '../values/vocabulary.ts';
import type {
  BudgetAccount,
  BudgetAmount,
  BudgetExtension,
  BudgetGrant,
  BudgetRule,
  BudgetUse,
  Reservation,
} from './budget-rule.ts';

/** State of one account, which one workflow keeps for all workers. JSON. */
export interface Ledger {
  account: BudgetAccount;
  /** Days with something counted or granted, the latest first. Never empty after the first message. A month is the sum of its days. */
  days: LedgerDay[];
  /** Reservations that are not settled, oldest first. */
  open: OpenReservation[];
  /** Ids of settled reservations that may still be sent again, oldest first. */
  settled: { id: string; at: number }[];
  /** Runs that were counted, the latest to ask last. Only of a budget of runs. */
  runs?: CountedRun[];
}

export interface CountedRun {
  run: string;
  /** Time of the latest request. */
  at: number;
  /** Day that it counts in. */
  from: number;
  /** Requests that were not turned away unbilled. */
  requests: number;
}

export interface LedgerDay {
  /** Midnight UTC, in milliseconds since 1970. */
  from: number;
  used: BudgetUse;
  unsettled: BudgetUse;
  /** Runs that count in the day. */
  runs?: number;
  /** Additions to the limits of its day or month. */
  extra: BudgetAmount;
  /** The latest of these additions. Ledgers of earlier versions have none. */
  grants?: Grant[];
  /** Warnings that were given on this day: of its use, or of its month's. */
  warned: readonly BudgetRule['per'][];
}

/** An extension, with the id by which it is known when it is sent again. */
export type Grant = BudgetGrant & Pick<BudgetExtension, 'id'>;

export interface OpenReservation extends Pick<Reservation, 'id' | 'call' | 'attempt' | 'run' | 'estimate'> {
  at: number;
  /** Day that it counts in. */
  from: number;
  /** A later attempt of the call has begun. */
  lost?: true;
  warning?: string;
}

export const none: BudgetUse = { calls: 0, totalTokens: 0, cost: 0 };

export function sum(a: BudgetUse, b: BudgetUse): BudgetUse {
  return {
    calls: a.calls + b.calls,
    totalTokens: a.totalTokens + b.totalTokens,
    cost: dollars(a.cost + b.cost),
  };
}

/** Additions to limits, and more of them. A limit without an addition has none. */
export function extended(extra: BudgetAmount, more: BudgetAmount): BudgetAmount {
  const of = (name: keyof BudgetAmount) =>
    more[name] === undefined ? extra[name] : dollars((extra[name] ?? 0) + more[name]);
  return { cost: of('cost'), totalTokens: of('totalTokens'), runs: of('runs') };
}
