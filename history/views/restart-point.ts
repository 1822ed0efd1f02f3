import type { Client } from '@temporalio/client';
import type { AgentRunInput, RestartPoint, TakenWord } from '../../agent/run/run-input.ts';
import {
  type Entry,
  type LateEntry,
  type Mark,
  type StepEntry,
  START,
  isReference,
  modelKeysOf,
  withRunId,
} from '../../agent/transcript/entries.ts';
import { LOST_CALL } from '../../agent/observation/observations.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { limits } from '../../agent/values/limits.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { RunRef } from '../read/pages.ts';
import { sourceOf } from './requests.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { DoneCall } from '../../agent/calls/restart.ts';
import type { Recorded } from '../read/payloads.ts';
import type { RunCalls } from '../../agent/run/run-calls.ts';
import type { Consumption } from '../../agent/run/run-result.ts';
import { rebuildTranscript } from './transcript.ts';
import type { CallModelInput, ModelTurn } from '../../agent/calls/calls.ts';
import type { Granted } from '../../agent/limits/counters.ts';

/** The state of a run before each of its model calls, and at its end: all that a restart needs. */
export interface RestartRecord {
  /** Input that all runs of the lineage share. */
  input: Pick<
    AgentRunInput,
    | 'agent'
    | 'question'
    | 'session'
    | 'overrides'
    | 'caller'
    | 'parentBudget'
    | 'insteadOf'
    | 'searchAttributes'
    | 'trace'
    | 'events'
  > & { root: string };
  /** undefined: the run ended before its agent was resolved. */
  manifest: AgentManifest | undefined;
  /** Model of a fork that has not resolved its agent. */
  model: string | undefined;
  /** The agents that had the conversation, by name. */
  agents: ReadonlyMap<string, AgentManifest>;
  /** The run's own model calls (no sub-agents'), oldest first. The entries of each follow those of the call before. */
  modelCalls: RecordedModelCall[];
  /** The run's tool calls, as they are at the end of the record. */
  calls: Pick<RunCalls, 'get' | 'values'>;
  /** Recorded results of the last turn, by call. */
  results: Map<string, ActivityResult>;
  /** A budget above the run has stopped it: its last model call did not fit. */
  budgetStopped?: true | undefined;
  /** Effects of steps that earlier restarts dropped. */
  done: DoneCall[];
  /** Approvals and raised limits that hold for the rest of the run. */
  granted: Granted;
  /** The highest number of a schedule or a wait. */
  lastN: number;
  /** Messages of people since the last model call. */
  undelivered: string[];
  /** Decisions and messages that the run took last. */
  takenWords: TakenWord[];
  /** Usage at the end of the record. */
  spent: Consumption;
  elapsedMs: number;
  /** The record goes back to the run's beginning. */
  isWhole: boolean;
}

/** Result of an activity, and the run that recorded it. */
export interface ActivityResult {
  run: RunRef;
  activityId: string;
  result: Recorded;
}

/** A model call: the transcript before it, the entries that it adds, and the model's turn. */
export interface RecordedModelCall {
  step: number;
  /** The run whose record has the transcript. */
  run: RunRef;
  /** The run that is kept up to this call. `until`: id of the first event that is not kept. */
  kept: RunRef & { until?: number | undefined };
  before: Mark;
  delta: Entry[];
  /** Entries of the call's last schedule: `delta`, and perhaps later messages. */
  carried: Entry[];
  /** Entries that a retry has added after the model's turn. The next model call carries them. */
  added?: readonly Entry[];
  /** The agent that was asked; undefined if the record does not have it. */
  manifest: AgentManifest | undefined;
  /** Another run made the call, and its transcript has another definition of the agent than the fork. */
  isForks?: boolean;
  repeat: CallModelInput['repeat'];
  size: CallModelInput['size'];
  granted: Granted;
  spent: Consumption;
  elapsedMs: number;
  isScheduled: boolean;
  /** undefined: the call has no result so far. */
  turn: ModelTurn | undefined;
}

/** A point in a run's record at which a restart starts: the transcript, and the entries that the first model call adds. */
export interface RecordedPoint {
  /** The run whose record has the transcript up to `mark`. */
  run: RunRef;
  mark: Mark;
  pending: Entry[];
  manifest: AgentManifest | undefined;
  counters: Pick<RecordedModelCall, 'spent' | 'elapsedMs' | 'repeat' | 'size' | 'granted'>;
  /** The run that is kept, before the event `until`. */
  from: RecordedModelCall['kept'];
}

/** Adds a model call. It replaces calls whose entries it carries again, and calls of the same or a later step. */
export function addModelCall(modelCalls: RecordedModelCall[], next: RecordedModelCall): void {
  const reaches = ({ before, carried }: RecordedModelCall) =>
    before.length + carried.length > next.before.length;
  while (modelCalls.slice(-1).some(reaches)) modelCalls.pop();
  while (modelCalls.slice(-1).some(({ step }) => step >= next.step)) modelCalls.pop();
  modelCalls.push(next);
}

export function pointBefore(modelCall: RecordedModelCall): RecordedPoint {
  const { run, before, delta, kept, manifest, isForks } = modelCall;
  const agent: Entry[] = isForks === true && manifest !== undefined ? [{ type: 'agent', manifest }] : [];
  return { run, mark: before, pending: [...delta, ...agent], manifest, counters: modelCall, from: kept };
}

