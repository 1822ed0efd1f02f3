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
  type BudgetAnswer,
  type BudgetExtension,
  type BudgetReport,
  COUNT,
  EXTEND,
  type LedgerEntry,
  REPORT,
  isLedgerEntries,
} from '../agent/budgets/budget-rule.ts';
import type { Ledger } from '../agent/budgets/ledger-state.ts';
import { repeatProblem } from '../agent/budgets/grants.ts';
import { extensionProblem } from '../agent/budgets/budget-extension.ts';
import { count, extend, isEmpty, keptMs, refusals, reportOf } from '../agent/budgets/ledger.ts';

const countUpdate = defineUpdate<BudgetAnswer[], [LedgerEntry[]]>(COUNT);
const extendUpdate = defineUpdate<BudgetReport, [BudgetExtension]>(EXTEND);
const reportQuery = defineQuery<BudgetReport>(REPORT);

const BY_WORKERS = 'Sent by workers that call the model. There is nothing to type.';

/** Keeps the ledger of one account of a budget for all workers of a task queue. */
export async function modelBudget(first: Ledger): Promise<void> {
  let ledger = first;
  setHandler(
    countUpdate,
    (entries) => {
      const counted = count(ledger, entries, Date.now());
      ledger = counted.ledger;
      return counted.answers;
    },
    {
      // A refused update leaves no event, however often calls that wait ask again.
      validator(...[entries]: unknown[]) {
        if (!isLedgerEntries(entries)) throw new Error(`${COUNT}: workers send this message.`);
        const refused = refusals(ledger, entries, Date.now());
        if (refused === undefined) return;
        throw ApplicationFailure.nonRetryable('Nothing fits in the budget.', BUDGET_USED_UP, ...refused);
      },
      description: BY_WORKERS,
    },
  );
  setHandler(
    extendUpdate,
    (message) => {
      ledger = extend(ledger, message, Date.now());
      return reportOf(ledger, Date.now());
    },
    {
      validator(message: BudgetExtension) {
        const problem = extensionProblem(message, ledger.account.rule) ?? repeatProblem(ledger, message);
        if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'InvalidInput');
      },
      description:
        'Adds to the current day or month: { "cost": 5 } in US dollars, { "totalTokens": 10000 } or { "runs": 10 }, with your name: { "cost": 5, "by": "ada" }.',
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
