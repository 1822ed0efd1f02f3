import type { ModelTurn } from '../../agent/calls/calls.ts';
import type { ModelPrompt } from '../../agent/definition/kind.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { Colors } from '../shell/display.ts';
import { tokenWords } from '../../features/render/words/usage-words.ts';

export interface PromptStyle {
  colors: Colors;
  /** Treats texts of others: unchanged, or safe for a terminal. */
  words(text: string): string;
}

/** A request as the model got it: the prompt to the letter, then stop strings and parameters as JSON. */
export function requestLines(
  call: string,
  { model, prompt, stop, params }: ModelRequest,
  { colors, words }: PromptStyle,
): string[] {
  const heading = headingIn(colors, words);
  const json = (value: unknown) => words(JSON.stringify(value));
  const asked =
    prompt.type === 'text'
      ? [heading(`step ${call}: prompt for ${model}`), words(prompt.text)]
      : [
          heading(`step ${call}: messages for ${model}`),
          ...prompt.messages.map(json),
          ...toolLines(call, prompt, { heading, json }),
        ];
  return [
    ...asked,
    heading(`step ${call}: stop`),
    json(stop),
    heading(`step ${call}: parameters`),
    json(params),
  ];
}

function toolLines(
  call: string,
  { tools = [], toolChoice }: Extract<ModelPrompt, { type: 'messages' }>,
  { heading, json }: { heading(text: string): string; json(value: unknown): string },
): string[] {
  if (tools.length === 0) return [];
  const choice = toolChoice === undefined ? '' : ` (tool choice: ${toolChoice})`;
  return [heading(`step ${call}: tools${choice}`), ...tools.map(json)];
}

/** A reply as it was recorded, which is up to the first stop string. */
export function replyLines(call: string, turn: ModelTurn, { colors, words }: PromptStyle): string[] {
  const { text, toolCalls = [], reasoning, finishReason, usage } = turn;
  const about = `${finishReason}, ${tokenWords(usage)}`;
  const heading = headingIn(colors, words);
  return [
    ...(reasoning === undefined ? [] : [heading(`step ${call}: reasoning`), words(reasoning)]),
    heading(`step ${call}: reply (${about})`),
    words(text),
    ...toolCalls.map((toolCall) => words(JSON.stringify(toolCall))),
  ];
}

function headingIn(colors: Colors, words: PromptStyle['words']): (text: string) => string {
  return (text) => colors.bold(colors.cyan(words(`--- ${text}`)));
}
