export { InvalidInput } from '../agent/invalid-input.ts';
import type { RunReport } from './report.ts';
import { reloop } from './typed-command.ts';

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
    super(`There is no run "${id}". \`${reloop()} list\` shows those there are.`, options);
  }
}

/** There is no session of that name (any more). */
export class SessionNotFound extends Error {
  override name = 'SessionNotFound';

  constructor(name: string, options?: ErrorOptions) {
    super(
      `There is no session "${name}", or it has ended. \`${reloop()} session list\` shows those there are.`,
      options,
    );
  }
}

/** A decision that does not fit; the message says what does. Nothing was changed. */
export class DecisionRefused extends Error {
  override name = 'DecisionRefused';
}

/** Nobody answers at the address of the Temporal server. */
export class TemporalUnreachable extends Error {
  override name = 'TemporalUnreachable';
}
