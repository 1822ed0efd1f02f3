import { AsyncResource } from 'node:async_hooks';
import type { Client } from '@temporalio/client';
import {
  type BudgetAccount,
  type BudgetAnswer,
  BUDGET_USED_UP,
  COUNT,
  type LedgerEntry,
  MODEL_BUDGET,
  MOST_ENTRIES,
  type Reservation,
  type Settlement,
  ledgerId,
} from '../../agent/budgets/budget-rule.ts';
import { periodEnd } from '../../agent/budgets/periods.ts';
import { newLedger } from '../../agent/budgets/ledger.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { type CountKeeper, askCountKeeper } from './count-keeper.ts';
import { type Batches, createBatches } from './entry-batches.ts';
import { type TokenEstimates, createTokenEstimates } from './token-estimates.ts';

/** Share of a budget that an account has used, for metrics. `until`: end of the day or month, in milliseconds since 1970. */
export interface BudgetShare {
  name: string;
  key: string;
  share: number;
  until: number;
}

/** Parts of a worker that its model calls with budgets use. */
export interface BudgetParts {
  /** Accounts that count the calls of a run. */
  budgetsOf(manifest: Pick<AgentManifest, 'name' | 'tenant'>): BudgetAccount[];
  /** Task queue of the workflow that keeps a ledger. `own`: the queue of the model call. */
  runQueueOf(own: string): string;
  counted?: ((share: BudgetShare) => void) | undefined;
}

/** The budgets of a worker's model calls. */
export interface BudgetKeeper extends BudgetParts {
  readonly estimates: TokenEstimates;
  /** Ledgers that count the calls of a run. Those that refused last come first: a call that waits leaves no trace in the others. */
  ledgersOf(
    client: Client,
    taskQueue: string,
    manifest: Pick<AgentManifest, 'name' | 'tenant'>,
  ): LedgerClient[];
}

/** Messages to the workflow that keeps one account. */
export interface LedgerClient {
  readonly account: BudgetAccount;
  readonly workflowId: string;
  /** Rejects where the ledger has no answer. It may have counted the reservation. */
  reserve(reservation: Reservation): Promise<BudgetAnswer>;
  /** Never throws: an answer of the model is worth more than its count. The estimate stays where the ledger does not answer. */
  settle(settlement: Settlement): Promise<BudgetAnswer>;
}

/** A message whose answer is lost is sent again. It counts once. */
const TRIES = 3;

export function createBudgetKeeper(parts: BudgetParts): BudgetKeeper {
  /** Ids of ledgers that refused their last reservation. */
  const refusing = new Set<string>();
  /** Messages to each ledger, by its id. */
  const messages = new Map<string, Batches<LedgerEntry, BudgetAnswer>>();
  /** Context in which messages are sent. In that of an attempt, the end of the attempt would cancel entries of others. */
  const outside = new AsyncResource('reloop.budgets');
  const rank = ({ workflowId }: LedgerClient) => (refusing.has(workflowId) ? 0 : 1);
  const messagesOf = (client: Client, taskQueue: string, workflowId: string, account: BudgetAccount) => {
    const known = messages.get(workflowId);
    if (known !== undefined) return known;
    const ledger = { workflowType: MODEL_BUDGET, workflowId, taskQueue, args: [newLedger(account)] };
    const send = (entries: LedgerEntry[]) =>
      outside.runInAsyncScope(() => sendEntries(client, ledger, entries));
    const created = createBatches(send, MOST_ENTRIES);
    messages.set(workflowId, created);
    return created;
  };
  const report = ({ rule, key }: BudgetAccount, { share }: BudgetAnswer) => {
    if (share === undefined) return;
    parts.counted?.({ name: rule.name, key, share, until: periodEnd(rule.per, Date.now()) });
  };
  return {
    ...parts,
    estimates: createTokenEstimates(),
    ledgersOf(client, own, manifest) {
      const taskQueue = parts.runQueueOf(own);
      const ledgers = parts.budgetsOf(manifest).map((account): LedgerClient => {
        const workflowId = ledgerId(taskQueue, account.rule.name, account.key);
        const send = messagesOf(client, taskQueue, workflowId, account);
        return {
          account,
          workflowId,
          async reserve(reservation) {
            const answer = await send({ type: 'reserve', ...reservation });
            report(account, answer);
            if (answer.refused === undefined) refusing.delete(workflowId);
            else refusing.add(workflowId);
            return answer;
          },
          async settle(settlement) {
            const answer = await send({ type: 'settle', ...settlement }).catch((): BudgetAnswer => ({}));
            report(account, answer);
            return answer;
          },
        };
      });
      return ledgers.sort((a, b) => rank(a) - rank(b));
    },
  };
}

/** Sends a message, again if its answer is lost. */
async function sendEntries(
  client: Client,
  ledger: CountKeeper,
  entries: LedgerEntry[],
): Promise<readonly BudgetAnswer[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await askCountKeeper<BudgetAnswer[]>(client, ledger, COUNT, entries);
    } catch (error) {
      const refused = refusalsIn(error);
      if (refused !== undefined) return refused;
      if (tries === TRIES) throw error;
    }
  }
}

/** The answers of a ledger that counted nothing of a message. */
function refusalsIn(error: unknown): BudgetAnswer[] | undefined {
  const cause = fieldOf(error, 'cause');
  if (fieldOf(cause, 'type') !== BUDGET_USED_UP) return undefined;
  return fieldOf(cause, 'details') as BudgetAnswer[]; // of our workflow
}
