import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import {
  type BudgetAccount,
  type BudgetAnswer,
  BUDGET_USED_UP,
  MODEL_BUDGET,
  RESERVE,
  type Reservation,
  SETTLE,
  type Settlement,
  ledgerId,
} from '../../agent/budgets/budget-rule.ts';
import { type Ledger, newLedger } from '../../agent/budgets/ledger.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { type TokenEstimates, createTokenEstimates } from './token-estimates.ts';

/** Parts of a worker that its model calls with budgets use. */
export interface BudgetParts {
  /** Accounts that count the calls of a run. */
  budgetsOf(manifest: Pick<AgentManifest, 'name' | 'tenant'>): BudgetAccount[];
  /** Task queue of the workflow that keeps a ledger. `own`: the queue of the model call. */
  runQueueOf(own: string): string;
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

export type ReservationResult =
  ({ type: 'granted' } & BudgetAnswer) | { type: 'refused'; text: string } | { type: 'unanswered' };

/** Messages to the workflow that keeps one account. */
export interface LedgerClient {
  readonly account: BudgetAccount;
  readonly workflowId: string;
  reserve(reservation: Reservation): Promise<ReservationResult>;
  /** Never throws: an answer of the model is worth more than its count. The estimate stays where the ledger does not answer. */
  settle(settlement: Settlement): Promise<BudgetAnswer>;
}

/** Longest wait for the workflow's answer. */
const ANSWER_MS = 10_000;
/** Time until another worker continues the workflow of a worker that died. Temporal's default is 10 s. */
const TASK_MS = 5_000;
/** A message whose answer is lost is sent again. It counts once. */
const TRIES = 3;

export function createBudgetKeeper(parts: BudgetParts): BudgetKeeper {
  /** Ids of ledgers that refused their last reservation. */
  const refusing = new Set<string>();
  /** End of the last message to each ledger. */
  const turns: Turns = new Map();
  const rank = ({ workflowId }: LedgerClient) => (refusing.has(workflowId) ? 0 : 1);
  return {
    ...parts,
    estimates: createTokenEstimates(),
    ledgersOf(client, own, manifest) {
      const taskQueue = parts.runQueueOf(own);
      return parts
        .budgetsOf(manifest)
        .map((account) => createLedgerClient(client, taskQueue, account, { refusing, turns }))
        .sort((a, b) => rank(a) - rank(b));
    },
  };
}

function createLedgerClient(
  client: Client,
  taskQueue: string,
  account: BudgetAccount,
  { refusing, turns }: { refusing: Set<string>; turns: Turns },
): LedgerClient {
  const workflowId = ledgerId(taskQueue, account.rule.name, account.key);
  const sendNow = createSender(client, workflowId, taskQueue, account);
  const send = (name: string, sent: Reservation | Settlement) =>
    inTurn(turns, workflowId, () => sendNow(name, sent));
  return {
    account,
    workflowId,
    async reserve(reservation) {
      try {
        const answer = await send(RESERVE, reservation);
        refusing.delete(workflowId);
        return { type: 'granted', ...answer };
      } catch (error) {
        const text = refusalIn(error);
        if (text === undefined) return { type: 'unanswered' };
        refusing.add(workflowId);
        return { type: 'refused', text };
      }
    },
    settle(settlement) {
      return send(SETTLE, settlement).catch(() => ({}));
    },
  };
}

type Turns = Map<string, Promise<unknown>>;

/** Sends one message of this worker at a time to a ledger: the server has no more than ten updates of a workflow under way. */
function inTurn<T>(turns: Turns, workflowId: string, send: () => Promise<T>): Promise<T> {
  const last = turns.get(workflowId) ?? Promise.resolve();
  const mine = last.then(send);
  const end = mine
    .catch(() => undefined)
    .then(() => {
      if (turns.get(workflowId) === end) turns.delete(workflowId);
    });
  turns.set(workflowId, end);
  return mine;
}

type LedgerWorkflow = (first: Ledger) => Promise<void>;

/** The first worker that asks starts the workflow. */
function createSender(client: Client, workflowId: string, taskQueue: string, account: BudgetAccount) {
  const once = (name: string, sent: Reservation | Settlement) =>
    client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.executeUpdateWithStart<LedgerWorkflow, BudgetAnswer, [Reservation | Settlement]>(name, {
        args: [sent],
        startWorkflowOperation: new WithStartWorkflowOperation<LedgerWorkflow>(MODEL_BUDGET, {
          workflowId,
          taskQueue,
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowTaskTimeout: TASK_MS,
          args: [newLedger(account)],
        }),
      }),
    );
  return async (name: string, sent: Reservation | Settlement): Promise<BudgetAnswer> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await once(name, sent);
      } catch (error) {
        if (refusalIn(error) !== undefined || tries === TRIES) throw error;
      }
    }
  };
}

/** The sentence of a ledger that refused a reservation. */
function refusalIn(error: unknown): string | undefined {
  const cause = fieldOf(error, 'cause');
  return fieldOf(cause, 'type') === BUDGET_USED_UP ? String(fieldOf(cause, 'message')) : undefined;
}
