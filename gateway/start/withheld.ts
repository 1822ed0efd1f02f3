import type {
  AgentClient,
  AgentRun,
  ErrorInfo,
  RunEvent,
  RunReport,
  RunStep,
  RunSummary,
} from '../../client/index.ts';
import { failedTool } from '../../agent/observation/observations.ts';
import { type Caller, isAllowed } from '../http/caller.ts';
import { toldError } from '../access/failure-text.ts';
import type { WaitingRun } from '../waiting/waiting-run.ts';

/**
 * Parts of a run that a caller sees. `errors`: texts of errors and warnings, which name addresses and settings of the operator.
 * `prompts`: changes that hooks made, which quote the prompt.
 */
export interface Told {
  errors: boolean;
  prompts: boolean;
}

/** Staff that decides on the runs of others has to know why a call failed. */
export function toldTo(caller: Pick<Caller, 'scopes' | 'may'>): Told {
  const { scopes } = caller;
  const prompts = scopes.includes('inspect') || scopes.includes('admin');
  return {
    errors: prompts || (scopes.includes('decide') && isAllowed(caller, 'all-runs')),
    prompts,
  };
}

/** Makes all runs that the client finds show only that. Returns the client. */
export function tellingClient(client: AgentClient, told: Told): AgentClient {
  if (told.errors && told.prompts) return client;
  const find = client.get.bind(client);
  client.get = (...names) => tellingRun(find(...names), told);
  const list = client.listPage.bind(client);
  client.listPage = async (options) => {
    const page = await list(options);
    return { ...page, runs: page.runs.map((run) => toldSummary(run, told)) };
  };
  return client;
}

function tellingRun(run: AgentRun, told: Told): AgentRun {
  const describe = run.describe.bind(run);
  const events = run.events.bind(run);
  const toResponse = run.toResponse.bind(run);
  run.describe = async (onEvent) =>
    toldReport(await describe(onEvent && ((event) => onEvent(toldEvent(event, told)))), told);
  run.events = async function* (options) {
    for await (const event of events(options)) yield toldEvent(event, told);
  };
  run.toResponse = (options) => toResponse(options, (event) => toldEvent(event, told));
  return run;
}

/** The report as the caller sees it. */
function toldReport(report: RunReport, told: Told): RunReport {
  const { error, waiting, intermediateSteps } = report;
  return {
    ...report,
    error: error && errorAs(told, error, 'run'),
    waiting: waiting.map((wait) => withError(wait, told)),
    intermediateSteps: intermediateSteps.map((step) => toldStep(step, told)),
  };
}

/** The event as the caller sees it. */
export function toldEvent(event: RunEvent, told: Told): RunEvent {
  switch (event.type) {
    case 'model_failed':
    case 'tool_failed':
    case 'attempt_failed':
    case 'reconciled':
      return withError(event, told);
    case 'run_ended':
      return { ...event, error: event.error && errorAs(told, event.error, 'run') };
    case 'waiting':
      return { ...event, wait: withError(event.wait, told) };
    case 'step':
      return { ...event, step: toldStep(event.step, told) };
    case 'model_ended':
      return { ...event, turn: toldTurn(event.turn, told) };
    default:
      return event;
  }
}

/** An entry of the list of waits, as the caller sees it. */
export function toldWaiting(run: WaitingRun, told: Told): WaitingRun {
  if (told.errors) return run;
  return {
    ...run,
    steps: run.steps?.map((step) => ({ ...step, result: toldResult(step.tool, step.result) })),
    calls: run.calls.map((call) => withError(call, told)),
  };
}

function toldSummary(run: RunSummary, told: Told): RunSummary {
  return run.error ? { ...run, error: errorAs(told, run.error, 'run') } : run;
}

function withError<T extends { error?: ErrorInfo | undefined }>(of: T, told: Told): T {
  return of.error === undefined ? of : { ...of, error: errorAs(told, of.error, 'call') };
}

function errorAs({ errors }: Told, error: ErrorInfo, what: 'run' | 'call'): ErrorInfo {
  return errors ? error : toldError(error, what);
}

function toldStep(step: RunStep, told: Told): RunStep {
  const { action, observation } = step;
  const isText = typeof observation === 'string' && !told.errors;
  return withoutChanges(isText ? { ...step, observation: toldResult(action.tool, observation) } : step, told);
}

type ModelTurn = Extract<RunEvent, { type: 'model_ended' }>['turn'];

/** A warning quotes the errors of models that were asked before another one answered. */
function toldTurn(turn: ModelTurn, told: Told): ModelTurn {
  const { warnings: _warnings, ...rest } = turn;
  return withoutChanges(told.errors ? turn : rest, told);
}

function withoutChanges<T extends { changes?: unknown }>(of: T, { prompts }: Told): T {
  if (prompts || of.changes === undefined) return of;
  const { changes: _changes, ...rest } = of;
  return rest as T; // the field is optional
}

/** An error that the model got as the result of its call. */
function toldResult(tool: string, observation: string): string {
  const beginning = failedTool(tool, { type: '', message: '' });
  return observation.startsWith(beginning) ? `${beginning}its operator can see why.` : observation;
}
