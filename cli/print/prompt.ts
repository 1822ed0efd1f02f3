import type { ModelTurn } from '../../agent/calls.ts';
import type { ModelPrompt } from '../../agent/kinds/kind.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { Colors } from './display.ts';

/** A request as the model got it: the prompt to the letter, then stop strings and parameters as JSON. */
export function requestLines(
  call: string,
  { model, prompt, stop, params }: ModelRequest,
  colors: Colors,
): string[] {
  const heading = (text: string) => colors.bold(colors.cyan(`--- ${text}`));
  const asked =
    prompt.type === 'text'
      ? [heading(`step ${call}: prompt for ${model}`), prompt.text]
      : [
          heading(`step ${call}: messages for ${model}`),
          ...prompt.messages.map((message) => JSON.stringify(message)),
          ...toolLines(call, prompt, heading),
        ];
  return [
    ...asked,
    heading(`step ${call}: stop`),
    JSON.stringify(stop),
    heading(`step ${call}: parameters`),
    JSON.stringify(params),
  ];
}

function toolLines(
  call: string,
  { tools = [], toolChoice }: Extract<ModelPrompt, { type: 'messages' }>,
  heading: (text: string) => string,
): string[] {
  if (tools.length === 0) return [];
  const choice = toolChoice === undefined ? '' : ` (tool choice: ${toolChoice})`;
  return [heading(`step ${call}: tools${choice}`), ...tools.map((tool) => JSON.stringify(tool))];
}

/** A reply as it was recorded, which is up to the first stop string. */
export function replyLines(call: string, turn: ModelTurn, colors: Colors): string[] {
  const { text, toolCalls = [], finishReason, usage } = turn;
  const about = `${finishReason}, ${usage.promptTokens} + ${usage.completionTokens} tokens`;
  return [
    colors.bold(colors.cyan(`--- step ${call}: reply (${about})`)),
    text,
    ...toolCalls.map((toolCall) => JSON.stringify(toolCall)),
  ];
}
