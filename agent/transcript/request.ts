import { EMPTY_DIGEST, extendDigest } from './digest.ts';
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
  return { model, prompt: kind.render(context), stop, params };
}

/** What people said that the request does not show: a kind of somebody's own may not know of it. */
export function unshownMessages(
  { messages = [] }: PromptContext,
  { prompt }: Pick<ModelRequest, 'prompt'>,
): string[] {
  const shown = prompt.type === 'text' ? [prompt.text] : prompt.messages.map(({ content }) => content ?? '');
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ text }) => text)
    .filter((text) => !shown.some((content) => content.includes(text)));
}

/**
 * Tells whether a request was rebuilt as it was sent. Long texts count by their length and their ends, so that the price
 * of a step does not grow with the run.
 */
export function requestDigest({ prompt, ...rest }: ModelRequest): string {
  const texts =
    prompt.type === 'text'
      ? [prompt.text]
      : prompt.messages.flatMap(({ role, content }) => [role, content ?? '']);
  const sketch = [texts.length, ...texts.slice(0, 2), ...texts.slice(-2)].map((text) =>
    typeof text === 'string' ? [text.length, text.slice(0, 500), text.slice(-500)] : text,
  );
  const tools = prompt.type === 'text' ? [] : (prompt.tools ?? []).map(({ name }) => name);
  return extendDigest(
    EMPTY_DIGEST,
    JSON.stringify([prompt.type, sketch, rest, ...(tools.length > 0 ? [tools] : [])]),
  );
}
