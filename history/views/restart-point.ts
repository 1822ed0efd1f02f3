import type { Client } from '@temporalio/client';
import type { RestartPoint } from '../../agent/run/rewind-point.ts';
import { type Entry, type Mark, START, withRunId, entryBytes } from '../../agent/transcript/entries.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { limits } from '../../agent/values/limits.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { RunRef } from '../read/pages.ts';
import { sourceOf } from './requests.ts';
import type { RunStep } from '../../agent/run/events.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { DoneCall } from '../../agent/calls/restart.ts';
import type { AgentRunInput } from '../../workflows/messages.ts';
import type { Recorded } from '../read/payloads.ts';
import type { DecidedInputs } from '../trace/decided-inputs.ts';
import type { Consumption } from '../../agent/run/run-result.ts';
import { rebuildTranscript } from './transcript.ts';
import type { CallModelInput, ModelTurn } from '../../agent/calls/calls.ts';
import type { Counters } from '../../agent/limits/counters.ts';

/** The state of a run before each of its model calls, and at its end: restart points. */
export interface Standing {
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
    | 'events'
  > & { root: string };
  /** undefined: the run ended before its agent was resolved. */
  manifest: AgentManifest | undefined;
  /** Its own agent's model calls, oldest first; what one carried follows on what the one before did. */
  asked: Asked[];
  /** Steps by their calls. */
  steps: Map<string, RunStep>;
  /** Calls of the last turn whose result is recorded. */
  results: Map<string, RecordedCall>;
  /** Effects of steps that were dropped before. */
  done: DoneCall[];
  /** Inputs and approvals that people gave in the last turn. */
  inputs: DecidedInputs;
  /** Approvals and raised limits that hold for the rest of the run. */
  granted: Granted;
  /** The highest number of a schedule or a wait. */
  lastN: number;
  /** Messages of people since the last model call. */
  said: string[];
  /** At the end of the record. */
  spent: Consumption;
  elapsedMs: number;
  /** The record goes back to the run's beginning. */
  isWhole: boolean;
}

/** A result of an activity, and where it is. */
export interface RecordedCall {
  run: RunRef;
  activityId: string;
  result: Recorded;
}

/** Approvals and raised limits that hold until the run ends. */
type Granted = Pick<Counters, 'approved' | 'allowance'>;

/** The scope's transcript before a model call, what the call adds to it, and what came of it. */
export interface Asked {
  step: number;
  /** The run whose record has the transcript. */
  run: RunRef;
  /** The run that is kept up to there; `until`: the id of its first event that is not kept. */
  kept: RunRef & { until?: number | undefined };
  before: Mark;
  delta: Entry[];
  /** Entries of its last schedule, which may have carried further messages. */
  told: Entry[];
  repeat: CallModelInput['repeat'];
  granted: Granted;
  spent: Consumption;
  elapsedMs: number;
  isScheduled: boolean;
  /** undefined: without a result so far. */
  turn: ModelTurn | undefined;
}

/** The point at which a run repeats steps: its transcript, and the entries that the first model call adds. */
export interface Beginning {
  /** The run whose record has the transcript up to `mark`. */
  run: RunRef;
  mark: Mark;
  pending: Entry[];
  counters: Pick<Asked, 'spent' | 'elapsedMs' | 'repeat' | 'granted'>;
  /** The run that is kept, up to the event `until`. */
  from: Asked['kept'];
}

/** Before a model call. */
export function beginningAt(asked: Asked): Beginning {
  const { run, before, delta, kept } = asked;
  return { run, mark: before, pending: delta, counters: asked, from: kept };
}

/**
 * The state of a run at its beginning. It carries what the model still sees, where that is small enough, so that it does not depend
 * on how long the server keeps the run before. `own`: the workflow that begins there. Throws InvalidInput where the record is gone.
 */
export async function restartPoint(
  client: Client,
  { run, mark, pending, counters }: Beginning,
  own: string | undefined,
): Promise<RestartPoint> {
  const workflowId = elsewhere(run.workflowId, own);
  const { spent, elapsedMs, repeat, granted } = counters;
  const point = {
    from: { runId: run.runId, workflowId, ...mark },
    pending: withRunId(await withResults(client, run, pending), run.runId, workflowId),
    counters: { ...spent, ...(repeat && { repeat }), ...granted },
    elapsedMs,
  };
  const entries = await visibleEntries(client, run, mark);
  const whole = { ...point, from: { ...point.from, entries } };
  const fits = bytesOf(entries) <= limits.carriedBytes && bytesOf(whole) <= limits.resultBytes;
  return fits ? whole : point;
}

/** The entries with their results in place, as far as there is room. */
async function withResults(client: Client, run: RunRef, entries: readonly Entry[]): Promise<Entry[]> {
  const source = sourceOf(client, whatIsGone);
  const fits = roomForResults();
  const all: Entry[] = [];
  for (const entry of entries) {
    if (entry.type !== 'step' || entry.ref === undefined) all.push(entry);
    else {
      const { ref, ...step } = entry;
      const whole = { ...step, observation: await source.observation(run, ref) };
      all.push(fits(whole) ? whole : entry);
    }
  }
  return all;
}

/** Whether a further entry has its result in place: what it refers to may soon be past the server's retention. */
export function roomForResults(): (entry: Entry) => boolean {
  let room = limits.turnBytes / 2;
  return (entry) => {
    const bytes = entryBytes(entry);
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
}

/** A workflow id, where it is not the reader's own. */
export function elsewhere(workflowId: string, own: string | undefined): string | undefined {
  return workflowId === own ? undefined : workflowId;
}

/** What the model still sees of what came before. */
async function visibleEntries(client: Client, run: RunRef, mark: Mark): Promise<Entry[]> {
  if (mark.length === START.length) return [];
  const transcript = await rebuildTranscript(sourceOf(client, whatIsGone), run, 0, mark);
  return transcript.entries.flatMap((entry): Entry[] => {
    if (entry.type === 'agent') return [];
    if (entry.type !== 'step') return [entry];
    const { ref: _, ...step } = entry; // what it refers to is in place
    return [step];
  });
}

export function bytesOf(value: unknown): number {
  return utf8Length(JSON.stringify(value));
}

function whatIsGone(runId: string): InvalidInput {
  return new InvalidInput(
    `The run cannot be taken up there: what the model was shown first is recorded in run ${runId} or before it, and is past the namespace's retention.`,
  );
}
