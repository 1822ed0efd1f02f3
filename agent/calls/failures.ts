import type { FailureDetails, Intent, LocalCall } from './calls.ts';
import { fieldsOf } from '../values/json-object.ts';
import type { ErrorInfo, Json, Usage } from '../values/vocabulary.ts';

/** A failed activity as the loop reads it; `checkpoint` is the data that the tool stored last. */
export interface FailedCall {
  error: ErrorInfo;
  checkpoint: Json | undefined;
  /** Another attempt might succeed: the attempts are used up, but no error was marked as not retryable. */
  mayPass: boolean;
  /** Usage of the failed call, if the failure has it. */
  usage?: Usage | undefined;
  /** Heartbeats that the attempts sent, if the failure has the number. */
  heartbeats?: number | undefined;
  /** The call did not end on its own: its worker died, or took too long to end it. */
  timedOut?: true | undefined;
  /** Cancelled by the server while no attempt was under way: an earlier one may be lost. */
  unattended?: true | undefined;
  /** The recovery of a worker reported the failure: the attempt's process is gone. */
  processGone?: true | undefined;
  /** Time of that report by the server's clock, in milliseconds since 1970; reports of earlier versions have none. */
  goneAtMs?: number | undefined;
  /** The runner's knowledge about the effect of a call with `effects: 'once'`. */
  notDone?: FailureDetails['notDone'];
  intent?: Intent | undefined;
  /** Type of the tool's own error that left a call with `effects: 'once'` in doubt. */
  fault?: string | undefined;
  local?: LocalCall | undefined;
}

/** Names the recovery of a worker as the source of a failure: in the Web UI, and for {@link readFailure}. */
export const RECOVERY_SOURCE = 'Reloop';

interface RecordedFailure {
  source?: string | null;
  message?: string | null;
  cause?: RecordedFailure | null;
}

/** The fields of Temporal's failures that are read here; by name, because classes differ over the sandbox's border. */
interface FailureShape {
  name?: string;
  message?: string;
  type?: string | null;
  details?: unknown[] | null;
  timeoutType?: string | undefined;
  lastHeartbeatDetails?: unknown;
  /** The failure as it is recorded. */
  failure?: RecordedFailure | undefined;
  cause?: unknown;
  /** The id of a sub-agent that could not start, because another run has the id. */
  workflowId?: string | undefined;
}

/** Reads the cause out of an activity's failure, the same in the workflow and from history. */
export function readFailure(failure: unknown): FailedCall {
  const outer = shape(failure);
  const wrapped = outer.name === 'ActivityFailure' || outer.name === 'ChildWorkflowFailure';
  const cause = wrapped ? shape(outer.cause) : outer;
  const message = cause.message ?? 'unknown error';
  switch (cause.name) {
    case 'ApplicationFailure':
      return failed({ type: cause.type ?? 'Error', message }, cause.details?.[0]);
    case 'TimeoutFailure':
      return {
        ...failed({ type: 'Timeout', message: timeoutMessage(cause) }, cause.lastHeartbeatDetails),
        mayPass: true,
        timedOut: true,
        ...(cause.failure?.source === RECOVERY_SOURCE ? processGone(cause.failure) : {}),
      };
    case 'CancelledFailure':
      return cancelled(message, cause.details?.[0]);
    case 'TerminatedFailure':
      return failed({ type: 'Terminated', message: "the sub-agent's run was terminated" }, undefined);
    case 'WorkflowExecutionAlreadyStartedError':
      return failed({ type: 'AlreadyStarted', message: alreadyStarted(cause.workflowId) }, undefined);
    default:
      return failed({ type: 'Error', message }, undefined);
  }
}

const GONE_AT = 'reported at ';

/** Message of the cause of a failure that the recovery reports: a failure of Temporal's has no other place for a time. */
export const goneAt = (ms: number): string => `${GONE_AT}${new Date(ms).toISOString()}`;

function processGone({ cause }: RecordedFailure): Pick<FailedCall, 'processGone' | 'goneAtMs'> {
  const at = Date.parse(cause?.message?.split(GONE_AT)[1] ?? '');
  return { processGone: true, ...(Number.isNaN(at) ? {} : { goneAtMs: at }) };
}

/** The server's own detail of a cancellation: no worker had an attempt of the activity. */
const NOT_STARTED = 'ACTIVITY_ID_NOT_STARTED';

/** Makes the failure of a cancelled activity. `details`: those that the worker or the server gave. */
export function cancelled(message: string, details: unknown): FailedCall {
  return {
    ...failed({ type: 'Cancelled', message }, undefined),
    heartbeats: (shape(details) as FailureDetails).heartbeats,
    ...(details === NOT_STARTED ? { unattended: true } : {}),
  };
}

function failed(error: ErrorInfo, details: unknown): FailedCall {
  // Written by the runner in activities/, or by a sub-agent's run.
  const { exhausted, usage, ...said } = shape(details) as FailureDetails;
  const { checkpoint, heartbeats, notDone, intent, fault, local } = said;
  const counted = isUsage(usage) ? usage : undefined;
  const mayPass = exhausted === true;
  return { error, checkpoint, mayPass, usage: counted, heartbeats, notDone, intent, fault, local };
}

const OPTIONAL_COUNTS = [
  'cachedTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'uncountedCalls',
  'estimatedTokens',
  'estimatedCost',
  'cost',
  'partialCost',
];

/** Another worker's tool may attach whatever it likes. */
export function isUsage(value: unknown): value is Usage {
  const { promptTokens, completionTokens, totalTokens, modelCalls, ...optional } = fieldsOf(value);
  const known = OPTIONAL_COUNTS.map((name) => (optional[name] === undefined ? 0 : optional[name]));
  return [promptTokens, completionTokens, totalTokens, modelCalls, ...known].every(
    (count) => typeof count === 'number' && Number.isFinite(count) && count >= 0,
  );
}

function shape(value: unknown): FailureShape {
  return value !== null && typeof value === 'object' ? value : {};
}

/** Words the error of a sub-agent whose id is in use: a run that was reset has an open sub-agent that started later. */
function alreadyStarted(workflowId = ''): string {
  return `The sub-agent of before the reset is still open: ${workflowId}. Let it end, or cancel it. Then retry this call.`;
}

function timeoutMessage({ timeoutType, message }: FailureShape): string {
  if (timeoutType === 'HEARTBEAT') return 'its worker died or stopped answering in the middle of the call';
  if (timeoutType === 'START_TO_CLOSE') return 'it took longer than its time-out';
  return message ?? 'it timed out';
}
