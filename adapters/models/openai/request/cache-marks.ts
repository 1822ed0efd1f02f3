import type { Json } from '../../../../agent/values/vocabulary.ts';
import { isObject } from '../../../../agent/values/json-object.ts';
import type { WireRequest } from './request-body.ts';

const MARK = { cache_control: { type: 'ephemeral' } };

/**
 * Marks where a prompt may be kept, for gateways to models that keep only what is marked: after the system message, which the tools
 * come before, and after the last message, which the next request continues.
 */
export function withCacheMarks({ path, body }: WireRequest): WireRequest {
  const { messages } = body;
  if (!Array.isArray(messages)) return { path, body };
  const marked = messages.map((message, index) =>
    index === messages.length - 1 || (isObject(message) && message['role'] === 'system')
      ? marks(message)
      : message,
  );
  return { path, body: { ...body, messages: marked } };
}

function marks(message: Json): Json {
  if (!isObject(message)) return message;
  const { content = null } = message;
  const parts = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(parts)) return message;
  const last = parts.at(-1);
  if (!isObject(last)) return message;
  return { ...message, content: [...parts.slice(0, -1), { ...last, ...MARK }] };
}
