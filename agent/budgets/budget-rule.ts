import { isObject } from '../values/json-object.ts';
import { queuePrefix } from '../values/names.ts';

/** The protocol between workers, clients and the workflow that keeps the ledger of one budget. */

/** A budget above runs, as the config gives it. At least one of `cost`, `totalTokens` and `runs` is given. */
export interface BudgetDefinition {
  /** Letters, digits, `-` and `_`. */
  name: string;
  /** `agent`, `tenant`: each of them has its own account. `all`: one account. Default 'all'. */
  of?: 'all' | 'agent' | 'tenant' | undefined;
  /** The one agent, or the one tenant, that has the budget. */
  only?: string | undefined;
  /** Calendar day or month, in UTC. */
  per: 'day' | 'month';
  /** US dollars a day or month; takes a price of each model. */
  cost?: number | undefined;
  /** Tokens a day or month, of prompts and replies together. */
  totalTokens?: number | undefined;
  /** Runs that may begin to ask a model in a day or month. */
  runs?: number | undefined;
  /**
   * A model call that does not fit waits for the next day or month; or it fails with `BudgetUsedUp`, which the agent's
   * `onModelFailure` applies to; or it stops its run, with the reason `budget`. Default 'wait'.
   */
  onEnd?: BudgetRule['onEnd'] | undefined;
  /** Share from 0 to 1 at which a warning is given, once a day or month. Default 0.8. */
  warnAt?: number | undefined;
}

/** A budget with its defaults. */
export interface BudgetRule extends BudgetAmount {
  name: string;
  of: 'all' | 'agent' | 'tenant';
  per: 'day' | 'month';
  onEnd: 'wait' | 'fail' | 'stop';
  warnAt: number;
}

/** Limits of a budget, or additions to them. */
export interface BudgetAmount {
  /** US dollars. */
  cost?: number | undefined;
  totalTokens?: number | undefined;
  runs?: number | undefined;
}

/** Message that adds to the limits of an account, for the current day or month. */
export interface BudgetExtension extends BudgetAmount {
  /** The same id of the same sender extends once. */
  id?: string | undefined;
  /** Name of the sender. */
  by?: string | undefined;
}

/** An extension in a report. */
export interface BudgetGrant extends BudgetAmount {
  /** Milliseconds since 1970. */
  at: number;
  /** Name of the sender, if there was one. */
  by?: string | undefined;
}

/** One account of a budget. `key`: name of the agent or tenant; '' for all, and for runs without a tenant. */
export interface BudgetAccount {
  rule: BudgetRule;
  key: string;
}

/** Used or estimated amounts. */
export interface BudgetUse {
  calls: number;
  totalTokens: number;
  /** US dollars. */
  cost: number;
}

/** Workflow type. */
export const MODEL_BUDGET = 'modelBudget';
/** Names of the updates and of the query. */
export const COUNT = 'count';
export const EXTEND = 'extend';
export const REPORT = 'report';

/** Type of the failure of a reservation that does not fit in the budget, and of a model call that fails for it. */
export const BUDGET_USED_UP = 'BudgetUsedUp';

/** Start of the ids of all ledgers of a task queue. */
export function ledgerPrefix(taskQueue: string): string {
  return queuePrefix('reloop-budgets', taskQueue);
}

/** Id of the workflow: one for each task queue, budget and key. */
export function ledgerId(taskQueue: string, name: string, key: string): string {
  return `${ledgerPrefix(taskQueue)}${name}${key === '' ? '' : `/${key}`}`;
}

/** Asked before a request to a model. */
export interface Reservation extends BudgetAccount {
  /** Unique: the same message, sent again, counts once. */
  id: string;
  /** The activity that asks, by run and activity id. */
  call: string;
  /** Number that grows with each attempt of the activity: earlier attempts will not settle any more. */
  attempt: number;
  /** The run, by a hash of its id. Only for a budget of runs. */
  run?: string | undefined;
  estimate: BudgetUse;
}

/** A message has many of them: the server has no more than ten updates of a workflow under way, and 2,000 in all. */
export type LedgerEntry = ({ type: 'reserve' } & Reservation) | ({ type: 'settle' } & Settlement);

/** Most entries of one message. */
export const MOST_ENTRIES = 500;

/** Answer to one entry. */
export interface BudgetAnswer {
  /** Sentence for a reservation that does not fit. It is not counted. */
  refused?: string | undefined;
  /** The refused reservation is larger than all of the budget, so that no wait helps. */
  isTooLarge?: true | undefined;
  /** Set for the message with which the budget's share `warnAt` is passed. */
  warning?: string | undefined;
  /** Share of the budget that is used, reserved or unsettled, of an entry that is counted. */
  share?: number | undefined;
}

/** Sent after the request has ended. */
export interface Settlement {
  id: string;
  /** null: nobody knows what the request took, so the estimate stays. */
  spent: BudgetUse | null;
}

/** State of an account in one day or month. */
export interface BudgetReport extends BudgetAccount {
  /** The current period first, then those before it that are still kept. */
  periods: BudgetPeriod[];
}

export interface BudgetPeriod {
  /** Times in milliseconds since 1970. */
  from: number;
  to: number;
  /** Includes all extensions. */
  limit: BudgetAmount;
  /** Oldest first. An account keeps its latest 200. */
  extensions: BudgetGrant[];
  /** Counted by the provider. */
  used: BudgetUse;
  /** Estimates of requests under way. */
  reserved: BudgetUse;
  /** Estimates of requests whose end nobody has reported: their worker died, or the connection broke. */
  unsettled: BudgetUse;
  /** Runs that count in the period. 0 where the budget has no limit of them. */
  runs: number;
  /** Largest share of a limit that is used, reserved or unsettled; 1 is all of it. */
  share: number;
  warned: boolean;
}

/** Returns true for messages that a worker of ours has sent: a person may send anything in the Web UI. */
export function isLedgerEntries(value: unknown): value is LedgerEntry[] {
  return Array.isArray(value) && value.length > 0 && value.every(isLedgerEntry);
}

function isLedgerEntry(value: unknown): boolean {
  return isObject(value) && (isReservation(value) || isSettlement(value));
}

interface Fields {
  [field: string]: unknown;
}

function isReservation({ type, id, call, attempt, run = '', rule, key, estimate }: Fields): boolean {
  return (
    type === 'reserve' &&
    [id, call, run, key].every((text) => typeof text === 'string') &&
    Number.isFinite(attempt) &&
    isObject(rule) &&
    ['day', 'month'].includes(String(rule['per'])) &&
    isSpent(estimate)
  );
}

function isSettlement({ type, id, spent }: Fields): boolean {
  return type === 'settle' && typeof id === 'string' && (spent === null || isSpent(spent));
}

function isSpent(value: unknown): boolean {
  return (
    isObject(value) &&
    ['calls', 'totalTokens', 'cost'].every((name) => Number.isFinite(value[name]) && Number(value[name]) >= 0)
  );
}
