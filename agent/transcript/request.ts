import { contentText, mediaOf } from '../values/content.ts';
import { EMPTY_DIGEST, extendDigest } from '../values/digest.ts';
import { textFileBytes } from '../prompt/text-file.ts';
import { takenMedia } from './takes-media.ts';
import { inWords, placeMedia } from './place-media.ts';
import type { AgentKind, ModelPrompt, PromptContext } from '../definition/kind.ts';
import { withShownTools } from '../definition/tool-search.ts';
import type { RequestParams } from '../definition/manifest.ts';
import { withSkills } from '../prompt/with-skills.ts';
import { validPrompt } from '../prompt/valid-prompt.ts';
import { withoutCalls } from '../prompt/without-calls.ts';

/** One request to a model: everything that decides the reply. Printed as it is by `reloop show --prompt`. */
export interface ModelRequest {
  model: string;
  prompt: ModelPrompt;
  stop: string[];
  params: RequestParams;
}

/** The model's request for a conversation: the same in the activity and in a later reader. */
export function renderRequest(kind: AgentKind, context: PromptContext): ModelRequest {
  const { model, stop, params, skills } = context.manifest;
  const manifest = withShownTools(context.manifest);
  const ofAgent = manifest === context.manifest ? context : { ...context, manifest };
  const shown = inWords(ofAgent, takenMedia(kind, params));
  const prompt = withSkills(placeMedia(kind.render(shown), shown.media), skills);
  return {
    model,
    prompt: validPrompt(prompt, { portableIds: context.severalModels === true }),
    stop,
    params,
  };
}

/** The same for a model that calls tools though the request forbids it: Ollama and llama.cpp ignore `tool_choice`. */
export function withoutTools(request: ModelRequest): ModelRequest {
  return { ...request, prompt: withoutCalls(request.prompt) };
}

/** Characters of a prompt, without its tools. */
export function promptLength(prompt: ModelPrompt): number {
  if (prompt.type === 'text') return prompt.text.length;
  return prompt.messages.reduce((sum, { content, toolCalls = [] }) => {
    const calls = toolCalls.reduce((chars, call) => chars + call.arguments.length, 0);
    return sum + calls + contentText(content).length + textFileBytes(content);
  }, 0);
}

/** Messages of people that the request does not show: a custom kind may leave messages out. */
export function unshownMessages(
  { messages = [] }: PromptContext,
  { prompt }: Pick<ModelRequest, 'prompt'>,
): string[] {
  const said = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  if (said.length === 0) return [];
  const shown =
    prompt.type === 'text' ? [prompt.text] : prompt.messages.map(({ content }) => contentText(content));
  let place: TextPosition | undefined;
  return said.filter((text) => {
    // The messages are nearly always in the order in which they were sent, so one pass over the request finds all.
    const found =
      positionOf(text, shown, place ?? { of: 0, at: 0 }) ?? positionOf(text, shown, { of: 0, at: 0 });
    place = found ?? place;
    return found === undefined;
  });
}

/** Start of a text: the index in a list, and the character in that item. */
interface TextPosition {
  of: number;
  at: number;
}

function positionOf(text: string, list: readonly string[], from: TextPosition): TextPosition | undefined {
  for (let of = from.of; of < list.length; of++) {
    const at = list[of]?.indexOf(text, of === from.of ? from.at : 0) ?? -1;
    if (at >= 0) return { of, at };
  }
  return undefined;
}

/** Returns true for a request with parts of messages: images, files, and the texts beside them. Most requests have none. */
export function hasMedia({ prompt }: Pick<ModelRequest, 'prompt'>): boolean {
  return prompt.type === 'messages' && prompt.messages.some(({ content }) => Array.isArray(content));
}

/** Number of the question's images and files that the request lacks. */
export function unshownMedia(
  { media = [] }: PromptContext,
  { prompt }: Pick<ModelRequest, 'prompt'>,
): number {
  if (media.length === 0 || prompt.type === 'text') return media.length;
  const shown = prompt.messages.flatMap(({ content }) => mediaOf(content));
  return media.filter((part) => !shown.includes(part)).length;
}

/**
 * Digest that shows whether a request was rebuilt as it was sent. Long texts count by their length and their ends, so that the price
 * of a step does not grow with the run.
 */
export function requestDigest({ prompt, ...rest }: ModelRequest): string {
  const { count, ends } = textsOf(prompt);
  const sketch = [count, ...ends].map((text) =>
    typeof text === 'string' ? [text.length, text.slice(0, 500), text.slice(-500)] : text,
  );
  const tools = prompt.type === 'text' ? [] : (prompt.tools ?? []).map(({ name }) => name);
  return extendDigest(
    EMPTY_DIGEST,
    JSON.stringify([prompt.type, sketch, rest, ...(tools.length > 0 ? [tools] : [])]),
  );
}

/**
 * Number of texts in a prompt, and the first two and the last two; a message's role is one text, its content another.
 */
function textsOf(prompt: ModelPrompt): { count: number; ends: string[] } {
  if (prompt.type === 'text') return { count: 1, ends: [prompt.text, prompt.text] };
  const { messages } = prompt;
  const ends = [...messages.slice(0, 1), ...messages.slice(-1)];
  return {
    count: 2 * messages.length,
    ends: ends.flatMap(({ role, content }) => [role, contentText(content)]),
  };
}
