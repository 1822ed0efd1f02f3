export { InvalidInput } from '../../agent/values/refusal.ts';
export { TemporalUnreachable } from '../../local/server/launcher-error.ts';
import type { RunReport } from '../report.ts';
import { advised, cliName } from './cli-name.ts';

/** A run that failed; `report` has everything up to there, the steps above all. */
export class AgentRunFailed extends Error {
  override name = 'AgentRunFailed';
  /** Type of the cause: `ModelAuthenticationError`, `AgentNotFound`, a tool's own. */
  readonly type: string;
  readonly report: RunReport;

  constructor(report: RunReport) {
    super(report.error?.message ?? 'The run failed.');
    this.type = report.error?.type ?? 'Error';
    this.report = report;
  }
}

/** A run that was cancelled; `report` has the steps it had taken. */
export class AgentRunCancelled extends Error {
  override name = 'AgentRunCancelled';
  readonly report: RunReport;

  constructor(report: RunReport) {
    super(`Run ${report.id} was cancelled after ${report.intermediateSteps.length} steps.`);
    this.report = report;
  }
}

/** There is no run of that id. */
export class RunNotFound extends Error {
  override name = 'RunNotFound';

  /** `found`: a sentence about the workflow of that id that is not a run. */
  constructor(id: string, { found, ...options }: ErrorOptions & { found?: string } = {}) {
    super(found ?? `There is no run "${id}".`, options);
    if (found === undefined) advised(this, `\`${cliName()} list\` shows those there are.`);
  }
}

/** There is no session of that name (any more). */
export class SessionNotFound extends Error {
  override name = 'SessionNotFound';

  constructor(name: string, options?: ErrorOptions) {
    super(`There is no session "${name}", or it has ended.`, options);
    advised(this, `\`${cliName()} session list\` shows those there are.`);
  }
}

/** There is no schedule of that name that starts runs. */
export class ScheduleNotFound extends Error {
  override name = 'ScheduleNotFound';

  constructor(name: string, options?: ErrorOptions) {
    super(`There is no schedule "${name}" that starts runs.`, options);
    advised(this, `\`${cliName()} schedule list\` shows those there are.`);
  }
}

/** No run has used a budget of that name and key, or all that it counted is long over. */
export class BudgetNotFound extends Error {
  override name = 'BudgetNotFound';

  constructor(name: string, key: string, options?: ErrorOptions) {
    const of = key === '' ? '' : ` of "${key}"`;
    super(`No run has used a budget "${name}"${of}.`, options);
    advised(this, `\`${cliName()} budgets\` shows those that runs have used, with their keys.`);
  }
}

/** A decision that does not fit; the message names those that do. Nothing was changed. */
export class DecisionRefused extends Error {
  override name = 'DecisionRefused';
}

/** No worker has taken a decision or a message, and its sender does not wait longer. The run may take it later. */
export class RunNotTaking extends Error {
  override name = 'RunNotTaking';

  constructor(waitedMs: number, options?: ErrorOptions) {
    super(
      `No worker has taken this in ${waitedMs / 1000} s: perhaps none is running. A worker that comes may still take it, so look at the run before you send it again.`,
      options,
    );
  }
}

/** The value of the promise; undefined where it rejects with an error of this class. */
export async function unless<T>(
  ErrorClass: typeof RunNotFound | typeof SessionNotFound | typeof ScheduleNotFound,
  promise: Promise<T>,
): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ErrorClass) return undefined;
    throw error;
  }
}

/** The client was closed while it was asked for something. What it was asked about continues. */
export class ClientClosed extends Error {
  override name = 'ClientClosed';

  constructor(options?: ErrorOptions) {
    super('The client was closed. Runs continue; ask again with another client.', options);
  }
}
