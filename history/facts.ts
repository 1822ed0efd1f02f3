import type { ErrorInfo } from '../agent/vocabulary.ts';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { OperatorDecision } from '../agent/events.ts';
import { readFailure } from '../agent/failures.ts';
import type {
  ChildWaiting,
  DecisionData,
  DecisionReceipt,
  Lineage,
  RunResult,
} from '../workflows/messages.ts';
import type { HistoryEvent } from './pages.ts';
import { decodeFailure, decodeFirst } from './payloads.ts';

/** What a history says of a run, event by event, decoded: the one place that knows Temporal's event types. */
export type Fact =
  | { type: 'started'; runId: string; lineage: Lineage | undefined }
  /** `key` ties what follows to it. `name` is an activity's type; of a sub-agent's run it is undefined. */
  | { type: 'scheduled'; key: string; id: string; name: string | undefined; input: unknown }
  | { type: 'begun'; key: string; attempt: number }
  | { type: 'succeeded'; key: string; result: unknown }
  | { type: 'failed'; key: string; error: ErrorInfo }
  /** `requested`: an external activity, whose end nobody waits for. */
  | { type: 'cancelled'; key: string; requested: boolean }
  | { type: 'timer_started'; timer: string }
  | { type: 'timer_fired'; timer: string }
  | { type: 'cancel_requested' }
  | { type: 'child_waiting'; waiting: ChildWaiting }
  | { type: 'decided'; call: string; decision: OperatorDecision }
  | { type: 'run_succeeded'; result: RunResult }
  | { type: 'run_failed'; error: ErrorInfo }
  | { type: 'run_cancelled' };

/** Temporal's number for an attempt that would be followed by another, were its cancellation not asked for. */
const CANCEL_REQUESTED: temporal.api.enums.v1.RetryState = 7;

