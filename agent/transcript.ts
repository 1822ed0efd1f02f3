import { EMPTY_DIGEST, extendDigest, utf8Length } from './digest.ts';
import type { AgentManifest } from './manifest.ts';
import type { AgentAction, AgentStep, ChatMessage, Json } from './vocabulary.ts';

/**
 * A run's transcript: an append-only list of entries, of which every model call carries only the new ones. Entries are
 * immutable; a rolling digest tells whether two sides speak of the same list.
 */
export type Entry =
  | { type: 'agent'; manifest: AgentManifest }
  | { type: 'question'; input: string; chatHistory: ChatMessage[] }
  | StepEntry
  | { type: 'message'; text: string };

export interface StepEntry {
  type: 'step';
  call: string;
  action: AgentAction;
  /** null when `ref` says where it is. */
  observation: Json;
  /** The tool call whose result is the observation: it is too big to travel once more. */
  ref?: { runId: string; activityId: string };
}

/** How far a transcript goes and what it says so far. */
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

export function entryBytes(entry: Entry): number {
  return utf8Length(JSON.stringify(entry));
}

/** What the model still sees when it is shown the last `trim` steps (0 or less: all). */
export function visible<T>(items: readonly T[], trim: number, entryOf: (item: T) => Entry): T[] {
  if (trim <= 0) return [...items];
  let hidden = items.filter((item) => entryOf(item).type === 'step').length - trim;
  return items.filter((item) => entryOf(item).type !== 'step' || hidden-- <= 0);
}

/** The parts of a transcript that a prompt is made of. */
export interface Conversation {
  manifest: AgentManifest;
  input: string;
  chatHistory: ChatMessage[];
  steps: AgentStep[];
}

/** Throws when the list does not begin with an agent and a question. */
export function conversation(entries: readonly Entry[]): Conversation {
  const [agent, question, ...rest] = entries;
  if (agent?.type !== 'agent' || question?.type !== 'question') {
    throw new Error('A transcript begins with its agent and its question.');
  }
  const { manifest } = agent;
  const steps = visible(rest, manifest.trimIntermediateSteps, (entry) => entry).flatMap((entry) =>
    entry.type === 'step' ? [{ action: entry.action, observation: entry.observation }] : [],
  );
  return { manifest, input: question.input, chatHistory: question.chatHistory, steps };
}
