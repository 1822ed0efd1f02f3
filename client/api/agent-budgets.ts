import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import {
  type BudgetAmount,
  type BudgetExtension,
  type BudgetReport,
  EXTEND,
  MODEL_BUDGET,
  REPORT,
  ledgerId,
  ledgerPrefix,
} from '../../agent/budgets/budget-rule.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { abortable, isNoWorkflow } from '../../history/read/pages.ts';
import { BudgetNotFound, InvalidInput } from '../connect/errors.ts';
import { senderOf } from '../connect/client-of-sender.ts';
import { openMethods } from '../connect/open-calls.ts';
import { patiently } from '../connect/update-run.ts';

const AT_ONCE = 10;

export interface ExtendOptions {
  /** The same id of the same sender extends once: a request whose answer was lost can be sent again. Default: none. */
  id?: string | undefined;
}

/** Budgets above runs, of one task queue. All methods take a worker of the queue. */
export class AgentBudgets {
  readonly #temporal: Client;
  readonly #taskQueue: string;

  static {
    openMethods(this, (budgets) => budgets.#temporal);
  }

  constructor(temporal: Client, taskQueue: string) {
    this.#temporal = temporal;
    this.#taskQueue = taskQueue;
  }

  /** Accounts that runs have used: by name of the budget, then by key. */
  async list(): Promise<BudgetReport[]> {
    const temporal = this.#temporal;
    const query = `WorkflowType = "${MODEL_BUDGET}" AND ExecutionStatus = "Running"`;
    const ids: string[] = [];
    for await (const { workflowId } of temporal.workflow.list({ query })) {
      if (workflowId.startsWith(ledgerPrefix(this.#taskQueue))) ids.push(workflowId);
    }
    return aFewAtATime(ids.sort(), AT_ONCE, (id) =>
      abortable(temporal, undefined, () => temporal.workflow.getHandle(id).query<BudgetReport>(REPORT)),
    );
  }

  /**
   * Adds to the limits of one account, for the current day or month. Calls that wait for it continue within 20 s. `key`: name of the agent
   * or tenant. The report has the name of the client's sender. Throws BudgetNotFound, InvalidInput.
   */
  async extend(
    name: string,
    { cost, totalTokens, runs }: BudgetAmount,
    key = '',
    { id }: ExtendOptions = {},
  ): Promise<BudgetReport> {
    const message = { cost, totalTokens, runs, id, by: senderOf(this.#temporal) };
    const handle = this.#temporal.workflow.getHandle(ledgerId(this.#taskQueue, name, key));
    try {
      return await patiently(this.#temporal, () =>
        handle.executeUpdate<BudgetReport, [BudgetExtension]>(EXTEND, { args: [message] }),
      );
    } catch (error) {
      if (isNoWorkflow(error)) throw new BudgetNotFound(name, key, { cause: error });
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new InvalidInput(error.cause?.message ?? error.message, { cause: error });
    }
  }
}
