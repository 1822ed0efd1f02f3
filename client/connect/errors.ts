export { InvalidInput } from '../../agent/values/refusal.ts';
export { TemporalUnreachable } from '../../server/launcher-error.ts';
import type { RunReport } from '../report.ts';
import { cliName } from './cli-name.ts';

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

  constructor(id: string, options?: ErrorOptions) {
    super(`There is no run "${id}". \`${cliName()} list\` shows those there are.`, options);
  }
}

/** There is no session of that name (any more). */
export class SessionNotFound extends Error {
  override name = 'SessionNotFound';

  constructor(name: string, options?: ErrorOptions) {
    super(
      `There is no session "${name}", or it has ended. \`${cliName()} session list\` shows those there are.`,
      options,
    );
  }
}

/** There is no schedule of that name that starts runs. */
export class ScheduleNotFound extends Error {
  override name = 'ScheduleNotFound';

  constructor(name: string, options?: ErrorOptions) {
    super(
      `There is no schedule "${name}" that starts runs. \`${cliName()} schedule list\` shows those there are.`,
      options,
    );
  }
}

/** A decision that does not fit; the message names those that do. Nothing was changed. */
export class DecisionRefused extends Error {
  override name = 'DecisionRefused';
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
