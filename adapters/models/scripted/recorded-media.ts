import { sizeText } from '../../../agent/values/content.ts';
import { fieldsOf } from '../../../agent/values/json-object.ts';
import type { Json, JsonObject } from '../../../agent/values/vocabulary.ts';

/** Images and files in what a scripted model was asked: kept in short, as each request sends them all again. */

const DATA_URL = /^data:([^;,]*);base64,/u;

/** `data:image/png;base64,…` becomes `[image image/png 34 KB]`. */
export function withoutMediaBytes(body: JsonObject): JsonObject {
  const { messages } = body;
  return Array.isArray(messages) ? { ...body, messages: messages.map(shortened) } : body;
}

/** A part of a message, as `prompt` has it. */
export function partText(part: Json): string {
  const fields = fieldsOf(part);
  if (typeof fields['text'] === 'string') return fields['text'];
  for (const [field, inner, word] of FIELDS) {
    const shown = fieldsOf(fields[field])[inner];
    if (typeof shown === 'string') return shown.startsWith('[') ? shown : `[${word} ${shown}]`;
  }
  return '';
}

function shortened(message: Json): Json {
  const { content } = fieldsOf(message);
  return Array.isArray(content) ? { ...fieldsOf(message), content: content.map(shortPart) } : message;
}

/** Fields of a part that hold bytes, and the word for them. */
const FIELDS = [
  ['image_url', 'url', 'image'],
  ['file', 'file_data', 'file'],
  ['input_audio', 'data', 'audio'],
] as const;

function shortPart(part: Json): Json {
  const fields = fieldsOf(part);
  for (const [field, inner, word] of FIELDS) {
    const inside = fieldsOf(fields[field]);
    const { [inner]: data, filename, format } = inside;
    if (typeof data !== 'string') continue;
    const [head, mediaType] = DATA_URL.exec(data) ?? [];
    if (head === undefined && field !== 'input_audio') return part;
    const size = sizeText(Buffer.byteLength(data.slice(head?.length ?? 0), 'base64'));
    const words = [word, filename, mediaType ?? format, size].filter((one) => typeof one === 'string');
    return { ...fields, [field]: { ...inside, [inner]: `[${words.join(' ')}]` } };
  }
  return part;
}
