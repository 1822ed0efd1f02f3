import { sizeText } from '../../../agent/values/content.ts';
import { fieldsOf } from '../../../agent/values/json-object.ts';
import type { Json, JsonObject } from '../../../agent/values/vocabulary.ts';

/** Images in what a scripted model was asked: kept in short, as each request sends them all again. */

const DATA_URL = /^data:([^;,]*);base64,/u;

/** `data:image/png;base64,…` becomes `[image image/png 34 KB]`. */
export function withoutImageBytes(body: JsonObject): JsonObject {
  const { messages } = body;
  return Array.isArray(messages) ? { ...body, messages: messages.map(shortened) } : body;
}

/** A part of a message, as `prompt` has it. */
export function partText(part: Json): string {
  const { text, image_url: image } = fieldsOf(part);
  if (typeof text === 'string') return text;
  const { url } = fieldsOf(image);
  if (typeof url !== 'string') return '';
  return url.startsWith('[') ? url : `[image ${url}]`;
}

function shortened(message: Json): Json {
  const { content } = fieldsOf(message);
  return Array.isArray(content) ? { ...fieldsOf(message), content: content.map(shortPart) } : message;
}

function shortPart(part: Json): Json {
  const { image_url: image } = fieldsOf(part);
  const { url } = fieldsOf(image);
  const [head, mediaType] = typeof url === 'string' ? (DATA_URL.exec(url) ?? []) : [];
  if (typeof url !== 'string' || head === undefined) return part;
  const bytes = Buffer.byteLength(url.slice(head.length), 'base64');
  return {
    ...fieldsOf(part),
    image_url: { ...fieldsOf(image), url: `[image ${mediaType} ${sizeText(bytes)}]` },
  };
}
