import { contentText, imagesOf } from '../content.ts';
import { EMPTY_DIGEST, extendDigest } from './digest.ts';
import { inWords, placeImages } from './place-images.ts';
import type { AgentKind, ModelPrompt, PromptContext } from '../kinds/kind.ts';
import type { RequestParams } from '../manifest.ts';

/** One request to a model: everything that decides the reply. Printed as it is by `reloop show --prompt`. */
export interface ModelRequest {
  model: string;
  prompt: ModelPrompt;
  stop: string[];
  params: RequestParams;
}

/** What the model is asked, given all that was said: the same in the activity and in a later reader. */
export function renderRequest(kind: AgentKind, context: PromptContext): ModelRequest {
  const { model, stop, params } = context.manifest;
  const shown = kind.images === true && params.api === 'chat' ? context : inWords(context);
  return { model, prompt: placeImages(kind.render(shown), shown.images), stop, params };
}

/** Characters of what a model is asked with, its tools left out. */
export function promptLength(prompt: ModelPrompt): number {
  if (prompt.type === 'text') return prompt.text.length;
  return prompt.messages.reduce((sum, { content, toolCalls = [] }) => {
    const calls = toolCalls.reduce((chars, call) => chars + call.arguments.length, 0);
    return sum + calls + contentText(content).length;
  }, 0);
}

/** What people said that the request does not show: a kind of somebody's own may not know of it. */
export function unshownMessages(
  { messages = [] }: PromptContext,
  { prompt }: Pick<ModelRequest, 'prompt'>,
): string[] {
  const said = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  if (said.length === 0) return [];
  const shown =
    prompt.type === 'text' ? [prompt.text] : prompt.messages.map(({ content }) => contentText(content));
  let place: Place | undefined;
  return said.filter((text) => {
    // They nearly always stand in the order in which they were said: so the request is read once for all of them.
    const found = placeOf(text, shown, place ?? { of: 0, at: 0 }) ?? placeOf(text, shown, { of: 0, at: 0 });
    place = found ?? place;
    return found === undefined;
  });
}

/** Where a text begins: in which of a list, and at which character of it. */
interface Place {
  of: number;
  at: number;
}

function placeOf(text: string, list: readonly string[], from: Place): Place | undefined {
  for (let of = from.of; of < list.length; of++) {
    const at = list[of]?.indexOf(text, of === from.of ? from.at : 0) ?? -1;
    if (at >= 0) return { of, at };
  }
  return undefined;
}

/** How many images of the question are not in the request. */
export function unshownImages(
  { images = [] }: PromptContext,
  { prompt }: Pick<ModelRequest, 'prompt'>,
): number {
  if (images.length === 0 || prompt.type === 'text') return images.length;
  const shown = prompt.messages.flatMap(({ content }) => imagesOf(content));
  return images.filter((image) => !shown.includes(image)).length;
}

/**
 * Tells whether a request was rebuilt as it was sent. Long texts count by their length and their ends, so that the price
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

/** How many texts a prompt has, and the first two and the last two of them; a message's role is one, its content another. */
function textsOf(prompt: ModelPrompt): { count: number; ends: string[] } {
  if (prompt.type === 'text') return { count: 1, ends: [prompt.text, prompt.text] };
  const { messages } = prompt;
  const ends = [...messages.slice(0, 1), ...messages.slice(-1)];
  return {
    count: 2 * messages.length,
    ends: ends.flatMap(({ role, content }) => [role, contentText(content)]),
  };
}
