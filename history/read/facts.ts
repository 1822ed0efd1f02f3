import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { readFailure } from '../../agent/calls/failures.ts';
import { cancelledByModel } from './control-header.ts';
import { costFact } from './cost-facts.ts';
import type { Fact, StartedFact } from './fact.ts';
import { type HistoryEvent, type ReadOptions, type RunRef, readRun } from './pages.ts';
import { pauseFact } from './pause-facts.ts';
import {
  type Recorded,
  type RecordedError,
  recorded,
  laterArguments,
  recordedError,
  recordedFailure,
  recordedFromOutside,
} from './payloads.ts';
import {
  LOCAL_ACTIVITY,
  type RecordedLocalCall,
  inlineCallsOf,
  readLocalCall,
  withCalls,
} from './recorded-local.ts';

/** A fact without its id and time. */
type FactBody = Fact extends infer F ? (F extends Fact ? Omit<F, 'id' | 'at'> : never) : never;

/** Temporal's number for a failed attempt that is not retried because its cancellation was requested. */
const CANCEL_REQUESTED: temporal.api.enums.v1.RetryState = 7;
/** Temporal's number for a run that started by continue-as-new, not by a retry or a schedule. */
const BY_WORKFLOW: temporal.api.enums.v1.ContinueAsNewInitiator = 1;

/** Reads the facts of one run in the order of their events; with `latestFirst`, from the end. */
export async function* readFacts(
  client: Client,
  run: RunRef,
  options: ReadOptions = {},
): AsyncGenerator<Fact> {
  for await (const { facts } of readFactPages(client, run, options)) yield* facts;
}

/** Facts of one page of a history. Some events have no fact. The list is emptied when the reader asks for the next page. */
export interface FactPage {
  facts: readonly Fact[];
  /** The number of the page's last event; 0 for an empty page. */
  lastEvent: number;
}

/** Reads the facts of one run, page by page. */
export async function* readFactPages(
  client: Client,
  run: RunRef,
  options: ReadOptions = {},
): AsyncGenerator<FactPage> {
  const { latestFirst = false } = options;
  const factOf = createFactReader(client, run);
  const callsIn = createLocalReader(client, latestFirst);
  for await (const events of readRun(client, run, options)) {
    const facts = await factsOf(events);
    const lastEvent = Number(events.at(-1)?.eventId ?? 0);
    // The next page may come in days, and a suspended generator keeps its variables.
    events.length = 0;
    yield { facts, lastEvent };
    facts.length = 0;
  }

  async function factsOf(events: readonly HistoryEvent[]): Promise<Fact[]> {
    const read: Fact[] = [];
    for (const event of events) {
      const fact = factOf(event);
      if (fact === undefined) continue;
      const reading = callsIn(event, fact);
      const calls = reading && (await reading);
      const facts = calls === undefined ? [fact] : withCalls(fact, calls);
      read.push(...(latestFirst ? facts.toReversed() : facts));
    }
    return read;
  }
}

/**
 * Returns a function that reads the calls inside an event: the call of a local activity's marker, and the inline calls of a model call.
 * Results of other activities are not decoded, except with `latestFirst`: there the activity's type is not known yet.
 */
function createLocalReader(client: Client, latestFirst: boolean) {
  const modelCalls = new Set<string>();
  return (event: HistoryEvent, fact: Fact): Promise<RecordedLocalCall[] | undefined> | undefined => {
    if (fact.type === 'scheduled' && fact.name === 'callModel') modelCalls.add(fact.key);
    const marker = event.markerRecordedEventAttributes;
    if (marker?.markerName === LOCAL_ACTIVITY) return localCallOf(client, marker);
    if (fact.type !== 'succeeded' || fact.of !== 'activity') return undefined;
    return modelCalls.delete(fact.key) || latestFirst ? inlineCallsOf(fact.result) : undefined;
  };
}

async function localCallOf(
  client: Client,
  { details, failure }: NonNullable<HistoryEvent['markerRecordedEventAttributes']>,
): Promise<RecordedLocalCall[] | undefined> {
  const call = await readLocalCall(client, details ?? {}, failure);
  return call && [call];
}

function positionOf({ eventId, eventTime }: HistoryEvent): { id: number; at: number } {
  return { id: Number(eventId ?? 0), at: eventTime ? tsToMs(eventTime) : 0 };
}

/** Reads the start of a run. Throws a gRPC error if the server does not have the run. */
export async function readStart(client: Client, run: RunRef): Promise<StartedFact | undefined> {
  for await (const fact of readFacts(client, run, { pageSize: 1 }))
    return fact.type === 'started' ? fact : undefined;
  return undefined;
}

