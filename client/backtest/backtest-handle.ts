import type { Client } from '@temporalio/client';
import type { BacktestReport } from '../../agent/backtest/backtest-report.ts';
import { type BacktestProgress, readBacktest } from '../../history/views/backtest-record.ts';
import { backtestId } from '../../workflows/messages.ts';
import { openMethods } from '../connect/open-calls.ts';
import { InvalidInput } from '../connect/errors.ts';
import { orMissing } from '../read/run-location.ts';

/** A backtest, wherever it is; read from history, so no worker is needed to look at it. */
export class Backtest {
  /** Name of the backtest; the workflow's id is `backtest:NAME`. */
  readonly id: string;
  readonly #client: Client;

  static {
    openMethods(this, (backtest) => backtest.#client);
  }

  constructor(client: Client, id: string) {
    this.#client = client;
    this.id = id;
  }

  get workflowId(): string {
    return backtestId(this.id);
  }

  /** The state of the backtest after each repeated run, from the beginning until it ends. */
  async *progress(): AsyncGenerator<BacktestProgress> {
    yield* this.#read(true);
  }

  /** Waits until all runs were asked again. A backtest that was cancelled has a report too. */
  report(): Promise<BacktestReport> {
    return this.#last(true);
  }

  /** The current state of the backtest. */
  describe(): Promise<BacktestReport> {
    return this.#last(false);
  }

  /** Cancels the backtest with its runs. Resolves when the request is recorded. */
  async cancel(): Promise<void> {
    await orMissing(this.#client.workflow.getHandle(this.workflowId).cancel(), () => noBacktest(this.id));
  }

  async #last(follow: boolean): Promise<BacktestReport> {
    let last: BacktestReport | undefined;
    for await (const { report } of this.#read(follow)) last = report;
    if (last === undefined) throw noBacktest(this.id);
    return last;
  }

  async *#read(follow: boolean): AsyncGenerator<BacktestProgress> {
    const { workflowId, id } = this;
    const described = this.#client.workflow.getHandle(workflowId).describe();
    const { runId } = await orMissing(described, () => noBacktest(id));
    yield* readBacktest(this.#client, { workflowId, runId }, { id, follow });
  }
}

export function noBacktest(id: string): InvalidInput {
  return new InvalidInput(
    `There is no backtest "${id}". To start one, name the recorded runs: --runs, or \`runs\` of client.backtest().`,
  );
}
