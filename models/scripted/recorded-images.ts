import { sizeText } from '../../agent/content.ts';
import type { Json } from '../../agent/vocabulary.ts';
import type { RecordedRequest } from './script.ts';

/** Images in what a scripted model was asked: kept in short, as each request sends them all again. */

const DATA_URL = /^data:([^;,]*);base64,/u;

/** `data:image/png;base64,…` becomes `[image image/png 34 KB]`. */
export function withoutImageBytes(body: RecordedRequest['body']): RecordedRequest['body'] {
  const { messages } = body;
  return Array.isArray(messages) ? { ...body, messages: messages.map(shortened) } : body;
}

/** A part of a message, as `prompt` has it. */
export function partText(part: Json): string {
  const { text, image_url: image } = fields(part);
  if (typeof text === 'string') return text;
  const { url } = fields(image ?? null);
  if (typeof url !== 'string') return '';
  return url.startsWith('[') ? url : `[image ${url}]`;
}

function shortened(message: Json): Json {
  const { content } = fields(message);
  return Array.isArray(content) ? { ...fields(message), content: content.map(shortPart) } : message;
}

function shortPart(part: Json): Json {
  const { image_url: image } = fields(part);
  const { url } = fields(image ?? null);
  const [head, mediaType] = typeof url === 'string' ? (DATA_URL.exec(url) ?? []) : [];
  if (typeof url !== 'string' || head === undefined) return part;
  const bytes = Buffer.byteLength(url.slice(head.length), 'base64');
  return {
    ...fields(part),
    image_url: { ...fields(image ?? null), url: `[image ${mediaType} ${sizeText(bytes)}]` },
  };
}

function fields(value: Json): { [field: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}