/** Reads one run's events in order; undefined for those that say nothing of it. */
export function createFactReader(client: Client, workflowId: string) {
  const sentUpdates = new Map<string, unknown>();
  return async (event: HistoryEvent): Promise<Fact | undefined> =>
    (await readStart(event)) ??
    (await readActivity(event)) ??
    (await readChild(event)) ??
    (await readMessage(event)) ??
    readRunEnd(event);

  async function readStart(event: HistoryEvent): Promise<Fact | undefined> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (!started) return undefined;
    const lineage = (await decodeFirst(client, started.input)) as Lineage | undefined; // agentRun's one argument
    return { type: 'started', runId: started.originalExecutionRunId ?? '', lineage };
  }

  async function readActivity(event: HistoryEvent): Promise<Fact | undefined> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const { activityType, activityId, input } = scheduled;
      const key = String(event.eventId);
      const name = activityType?.name ?? '';
      return { type: 'scheduled', key, id: activityId ?? '', name, input: await decodeFirst(client, input) };
    }
    const begun = event.activityTaskStartedEventAttributes;
    if (begun) return { type: 'begun', key: String(begun.scheduledEventId), attempt: begun.attempt ?? 1 };
    const done = event.activityTaskCompletedEventAttributes;
    if (done) return succeeded(done.scheduledEventId, done.result);
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    if (failed?.retryState === CANCEL_REQUESTED) {
      return { type: 'cancelled', key: String(failed.scheduledEventId), requested: false };
    }
    if (failed) return failure(failed.scheduledEventId, failed.failure);
    const cancelled = event.activityTaskCanceledEventAttributes;
    if (cancelled) return { type: 'cancelled', key: String(cancelled.scheduledEventId), requested: false };
    const asked = event.activityTaskCancelRequestedEventAttributes;
    if (asked) return { type: 'cancelled', key: String(asked.scheduledEventId), requested: true };
    return undefined;
  }

  /** A sub-agent's run is called as the parent's, a slash, and the call. */
  async function readChild(event: HistoryEvent): Promise<Fact | undefined> {
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (initiated) {
      const id = initiated.workflowId?.slice(workflowId.length + 1) ?? '';
      const lineage = (await decodeFirst(client, initiated.input)) as Lineage | undefined; // agentRun's one argument
      const input = lineage?.question?.input;
      return { type: 'scheduled', key: String(event.eventId), id, name: undefined, input };
    }
    const begun = event.childWorkflowExecutionStartedEventAttributes;
    if (begun) return { type: 'begun', key: String(begun.initiatedEventId), attempt: 1 };
    const done = event.childWorkflowExecutionCompletedEventAttributes;
    if (done) return succeeded(done.initiatedEventId, done.result);
    const failed = event.childWorkflowExecutionFailedEventAttributes;
    if (failed) return failure(failed.initiatedEventId, failed.failure);
    const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
    if (cancelled) return { type: 'cancelled', key: String(cancelled.initiatedEventId), requested: false };
    const lost =
      event.childWorkflowExecutionTerminatedEventAttributes ??
      event.childWorkflowExecutionTimedOutEventAttributes ??
      event.startChildWorkflowExecutionFailedEventAttributes;
    if (!lost) return undefined;
    const error = {
      type: 'Error',
      message: "the sub-agent's run could not start, or was ended from outside",
    };
    return { type: 'failed', key: String(lost.initiatedEventId), error };
  }

  async function succeeded(key: unknown, result: Parameters<typeof decodeFirst>[1]): Promise<Fact> {
    return { type: 'succeeded', key: String(key), result: await decodeFirst(client, result) };
  }

  async function failure(key: unknown, cause: Parameters<typeof decodeFailure>[1]): Promise<Fact> {
    const { error } = readFailure(await decodeFailure(client, cause));
    return { type: 'failed', key: String(key), error };
  }

  /** A decision is known when its update has completed: then the run has said which call it was for. */
  async function readMessage(event: HistoryEvent): Promise<Fact | undefined> {
    const timer = event.timerStartedEventAttributes;
    if (timer) return { type: 'timer_started', timer: timer.timerId ?? '' };
    const fired = event.timerFiredEventAttributes;
    if (fired) return { type: 'timer_fired', timer: fired.timerId ?? '' };
    if (event.workflowExecutionCancelRequestedEventAttributes) return { type: 'cancel_requested' };
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (accepted) {
      const sent = await decodeFirst(client, accepted.acceptedRequest?.input?.args);
      sentUpdates.set(String(event.eventId), sent);
      return undefined;
    }
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    if (completed) {
      const receipt = (await decodeFirst(client, completed.outcome?.success)) as DecisionReceipt | undefined;
      const sent = sentUpdates.get(String(completed.acceptedEventId));
      if (receipt === undefined) return undefined;
      return { type: 'decided', call: receipt.call, decision: decisionOf(receipt.decision, sent) };
    }
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal?.signalName !== 'childWaiting') return undefined;
    return {
      type: 'child_waiting',
      waiting: (await decodeFirst(client, signal.input)) as ChildWaiting, // sent by agentRun
    };
  }

  async function readRunEnd(event: HistoryEvent): Promise<Fact | undefined> {
    const completion = event.workflowExecutionCompletedEventAttributes;
    if (completion) {
      const result = (await decodeFirst(client, completion.result)) as RunResult; // agentRun's result
      return { type: 'run_succeeded', result };
    }
    const failed = event.workflowExecutionFailedEventAttributes;
    if (failed) {
      const { error } = readFailure(await decodeFailure(client, failed.failure));
      return { type: 'run_failed', error };
    }
    if (event.workflowExecutionCanceledEventAttributes) return { type: 'run_cancelled' };
    const killed = event.workflowExecutionTerminatedEventAttributes;
    if (killed) {
      const message = killed.reason || 'The run was terminated.';
      return { type: 'run_failed', error: { type: 'Terminated', message } };
    }
    if (event.workflowExecutionTimedOutEventAttributes) {
      const message = 'The workflow execution timed out.';
      return { type: 'run_failed', error: { type: 'Timeout', message } };
    }
    return undefined;
  }
}

function decisionOf(type: OperatorDecision['type'], sent: unknown): OperatorDecision {
  const { input, output, reason }: DecisionData = sent !== null && typeof sent === 'object' ? sent : {};
  switch (type) {
    case 'retry':
      return input === undefined ? { type } : { type, input };
    case 'resolve':
      return { type, output: output ?? null };
    case 'skip':
    case 'cancelCall':
    case 'abort':
      return reason === undefined ? { type } : { type, reason };
  }
}
