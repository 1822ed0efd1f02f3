import {
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  BUDGET_USED_UP,
  type BudgetAmount,
  type BudgetAnswer,
  type BudgetReport,
  EXTEND,
  REPORT,
  RESERVE,
  type Reservation,
  SETTLE,
  type Settlement,
  isReservation,
  isSettlement,
} from '../agent/budgets/budget-rule.ts';
import { extensionProblem } from '../agent/budgets/budget-extension.ts';
import {
  type Ledger,
  extend,
  isEmpty,
  keptMs,
  refusal,
  reportOf,
  reserve,
  settle,
} from '../agent/budgets/ledger.ts';

const reserveUpdate = defineUpdate<BudgetAnswer, [Reservation]>(RESERVE);
const settleUpdate = defineUpdate<BudgetAnswer, [Settlement]>(SETTLE);
const extendUpdate = defineUpdate<BudgetReport, [BudgetAmount]>(EXTEND);
const reportQuery = defineQuery<BudgetReport>(REPORT);

const BY_WORKERS = 'Sent by workers that call the model. There is nothing to type.';

/** Keeps the ledger of one account of a budget for all workers of a task queue. */
export async function modelBudget(first: Ledger): Promise<void> {
  let ledger = first;
  setHandler(
    reserveUpdate,
    (asked) => {
      const next = reserve(ledger, asked, Date.now());
      ledger = next.ledger;
      return next.answer;
    },
    {
      // A refused update leaves no event, however often a call that waits asks again.
      validator(...[asked]: unknown[]) {
        if (!isReservation(asked)) throw new Error(`${RESERVE}: workers send this message.`);
        const message = refusal(ledger, asked, Date.now());
        if (message !== undefined) throw ApplicationFailure.nonRetryable(message, BUDGET_USED_UP);
      },
      description: BY_WORKERS,
    },
  );
  setHandler(
    settleUpdate,
    (sent) => {
      const next = settle(ledger, sent, Date.now());
      ledger = next.ledger;
      return next.answer;
    },
    {
      validator(...[sent]: unknown[]) {
        if (!isSettlement(sent)) throw new Error(`${SETTLE}: workers send this message.`);
      },
      description: BY_WORKERS,
    },
  );
  setHandler(
    extendUpdate,
    (more) => {
      ledger = extend(ledger, more, Date.now());
      return reportOf(ledger, Date.now());
    },
    {
      validator(...[more]: unknown[]) {
        const problem = extensionProblem(more, ledger.account.rule);
        if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'InvalidInput');
      },
      description:
        'Adds to the current day or month: { "cost": 5 } in US dollars, or { "totalTokens": 10000 }.',
    },
  );
  setHandler(reportQuery, () => reportOf(ledger, Date.now()), {
    description: 'Use and limits of the account.',
  });
  do {
    // All handlers are synchronous, so no answer is lost.
    if (await condition(() => workflowInfo().continueAsNewSuggested, keptMs(ledger))) {
      await continueAsNew<typeof modelBudget>(ledger);
    }
  } while (!isEmpty(ledger, Date.now()));
}
