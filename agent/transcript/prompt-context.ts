import type { PromptContext, PromptMessage, PromptStep, TurnReply } from '../definition/kind.ts';
import { modelKey } from '../definition/handed-over.ts';
import { contextVariables } from '../definition/run-context.ts';
import { lateResult, summarized, withPersonsInput } from '../observation/observations.ts';
import type { Json } from '../values/vocabulary.ts';
import { type Entry, type StepEntry, agentOf, modelKeysOf } from './entries.ts';
import { remembered } from './memory.ts';
import { markedInput } from './place-media.ts';
import { visible } from './visible.ts';

/** The transcript as prompt context. Throws if the list does not start with an agent and a question. */
export function conversation(entries: readonly Entry[], closing = false): PromptContext {
  const [agent, question, ...rest] = entries;
  if (agent?.type !== 'agent' || question?.type !== 'question') {
    throw new Error('A transcript starts with its agent and its question.');
  }
  const { manifest } = agentOf(rest) ?? agent;
  const { input, chatHistory, variables = {} } = question;
  const shown = visible(rest, manifest.trimIntermediateSteps, (entry) => entry);
  return {
    manifest,
    ...markedInput(input),
    chatHistory: remembered(chatHistory, manifest.memory),
    variables: { ...variables, ...contextVariables(manifest.context) },
    steps: promptSteps(shown, modelKey(manifest)),
    messages: promptMessages(shown),
    severalModels: modelKeysOf(entries).length > 1 || undefined,
    closing,
  };
}

/** `model`: the model that is asked. A reply of another model goes without the data of its provider. */
function promptSteps(entries: readonly Entry[], model: string): PromptStep[] {
  const steps: PromptStep[] = [];
  /** The same object for all steps of a turn: kinds distinguish turns by it. */
  let last: { call: string; reply: TurnReply } | undefined;
  for (const entry of entries) {
    if (entry.type === 'reply') {
      const { type: _type, call, by = model, ...reply } = entry;
      const { text, toolCalls } = reply;
      last = { call, reply: by === model ? reply : { text, toolCalls } };
    }
    if (entry.type !== 'step') continue;
    const { action, toolCallId, call } = entry;
    const reply = last !== undefined && call.startsWith(`${last.call}.`) ? last.reply : undefined;
    steps.push({ action, observation: shownObservation(entry), toolCallId, reply });
  }
  return steps;
}

/** The reply still has the input that the model wrote, so the observation shows the model the one that was used. */
function shownObservation({ action, observation, personsInput }: StepEntry): Json {
  return personsInput === true ? withPersonsInput(action.toolInput, observation) : observation;
}

function promptMessages(entries: readonly Entry[]): PromptMessage[] | undefined {
  const messages: PromptMessage[] = [];
  let afterStep = 0;
  for (const entry of entries) {
    if (entry.type === 'step') afterStep++;
    if (entry.type === 'message') messages.push({ role: entry.role ?? 'user', text: entry.text, afterStep });
    if (entry.type === 'late') {
      const text = lateResult(entry.call, entry.tool, entry.observation, entry.personsInput);
      messages.push({ role: 'user', text, afterStep, result: true });
    }
    if (entry.type === 'summary')
      messages.push({ role: 'user', text: summarized(entry.text), afterStep, summary: true });
  }
  return messages.length === 0 ? undefined : messages;
}