/**
 * Adds the results of background calls of kept steps that no kept model call has carried, so that the model gets each result. `point`: before
 * `modelCall`, or after it if `isAfter` holds. `isLive`: the run itself goes back to the point, and still has the calls whose results no model
 * call has carried.
 */
export function withLateResults(
  point: RecordedPoint,
  { modelCalls, calls }: Pick<RestartRecord, 'modelCalls' | 'calls'>,
  modelCall: RecordedModelCall,
  { isAfter = false, isLive = false }: { isAfter?: boolean; isLive?: boolean } = {},
): RecordedPoint {
  const index = modelCalls.findIndex(({ step }) => step === modelCall.step);
  const kept = modelCalls
    .slice(0, index + 1)
    .flatMap(({ delta, carried }, at) => (at < index || isAfter ? carried : delta));
  const tickets = kept.filter((entry) => entry.type === 'step' && entry.ticket === true) as StepEntry[]; // as the filter says
  if (tickets.length === 0) return point;
  const dropped = modelCalls.slice(index).flatMap(({ delta, carried, added = [], run }, at) => {
    const entries = [...(at > 0 ? carried : isAfter ? [] : carried.slice(delta.length)), ...added];
    return withRunId(
      entries,
      run.runId,
      run.workflowId === point.run.workflowId ? undefined : run.workflowId,
    );
  });
  const added = tickets.flatMap((ticket): Entry[] => {
    const isResult = (entry: Entry): entry is LateEntry =>
      entry.type === 'late' && entry.call === ticket.call;
    if (kept.some(isResult)) return [];
    const result = dropped.find(isResult);
    if (result !== undefined) return [result];
    if (isLive) return [];
    const { call, action } = ticket;
    const end = calls.get(call)?.end;
    const known =
      end === undefined ? { observation: LOST_CALL, lost: true as const } : { observation: end.observation };
    return [{ type: 'late', call, tool: action.tool, ...known }];
  });
  return added.length === 0 ? point : { ...point, pending: [...point.pending, ...added] };
}

/**
 * Reads the state of a run at `point`. If the entries that the model still sees are small enough, the state carries them, and so does
 * not depend on the retention of the earlier run. `own`: id of the workflow that continues from the point. Throws InvalidInput if the
 * record is past retention.
 */
export async function readRestartPoint(
  client: Client,
  { run, mark, pending, counters }: RecordedPoint,
  own: string | undefined,
): Promise<RestartPoint> {
  const workflowId = otherWorkflow(run.workflowId, own);
  const { spent, elapsedMs, repeat, size, granted } = counters;
  const state = {
    from: { runId: run.runId, workflowId, ...mark },
    pending: withRunId(await withResults(client, run, pending), run.runId, workflowId),
    counters: { ...spent, ...(repeat && { repeat }), ...(size && { size }), ...granted },
    elapsedMs,
  };
  const { entries, models } = await visibleEntries(client, run, mark);
  const from = { ...state.from, ...(models.length > 1 ? { models } : {}) };
  const whole = { ...state, from: { ...from, entries } };
  const fits = jsonBytes(entries) <= limits.carriedBytes && jsonBytes(whole) <= limits.resultBytes;
  return fits ? whole : { ...state, from };
}

/** Replaces references by the results themselves, as far as there is room. */
async function withResults(client: Client, run: RunRef, entries: readonly Entry[]): Promise<Entry[]> {
  const source = sourceOf(client, recordGone);
  const fits = resultBudget();
  const all: Entry[] = [];
  for (const entry of entries) {
    if (!isReference(entry)) all.push(entry);
    else {
      const { ref, ...step } = entry;
      const whole = { ...step, observation: await source.observation(run, ref) };
      all.push(fits(whole) ? whole : entry);
    }
  }
  return all;
}

/**
 * Returns a function that says whether one more entry may hold its result, and takes its bytes from the budget. Held results survive
 * the server's retention; references do not.
 */
export function resultBudget(): (entry: Entry) => boolean {
  let room = limits.turnBytes / 2;
  return (entry) => {
    const bytes = jsonBytes(entry);
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
}

/** Returns the workflow id, or undefined if it is the reader's own. */
export function otherWorkflow(workflowId: string, own: string | undefined): string | undefined {
  return workflowId === own ? undefined : workflowId;
}

/** Entries of the transcript before the point that the model still sees, without agents, and the keys of all agents' models. */
async function visibleEntries(
  client: Client,
  run: RunRef,
  mark: Mark,
): Promise<{ entries: Entry[]; models: string[] }> {
  if (mark.length === START.length) return { entries: [], models: [] };
  const transcript = await rebuildTranscript(sourceOf(client, recordGone), run, 0, mark);
  const entries = transcript.entries.flatMap((entry): Entry[] => {
    if (entry.type === 'agent') return [];
    if (!isReference(entry)) return [entry];
    const { ref: _, ...whole } = entry; // rebuildTranscript has replaced the reference by the result
    return [whole];
  });
  return { entries, models: modelKeysOf(transcript.entries) };
}

function recordGone(runId: string): InvalidInput {
  return new InvalidInput(
    `The run cannot be taken up there: the beginning of the transcript is recorded in run ${runId} or before it, and is past the namespace's retention.`,
  );
}
