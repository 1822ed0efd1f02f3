import { EMPTY_DIGEST, extendDigest } from '../values/digest.ts';
import { modelsOf } from '../definition/agent-models.ts';
import { modelKey } from '../definition/handed-over.ts';
import type { TurnReply } from '../definition/kind.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { Content } from '../values/content.ts';
import { qualifyMediaRefs } from '../start/media-refs.ts';
import type { AgentAction, ChatMessage, Json } from '../values/vocabulary.ts';

/**
 * A run's transcript: an append-only list of entries, of which every model call carries only the new ones. Entries are
 * immutable; a rolling digest shows whether two sides have the same list.
 */
export type Entry =
  AgentEntry | QuestionEntry | ReplyEntry | StepEntry | LateEntry | MessageEntry | SummaryEntry;

/** The agent that has the conversation from here on. */
export interface AgentEntry {
  type: 'agent';
  manifest: AgentManifest;
  /** Keys of the models of all agents so far, where earlier agents are not among the entries any more. */
  models?: readonly string[] | undefined;
}

export interface QuestionEntry {
  type: 'question';
  input: Content;
  chatHistory: ChatMessage[];
  /** Values for the user's own `{names}` in prompt texts. */
  variables?: { [name: string]: string } | undefined;
}

/** A reply that called tools: comes before the steps of its turn. `call` is the model call, `3`. */
export interface ReplyEntry extends TurnReply {
  type: 'reply';
  call: string;
  /** The model whose provider needs its data back, in a run of several agents. */
  by?: string | undefined;
}

/** A message during the run: a person's, or (`assistant`) the answer that the model gave as the message arrived. */
export interface MessageEntry {
  type: 'message';
  text: string;
  role?: 'assistant' | undefined;
}

/** A compaction: the model sees this text in place of all earlier turns but the last `keep`. */
export interface SummaryEntry {
  type: 'summary';
  text: string;
  keep: number;
}

export interface StepEntry {
  type: 'step';
  call: string;
  action: AgentAction;
  toolCallId?: string | undefined;
  /** A person gave the action's input in place of the model's. */
  personsInput?: true | undefined;
  /** null when `ref` says where it is. */
  observation: Json;
  /** The tool call whose result is the observation: it is too big to travel once more. */
  ref?: ResultRef | undefined;
  /** The observation is the ticket of a background call. The call's result is a later {@link LateEntry}. */
  ticket?: true | undefined;
}

/** Result of a background call. Shown as a message. */
export interface LateEntry extends Pick<StepEntry, 'call' | 'observation' | 'ref'> {
  type: 'late';
  tool: string;
  /** Input that a person gave in place of the model's. */
  personsInput?: Json | undefined;
  /** The result is not known: the observation says so. */
  lost?: true | undefined;
}

/** Returns true if the entry has the result of its call. A ticket has not. */
export function hasResult(entry: Entry): entry is StepEntry | LateEntry {
  return entry.type === 'late' || (entry.type === 'step' && entry.ticket !== true);
}

/** Returns true if the observation is in the record of a call, and not in the entry. */
export function isReference(entry: Entry): entry is (StepEntry | LateEntry) & { ref: ResultRef } {
  return (entry.type === 'step' || entry.type === 'late') && entry.ref !== undefined;
}

/**
 * `runId`: absent for a result of the run in whose history the entry is recorded, which may be reset and so have another id.
 * `raw`: the result itself is the observation, not the runner's record of it (a tool that another worker runs).
 */
export interface ResultRef {
  runId?: string | undefined;
  /** Set if another workflow recorded the result (after a fork). */
  workflowId?: string | undefined;
  activityId: string;
  /** The same as in the result (`ToolResult`). */
  attemptScheduledAt?: number | undefined;
  raw?: true | undefined;
}

/** Length and digest of a transcript. */
export interface Mark {
  length: number;
  digest: string;
}

export const START: Mark = { length: 0, digest: EMPTY_DIGEST };

export function advance(mark: Mark, entries: readonly Entry[]): Mark {
  return {
    length: mark.length + entries.length,
    digest: entries.reduce((digest, entry) => extendDigest(digest, JSON.stringify(entry)), mark.digest),
  };
}

/** Entries of one run for a history that is not its own: a reference says which run it is in. */
export function withRunId(entries: readonly Entry[], runId: string, workflowId?: string): Entry[] {
  const place = { runId, workflowId };
  return entries.map((entry) => {
    if (entry.type === 'question') return { ...entry, input: qualifyMediaRefs(entry.input, place) };
    return isReference(entry) ? { ...entry, ref: { ...place, ...entry.ref } } : entry;
  });
}

/** The agent as it is now: a fork may have changed it on the way. */
export function agentOf(entries: readonly Entry[]): AgentEntry | undefined {
  return entries.findLast((entry) => entry.type === 'agent');
}

/** Returns the keys of the models that the agents among the entries have, each once. */
export function modelKeysOf(entries: readonly Entry[]): string[] {
  const keys = entries.flatMap((entry) =>
    entry.type === 'agent' ? [...modelsOf(entry.manifest).map(modelKey), ...(entry.models ?? [])] : [],
  );
  return [...new Set(keys)];
}

/** Replaces the observations of calls. An edited entry has its observation in place, not a reference to a recorded result. */
export function withObservations(entries: readonly Entry[], edits: ReadonlyMap<string, Json>): Entry[] {
  return entries.map((entry) => {
    const observation = hasResult(entry) ? edits.get(entry.call) : undefined;
    if (!hasResult(entry) || observation === undefined) return entry;
    const { ref: _, ...others } = entry;
    return { ...others, observation };
  });
}
