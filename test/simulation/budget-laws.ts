import {
  type BudgetAmount,
  type BudgetAnswer,
  type BudgetReport,
  type BudgetUse,
  COUNT,
  type EXTEND,
  type LedgerEntry,
  MODEL_BUDGET,
} from '../../agent/budgets/budget-rule.ts';
import type { Execution } from './execution.ts';
import type { Law, Seen } from './laws.ts';
import type { Values } from './values.ts';
import type { Asked } from './world-model.ts';

/** Laws about budgets above runs. They count the messages in the histories of the ledgers once more, as simply as it can be done. */
export const budgetLaws: readonly Law[] = [budgetsAreWhatWasBilled];

interface Account {
  id: string;
  limit: number;
  extra: number;
  /** Estimates of requests whose end nobody has reported yet. */
  open: Map<string, BudgetUse>;
  /** Tokens of requests that were settled, by the id of the reservation. null: nobody knows how the request ended. */
  settled: Map<string, number | null>;
  used: BudgetUse;
  unsettled: BudgetUse;
  /** The run of each reservation that was not taken back, by the id of the reservation. */
  runs: Map<string, string>;
  problems: string[];
}

/**
 * A ledger counts each message once, and holds no more than its limit when it takes a reservation. Each bill of the model is counted once,
 * by its amount; where nobody knows the request's end, by the request's estimate.
 */
function budgetsAreWhatWasBilled(seen: Seen): string[] {
  const { server, values } = seen;
  const idOf = new Map(server.executions.map(({ runId, id }) => [runId, id]));
  const ledgers = server.executions.filter(({ request }) => request.type === MODEL_BUDGET);
  return [...new Set(ledgers.map(({ id }) => id))].flatMap((id) => {
    const account = newAccount(id);
    for (const message of ledgers.filter((one) => one.id === id).flatMap((one) => messagesOf(one, values)))
      take(account, message, idOf);
    return [...account.problems, ...billProblems(account, seen)];
  });
}

function newAccount(id: string): Account {
  const nothing = { calls: 0, totalTokens: 0, cost: 0 };
  return {
    id,
    limit: Infinity,
    extra: 0,
    open: new Map(),
    settled: new Map(),
    used: nothing,
    unsettled: nothing,
    runs: new Map(),
    problems: [],
  };
}

type Message =
  | { name: typeof COUNT; args: [LedgerEntry[]]; outcome: BudgetAnswer[] }
  | { name: typeof EXTEND; args: [BudgetAmount]; outcome: BudgetReport };

/** Messages that a ledger has taken, with its answers, in the order in which it took them. */
function messagesOf({ history }: Execution, values: Values): Message[] {
  const outcomes = new Map(
    history.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: end }) =>
      end ? [[Number(end.acceptedEventId), end.outcome?.success?.payloads?.[0]] as const] : [],
    ),
  );
  return history.flatMap(({ eventId, workflowExecutionUpdateAcceptedEventAttributes: taken }) => {
    const input = taken?.acceptedRequest?.input;
    const outcome = outcomes.get(Number(eventId));
    if (!input || !outcome) return [];
    const args = (input.args?.payloads ?? []).map((payload) => values.read(payload));
    return [{ name: input.name, args, outcome: values.read(outcome) } as Message]; // of our workers and clients
  });
}

function take(account: Account, message: Message, idOf: ReadonlyMap<string, string>): void {
  if (message.name === COUNT) {
    message.args[0].forEach((entry, at) => takeEntry(account, entry, message.outcome[at] ?? {}, idOf));
    return;
  }
  account.extra += message.args[0].totalTokens ?? 0;
  checkReport(account, message.outcome);
}

function takeEntry(
  account: Account,
  entry: LedgerEntry,
  { refused }: BudgetAnswer,
  idOf: ReadonlyMap<string, string>,
): void {
  const { id, open, settled, problems } = account;
  if (entry.type === 'settle') {
    const estimate = open.get(entry.id);
    if (estimate === undefined) return;
    open.delete(entry.id);
    settled.set(entry.id, entry.spent && entry.spent.totalTokens);
    if (entry.spent?.calls === 0) account.runs.delete(entry.id);
    if (entry.spent === null) account.unsettled = sum(account.unsettled, estimate);
    else account.used = sum(account.used, entry.spent);
    return;
  }
  account.limit = entry.rule.totalTokens ?? Infinity;
  if (refused !== undefined || open.has(entry.id) || settled.has(entry.id)) return;
  open.set(entry.id, entry.estimate);
  // A run keeps its workflow id, and has other run ids when it is retried, rewound and continued as new.
  const of = idOf.get(entry.call.split('/')[0] ?? '');
  if (entry.run !== undefined && of !== undefined) account.runs.set(entry.id, of);
  const held = heldBy(account).totalTokens;
  const most = account.limit + account.extra;
  if (held > most)
    problems.push(`${id} holds ${held} tokens with a new reservation, and its limit is ${most}`);
}

function checkReport(account: Account, { periods: [now] }: BudgetReport): void {
  const { id, used, limit, extra, problems } = account;
  const runs = new Set(account.runs.values()).size;
  const expected = { used, runs, held: heldBy(account), most: limit + extra };
  const found = now && {
    used: now.used,
    runs: now.runs,
    held: sum(sum(now.used, now.unsettled), now.reserved),
    most: now.limit.totalTokens,
  };
  const [one, other] = [found, expected].map((all) => JSON.stringify(all));
  if (one !== other) problems.push(`${id} reports ${one}, and its messages are ${other}`);
}

/** Compares the account with the bills of the model. */
function billProblems(account: Account, { world, isDisturbed }: Seen): string[] {
  const { id, settled, open, unsettled, used } = account;
  const billed = world.asked.filter((one) => one.billed !== undefined && isOf(id, one));
  const left = new Set(billed.map((one) => one.billed));
  const counted = [...settled.values()].filter((tokens) => tokens !== null && tokens > 0);
  const wrong = counted
    .filter((tokens) => !left.delete(tokens ?? undefined))
    .map((tokens) => `${id} counts ${tokens} tokens, which the model has not billed, or has billed once`);
  const missing = left.size - unsettled.calls - open.size;
  if (missing > 0)
    wrong.push(`${id} lacks ${missing} of ${billed.length} bills, and no estimate stands for them`);
  if (isDisturbed) return wrong;
  if (open.size > 0) wrong.push(`${id} has ${open.size} reservations of requests that are over`);
  if (used.calls + unsettled.calls > world.asked.filter((one) => isOf(id, one)).length)
    wrong.push(`${id} counts more requests than the model got`);
  return wrong;
}

/** A ledger's id ends with its budget and its key: `reloop-budgets/QUEUE/agents/helper`. */
function isOf(ledger: string, { agent }: Asked): boolean {
  return ledger.endsWith('/all') || ledger.endsWith(`/${agent}`);
}

function heldBy({ open, used, unsettled }: Account): BudgetUse {
  return [...open.values()].reduce(sum, sum(used, unsettled));
}

function sum(a: BudgetUse, b: BudgetUse): BudgetUse {
  return { calls: a.calls + b.calls, totalTokens: a.totalTokens + b.totalTokens, cost: a.cost + b.cost };
}