/** Returns a function that makes a fact of each event of `run`; undefined: the event has no fact. */
export function createFactReader(client: Pick<Client, 'options'>, run: RunRef) {
  const accepted = new Map<string, { name: string; input: Recorded; identity: string }>();
  const admitted = new Map<string, temporal.api.update.v1.IRequest>();
  const value = (payloads: Parameters<typeof recorded>[1]) => recorded(client, payloads);

  return (event: HistoryEvent): Fact | undefined => {
    const body =
      startFact(event) ??
      activityFact(event) ??
      childFact(event) ??
      timerFact(event) ??
      messageFact(event) ??
      runFact(event) ??
      pauseFact(event) ??
      costFact(event);
    if (body === undefined) return undefined;
    return { ...body, ...positionOf(event) };
  };

  function startFact({
    workflowExecutionStartedEventAttributes: started,
  }: HistoryEvent): FactBody | undefined {
    if (!started) return undefined;
    const { originalExecutionRunId, continuedExecutionRunId, firstExecutionRunId, initiator, input } =
      started;
    const byWorkflow = (initiator ?? 0) <= BY_WORKFLOW;
    return {
      type: 'started',
      workflowType: started.workflowType?.name ?? '',
      workflowId: run.workflowId,
      runId: run.runId,
      firstRunId: firstExecutionRunId || run.runId,
      originalRunId: originalExecutionRunId || run.runId,
      previousRunId: byWorkflow ? continuedExecutionRunId || undefined : undefined,
      input: recordedFromOutside(client, input),
      laterArguments: laterArguments(client, input),
      identity: started.identity || undefined,
    };
  }

  function activityFact(event: HistoryEvent): FactBody | undefined {
    const of = 'activity';
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const { activityId, activityType, input } = scheduled;
      const names = { workId: activityId ?? '', name: activityType?.name ?? '' };
      const cancels = cancelledByModel(names.name, scheduled.header);
      const more = cancels === undefined ? {} : { cancels };
      return { type: 'scheduled', of, key: String(event.eventId), ...names, input: value(input), ...more };
    }
    const begun = event.activityTaskStartedEventAttributes;
    if (begun) return { type: 'begun', of, key: String(begun.scheduledEventId), attempt: begun.attempt ?? 1 };
    const done = event.activityTaskCompletedEventAttributes;
    if (done)
      return { type: 'succeeded', of, key: String(done.scheduledEventId), result: value(done.result) };
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    if (failed) {
      const key = String(failed.scheduledEventId);
      const failure = recordedFailure(client, failed.failure);
      return failed.retryState === CANCEL_REQUESTED
        ? { type: 'cancelled', of, key, requested: false, failure }
        : { type: 'failed', of, key, failure };
    }
    const cancelled = event.activityTaskCanceledEventAttributes;
    const requested = event.activityTaskCancelRequestedEventAttributes;
    const key = String((cancelled ?? requested)?.scheduledEventId);
    if (cancelled) return { type: 'cancelled', of, key, requested: false, details: value(cancelled.details) };
    return requested ? { type: 'cancelled', of, key, requested: true } : undefined;
  }

  function childFact(event: HistoryEvent): FactBody | undefined {
    const of = 'child';
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (initiated) {
      const { workflowId, workflowType, input } = initiated;
      const [workId, name] = [workflowId ?? '', workflowType?.name ?? ''];
      return { type: 'scheduled', of, key: String(event.eventId), workId, name, input: value(input) };
    }
    const begun = event.childWorkflowExecutionStartedEventAttributes;
    if (begun) {
      const key = String(begun.initiatedEventId);
      return { type: 'begun', of, key, attempt: 1, runId: begun.workflowExecution?.runId ?? undefined };
    }
    const done = event.childWorkflowExecutionCompletedEventAttributes;
    if (done)
      return { type: 'succeeded', of, key: String(done.initiatedEventId), result: value(done.result) };
    const failed = event.childWorkflowExecutionFailedEventAttributes;
    if (failed) {
      const failure = recordedFailure(client, failed.failure);
      return { type: 'failed', of, key: String(failed.initiatedEventId), failure };
    }
    const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
    if (cancelled)
      return { type: 'cancelled', of, key: String(cancelled.initiatedEventId), requested: false };
    const lost = lostChild(event);
    if (lost === undefined) return undefined;
    const failure = async () => readFailure(lost.failure);
    return { type: 'failed', of, key: String(lost.initiatedEventId), failure };
  }

  function timerFact(event: HistoryEvent): FactBody | undefined {
    const started = event.timerStartedEventAttributes;
    if (started) {
      const payload = event.userMetadata?.summary;
      const summary = value(payload ? { payloads: [payload] } : undefined);
      return { type: 'timer_started', timer: started.timerId ?? '', summary };
    }
    const fired = event.timerFiredEventAttributes;
    if (fired) return { type: 'timer_fired', timer: fired.timerId ?? '' };
    const cancelled = event.timerCanceledEventAttributes;
    return cancelled ? { type: 'timer_cancelled', timer: cancelled.timerId ?? '' } : undefined;
  }

  function messageFact(event: HistoryEvent): FactBody | undefined {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) {
      const { signalName, input } = signal;
      const rest = laterArguments(client, input);
      const first = recordedFromOutside(client, input);
      return { type: 'signaled', name: signalName ?? '', input: first, laterArguments: rest };
    }
    // A reset repeats later updates: the event of their acceptance has no content.
    const { request } = event.workflowExecutionUpdateAdmittedEventAttributes ?? {};
    if (request) admitted.set(request.meta?.updateId ?? '', request);
    const update = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (update) {
      const { input: sent, meta } =
        update.acceptedRequest ?? admitted.get(update.protocolInstanceId ?? '') ?? {};
      const [key, message] = [String(event.eventId), { name: sent?.name ?? '', input: value(sent?.args) }];
      accepted.set(key, { ...message, identity: meta?.identity ?? '' });
      return { type: 'update_accepted', key, updateId: meta?.updateId ?? '', ...message };
    }
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    if (!completed) return undefined;
    const { meta, outcome, acceptedEventId } = completed;
    const result = outcome?.failure ? undefined : value(outcome?.success);
    const error = outcome?.failure ? recordedError(client, outcome.failure) : undefined;
    const [key, updateId] = [String(acceptedEventId), meta?.updateId ?? ''];
    const { name, input, identity } = accepted.get(key) ?? {};
    return { type: 'update_completed', key, updateId, name, input, result, identity, error };
  }

  function runFact(event: HistoryEvent): FactBody | undefined {
    if (event.workflowTaskCompletedEventAttributes) return { type: 'task_completed' };
    // A failed task names a new run only after a reset.
    const reset = event.workflowTaskFailedEventAttributes;
    if (reset?.newRunId) return { type: 'reset', fromRunId: reset.baseRunId ?? '', runId: reset.newRunId };
    const asked = event.workflowExecutionCancelRequestedEventAttributes;
    if (asked) return { type: 'cancel_requested', identity: asked.identity ?? '' };
    const continued = event.workflowExecutionContinuedAsNewEventAttributes;
    if (continued) return { type: 'run_continued', runId: continued.newExecutionRunId ?? '' };
    const completed = event.workflowExecutionCompletedEventAttributes;
    if (completed) return { type: 'run_succeeded', result: value(completed.result) };
    const failed = event.workflowExecutionFailedEventAttributes;
    if (failed) return { type: 'run_failed', error: recordedError(client, failed.failure) };
    if (event.workflowExecutionCanceledEventAttributes) return { type: 'run_cancelled' };
    const killed = event.workflowExecutionTerminatedEventAttributes;
    if (killed)
      return { type: 'run_failed', error: errorOf('Terminated', killed.reason || 'The run was terminated.') };
    return event.workflowExecutionTimedOutEventAttributes
      ? { type: 'run_failed', error: errorOf('Timeout', 'The workflow execution timed out.') }
      : undefined;
  }
}

function errorOf(type: string, message: string): RecordedError {
  return async () => ({ type, message });
}

/** Reads the end of a sub-agent that history records without a failure, as the failure that the SDK gives to the workflow. */
function lostChild(event: HistoryEvent): { initiatedEventId?: unknown; failure: object } | undefined {
  const killed = event.childWorkflowExecutionTerminatedEventAttributes;
  if (killed) return { ...killed, failure: { name: 'TerminatedFailure' } };
  const late = event.childWorkflowExecutionTimedOutEventAttributes;
  if (late) return { ...late, failure: { name: 'TimeoutFailure', timeoutType: 'START_TO_CLOSE' } };
  const refused = event.startChildWorkflowExecutionFailedEventAttributes;
  if (!refused) return undefined;
  const { workflowId } = refused;
  return { ...refused, failure: { name: 'WorkflowExecutionAlreadyStartedError', workflowId } };
}
