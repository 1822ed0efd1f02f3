import type { ModelTurn } from './calls.ts';
import type { Json, Usage } from '../values/vocabulary.ts';
import { canonicalJson, isObject, withoutNulls } from '../values/json-object.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { EMPTY_DIGEST, extendDigest, jsonBytes } from '../values/digest.ts';
import { limits } from '../values/limits.ts';
import { InvalidInput } from '../values/refusal.ts';
import { type Entry, type StepEntry, hasResult } from '../transcript/entries.ts';

/** Data that a run hands to the run that repeats some of its steps. JSON; recorded in history. */

/** The command. A fork is a run of another id. An open run rewinds itself; a run that is over starts again under its id. */
export type RestartedBy = 'rewind' | 'fork' | 'retry';

/** Starting point of a restarted run, in place of a question: part of its input. */
export interface Restart {
  by: RestartedBy;
  /** Name of the person who restarted the run. Not of a run that rewinds itself: its message has the name. */
  sender?: string | undefined;
  /** The first iteration that is repeated. Those before it are kept, and not paid again. */
  step: number;
  /**
   * The run whose record is kept; `workflowId`: where it is another one. `until`: the id of its first event that is not kept; default: all
   * of it but its end.
   */
  from: { workflowId?: string | undefined; runId: string; until?: number | undefined };
  /** The run whose steps from `step` on are dropped. */
  latest: { workflowId?: string | undefined; runId: string };
  /** Milliseconds that had passed of the run's time limit. */
  elapsedMs: number;
  /** Calls whose observation a person has changed; the new one is in the run's pending entries. */
  edited?: string[] | undefined;
  /** The model's turn of `step` is kept as well: only the calls without an end are made again. */
  turn?: KeptTurn | undefined;
}

export interface KeptTurn {
  /** The model's decision; a person may have changed the input of a call since. */
  turn: ModelTurn;
  /** The calls of it that are over. */
  ends: KeptEnd[];
}

/** End of a call in the run before: its entry in the transcript. */
export interface KeptEnd {
  entry: StepEntry;
  /** The observation is the tool's own. */
  fromTool: boolean;
}

/** A call with an effect that happens once, made in a step that was dropped since. */
export interface DoneCall {
  call: string;
  tool: string;
  /** Digest of its input, as the tool's schema parsed it. */
  input: string;
  /** Digest of its input as it was written: a worker without the tool knows no other. Absent in older records. */
  written?: string | undefined;
  /** The beginning of its result; absent without a recorded end. */
  output?: string | undefined;
}

/** Event for readers when a run is restarted. */
export interface RestartedEvent {
  type: 'restarted';
  by: RestartedBy;
  /** Name of the person who restarted a run that was over, or forked it. */
  sender?: string | undefined;
  step: number;
  /** The run that continues, and the one it continues from. */
  id: string;
  runId: string;
  from: { id: string; runId: string };
  /** Iterations of the kept steps. */
  iterations: number;
  usage: Usage;
  /**
   * The calls of a resumed turn that run again. The other calls and the model's decision are kept.
   */
  again?: string[] | undefined;
  edits?: { call: string; observation: Json }[] | undefined;
}

/** Returns the observations that a person has changed. */
export function editsOf(
  { edited = [] }: Pick<Restart, 'edited'>,
  pending: readonly Entry[] = [],
): { call: string; observation: Json }[] {
  return pending
    .filter(hasResult)
    .filter(({ call }) => edited.includes(call))
    .map(({ call, observation }) => ({ call, observation }));
}

/** Makes the event of a restart. `pending`: entries that the next model call adds to the transcript. */
export function restartedEvent(
  run: { id: string; runId: string },
  restart: Pick<Restart, 'by' | 'sender' | 'step' | 'from' | 'turn' | 'edited'>,
  pending: readonly Entry[] | undefined,
  { iterations, usage }: { iterations: number; usage: Usage },
): RestartedEvent {
  const { by, sender, step, from, turn } = restart;
  const edits = editsOf(restart, pending);
  return {
    type: 'restarted',
    by,
    ...(sender !== undefined && { sender }),
    step,
    ...run,
    from: { id: from.workflowId ?? run.id, runId: from.runId },
    iterations,
    usage,
    again: turn && callsWithoutEnd(step, turn),
    edits: edits.length === 0 ? undefined : edits,
  };
}

/** A second run of the call would repeat its effect. */
export function isOnce({ effects }: ToolManifest): boolean {
  return effects === 'once';
}

/** Digest of a tool's input. The order of fields does not matter; a field that is null counts as absent. */
export function inputDigest(input: Json): string {
  return extendDigest(EMPTY_DIGEST, canonicalJson(isObject(input) ? withoutNulls(input) : input));
}

/** Name of the activity that reads the effects of dropped steps, before a run starts that does them again. */
export const EARLIER_EFFECTS = 'earlierEffects';

/**
 * Question about effects of `step` and later, or only of the calls that are made `again`. `workflowId`: of another run;
 * without a `runId`: its latest execution.
 */
export interface EffectsQuestion {
  run: { workflowId?: string | undefined; runId?: string | undefined };
  step: number;
  again?: string[] | undefined;
  /** Background calls of earlier steps, about whose results the model is told that they are not known. */
  lost?: string[] | undefined;
}

/**
 * The last one of calls with the same effect, which alone is looked for. Outputs are left out where the list would be too long
 * with them. Throws InvalidInput where it is too long without them.
 */
export function lastOfEach(calls: readonly DoneCall[]): DoneCall[] {
  const last = new Map<string, DoneCall>();
  for (const call of calls) {
    const key = `${call.tool} ${call.input}`;
    last.delete(key); // the last one stands last
    last.set(key, call);
  }
  const all = [...last.values()];
  if (fits(all)) return all;
  const short = all.map(({ output, ...call }) => (output === undefined ? call : { ...call, output: '…' }));
  if (fits(short)) return short;
  throw new InvalidInput(
    `The dropped steps have ${all.length} effects, which are more than a run can remember. Go back to a later step.`,
  );
}

function fits(calls: readonly DoneCall[]): boolean {
  return jsonBytes(calls) <= limits.doneBytes;
}

export function callsWithoutEnd(step: number, { turn: { decision }, ends }: KeptTurn): string[] {
  const actions = decision.type === 'act' ? decision.actions : [];
  const calls = actions.map((_, index) => `${step}.${index + 1}`);
  return calls.filter((call) => ends.every(({ entry }) => entry.call !== call));
}

/** True if a restart drops the result of a call: every call of `step` and later. */
export function isDropped(call: string, { step, again }: Pick<RestartedEvent, 'step' | 'again'>): boolean {
  const iteration = Number.parseInt(call, 10);
  if (/^\d+\//u.test(call)) return false; // another agent's of the same workflow
  if (iteration !== step || again === undefined) return iteration >= step;
  return again.includes(call.split('/')[0] ?? '');
}
