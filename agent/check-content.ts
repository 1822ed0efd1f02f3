import { isObject } from './json-object.ts';

/**
 * A session's question as it arrived. `images`: how many came with it, where that is known. Throws a plain Error whose
 * message says what is wrong with it.
 */
export function checkContent(input: unknown, images = Infinity): void {
  const parts: unknown[] = Array.isArray(input) ? input : [{ type: 'text', text: input }];
  if (!parts.some(isText)) throw new Error('send: there is no question in input.');
  const wrong = parts.find((part) => !isText(part) && !isImage(part, images));
  if (wrong !== undefined) {
    throw new Error(
      'send: input is a text, or parts such as {"type":"text","text":"What is on it?"} and {"type":"image","url":"https://…"}. Images that are no URLs are sent by the client library or by `reloop run --session NAME --image FILE`.',
    );
  }
}

function isText(part: unknown): boolean {
  return (
    isObject(part) &&
    part['type'] === 'text' &&
    typeof part['text'] === 'string' &&
    part['text'].trim() !== ''
  );
}

function isImage(part: unknown, images: number): boolean {
  if (!isObject(part) || part['type'] !== 'image') return false;
  const { url, ref } = part;
  if (ref === undefined) return typeof url === 'string' && url.startsWith('https://');
  return isObject(ref) && isPlace(ref['index'], images);
}

function isPlace(index: unknown, images: number): boolean {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < images;
}
