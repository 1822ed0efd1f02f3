import type { AgentManifest } from '../definition/manifest.ts';
import { observationText } from './observation-text.ts';
import type { PromptContext, PromptMessage, PromptStep } from '../definition/kind.ts';

/** One item after the question in a prompt: a step, or a message to the running agent. */
export type PromptPart =
  | { type: 'step'; step: PromptStep }
  | ({ type: 'message' } & Pick<PromptMessage, 'role' | 'text' | 'summary' | 'result'>);

/** Steps and messages in the order in which the model is to see them. */
export function promptParts({
  steps,
  messages = [],
}: Pick<PromptContext, 'steps' | 'messages'>): PromptPart[] {
  const said = new Map<number, PromptPart[]>();
  for (const { afterStep, ...message } of messages) {
    const there = said.get(afterStep) ?? [];
    said.set(afterStep, [...there, { type: 'message', ...message }]);
  }
  const parts: PromptPart[] = [...(said.get(0) ?? [])];
  for (const [index, step] of steps.entries()) {
    parts.push({ type: 'step', step });
    const behind = said.get(index + 1);
    if (behind !== undefined) parts.push(...behind);
  }
  return parts;
}

/**
 * The scratchpad of a text kind: each reply as it came, the observation or message after it, and `again`, after which the
 * model continues.
 */
export function textScratchpad(shown: Pick<PromptContext, 'steps' | 'messages'>, again: string): string {
  const parts = promptParts(shown);
  let text = '';
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    const userFollows = next?.type === 'message' && next.role === 'user';
    text += textOf(part) + (userFollows ? '' : again);
  }
  return text;
}

/** Label of a person's message to a run, in a prompt that is one text. */
const USER_SAYS = 'Message from the user: ';

function textOf(part: PromptPart): string {
  if (part.type === 'step') {
    const { action, observation } = part.step;
    return `${action.log}\nObservation: ${observationText(observation)}`;
  }
  if (part.role === 'assistant') return part.text;
  const isPersons = part.summary !== true && part.result !== true;
  return `\n${isPersons ? USER_SAYS : ''}${part.text}`;
}

/** Instructions for an answer that has to fit a schema; empty for other agents. Starts with a blank line. */
export function outputInstructions({ output }: AgentManifest): string {
  if (output === undefined) return '';
  return `\n\nThe final answer has to be JSON, and nothing but JSON, that fits this JSON Schema:\n${JSON.stringify(output)}`;
}
