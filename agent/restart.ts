import type { ModelTurn } from './calls.ts';
import type { Json, Usage } from './vocabulary.ts';
import { canonicalJson } from './json-object.ts';
import type { ToolManifest } from './manifest.ts';
import { EMPTY_DIGEST, extendDigest } from './transcript/digest.ts';
import type { StepEntry } from './transcript/entries.ts';

/** What crosses from a run to the one that does some of its steps again. JSON; recorded in history. */

/** Which command it was. A fork is a run of another id; the others take the place of the run they start from. */
export type RestartedBy = 'rewind' | 'fork' | 'retry';

/** Where a run begins that does not begin with a question: part of its input. */
export interface Restart {
  by: RestartedBy;
  /** The first iteration that is done anew. Those before it are kept, and not paid again. */
  step: number;
  /** The run whose record is kept up to there; `workflowId`: where it is another one. */
  from: { workflowId?: string | undefined; runId: string };
  /** The latest run when it was asked for, whose steps from `step` on are dropped: all but a fork take its place. */
  latest: { workflowId?: string | undefined; runId: string };
  /** Of whoever asked for it: of two who ask at a time, one gets the run, and both can tell who. */
  request: string;
  /** Milliseconds that had passed of the run's time limit. */
  elapsedMs: number;
  /** Calls whose observation a person has changed; it stands in the run's pending entries. */
  edited?: string[] | undefined;
  /** The model's turn of `step` is kept as well: only the calls without an end are made again. */
  turn?: KeptTurn | undefined;
}

export interface KeptTurn {
  /** What the model decided on; the input of a call may be a person's by now. */
  turn: ModelTurn;
  /** The calls of it that are over. */
  ends: KeptEnd[];
}

/** How a call ended in the run before: its entry as the model is told of it. */
export interface KeptEnd {
  entry: StepEntry;
  /** The observation is the tool's own word. */
  fromTool: boolean;
}

/** A call with an effect that happens once, made in a step that was dropped since. */
export interface DoneCall {
  call: string;
  tool: string;
  /** Digest of its input. */
  input: string;
  /** The beginning of what it returned; absent where it has no recorded end. */
  output?: string | undefined;
}

/** What a reader of events is told where a run begins again. */
export interface RestartedEvent {
  type: 'restarted';
  by: RestartedBy;
  step: number;
  /** The run that goes on, and the one it goes on from. */
  id: string;
  runId: string;
  from: { id: string; runId: string };
  /** Used up by what is kept. */
  iterations: number;
  usage: Usage;
  /** Of a turn that is taken up again: its calls that are made again. Its others are kept, as is what the model decided. */
  again?: string[] | undefined;
  edits?: { call: string; observation: Json }[] | undefined;
}

/** The run of the same workflow id whose place is taken. */
export function replacedRun({ by, latest }: Restart): string | undefined {
  return by === 'fork' ? undefined : latest.runId;
}

/** A second run of such a call would do its effect again. */
export function isOnce({ effects }: ToolManifest): boolean {
  return effects === 'once';
}

/** Tells two inputs of a tool apart, in whatever order their fields were written. */
export function inputDigest(input: Json): string {
  return extendDigest(EMPTY_DIGEST, canonicalJson(input));
}

/** Name of the activity that reads the effects of dropped steps, before a run begins that does them again. */
export const EARLIER_EFFECTS = 'earlierEffects';

/**
 * Which effects: of `step` and later, or only of the calls that are made `again`. `workflowId`: where it is another one; without a
 * `runId`: its latest run.
 */
export interface EffectsQuestion {
  run: { workflowId?: string | undefined; runId?: string | undefined };
  step: number;
  again?: string[] | undefined;
}

/** Of calls with the same effect the last one, which alone is looked for: so that the list grows no longer than it must. */
export function lastOfEach(calls: readonly DoneCall[]): DoneCall[] {
  const last = new Map<string, DoneCall>();
  for (const call of calls) {
    const key = `${call.tool} ${call.input}`;
    last.delete(key); // the last one stands last
    last.set(key, call);
  }
  return [...last.values()];
}

export function callsWithoutEnd(step: number, { turn: { decision }, ends }: KeptTurn): string[] {
  const actions = decision.type === 'act' ? decision.actions : [];
  const calls = actions.map((_, index) => `${step}.${index + 1}`);
  return calls.filter((call) => ends.every(({ entry }) => entry.call !== call));
}

/** Whether what a call did is dropped where a run begins again: all of `step` and later. */
export function isDropped(call: string, { step, again }: Pick<RestartedEvent, 'step' | 'again'>): boolean {
  const iteration = Number.parseInt(call, 10);
  if (/^\d+\//u.test(call)) return false; // another agent's of the same workflow
  if (iteration !== step || again === undefined) return iteration >= step;
  return again.includes(call.split('/')[0] ?? '');
}
