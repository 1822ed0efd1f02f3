import { EMPTY_DIGEST, extendDigest, utf8Length } from '../values/digest.ts';
import type { PromptContext, PromptMessage, PromptStep, TurnReply } from '../definition/kind.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import { contextVariables } from '../definition/run-context.ts';
import type { Content } from '../values/content.ts';
import { qualifyImageRefs } from '../start/image-refs.ts';
import { markedInput } from './place-images.ts';
import { remembered } from './memory.ts';
import type { AgentAction, ChatMessage, Json } from '../values/vocabulary.ts';

/**
 * A run's transcript: an append-only list of entries, of which every model call carries only the new ones. Entries are
 * immutable; a rolling digest tells whether two sides speak of the same list.
 */
export type Entry =
  { type: 'agent'; manifest: AgentManifest } | QuestionEntry | ReplyEntry | StepEntry | MessageEntry;

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
}

/** A message during the run: a person's, or (`assistant`) the answer that the model gave as the message arrived. */
export interface MessageEntry {
  type: 'message';
  text: string;
  role?: 'assistant' | undefined;
}

export interface StepEntry {
  type: 'step';
  call: string;
  action: AgentAction;
  toolCallId?: string | undefined;
  /** null when `ref` says where it is. */
  observation: Json;
  /** The tool call whose result is the observation: it is too big to travel once more. */
  ref?: ResultRef | undefined;
}

/**
 * `runId`: absent for a result of the run in whose history the entry is recorded, which may be reset and so have another id.
 * `raw`: the result itself is the observation, not the runner's record of it (a tool that another worker runs).
 */
export interface ResultRef {
  runId?: string | undefined;
  /** Only where it is another workflow than the reader's own: that of a run that was forked. */
  workflowId?: string | undefined;
  activityId: string;
  /** Number of the attempt; left out for the first, and if unknown. 0: the result is read from history. */
  attempt?: number | undefined;
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
    if (entry.type === 'question') return { ...entry, input: qualifyImageRefs(entry.input, place) };
    return entry.type !== 'step' || entry.ref === undefined
      ? entry
      : { ...entry, ref: { ...place, ...entry.ref } };
  });
}

export function entryBytes(entry: Entry): number {
  return utf8Length(JSON.stringify(entry));
}

/**
 * The entries that the model sees if it is shown the last `trim` steps (0 or less: all); a reply goes with its last
 * step. Messages of people stay.
 */
export function visible<T>(items: readonly T[], trim: number, entryOf: (item: T) => Entry): T[] {
  if (trim <= 0) return [...items];
  let hidden = items.filter((item) => entryOf(item).type === 'step').length - trim;
  if (hidden <= 0) return [...items];
  const shown = items.filter((item) => entryOf(item).type !== 'step' || hidden-- <= 0);
  return shown.filter((item, index) => {
    const next = shown[index + 1];
    return entryOf(item).type !== 'reply' || (next !== undefined && entryOf(next).type === 'step');
  });
}

/** The transcript as prompt context. Throws if the list does not begin with an agent and a question. */
export function conversation(entries: readonly Entry[], closing = false): PromptContext {
  const [agent, question, ...rest] = entries;
  if (agent?.type !== 'agent' || question?.type !== 'question') {
    throw new Error('A transcript begins with its agent and its question.');
  }
  const { manifest } = agentOf(rest) ?? agent;
  const { input, chatHistory, variables = {} } = question;
  const shown = visible(rest, manifest.trimIntermediateSteps, (entry) => entry);
  return {
    manifest,
    ...markedInput(input),
    chatHistory: remembered(chatHistory, manifest.memory),
    variables: { ...variables, ...contextVariables(manifest.context) },
    steps: promptSteps(shown),
    messages: promptMessages(shown),
    closing,
  };
}

/** The agent as it is now: a fork may have changed it on the way. */
export function agentOf(entries: readonly Entry[]): Extract<Entry, { type: 'agent' }> | undefined {
  return entries.findLast((entry) => entry.type === 'agent');
}

function promptSteps(entries: readonly Entry[]): PromptStep[] {
  const steps: PromptStep[] = [];
  /** The same object for all steps of a turn: kinds tell turns apart by it. */
  let last: { call: string; reply: TurnReply } | undefined;
  for (const entry of entries) {
    if (entry.type === 'reply') {
      const { type: _type, call, ...reply } = entry;
      last = { call, reply };
    }
    if (entry.type !== 'step') continue;
    const { action, observation, toolCallId, call } = entry;
    const reply = last !== undefined && call.startsWith(`${last.call}.`) ? last.reply : undefined;
    steps.push({ action, observation, toolCallId, reply });
  }
  return steps;
}

function promptMessages(entries: readonly Entry[]): PromptMessage[] | undefined {
  const messages: PromptMessage[] = [];
  let afterStep = 0;
  for (const entry of entries) {
    if (entry.type === 'step') afterStep++;
    if (entry.type === 'message') {
      messages.push({ role: entry.role ?? 'user', text: entry.text, afterStep });
    }
  }
  return messages.length === 0 ? undefined : messages;
}
