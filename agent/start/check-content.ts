import { isObject } from '../values/json-object.ts';

/**
 * Checks a question's content from any source. Returns the problem as one sentence, or undefined. `images`:
 * how many arrived with it, where that is known.
 */
export function contentProblem(input: unknown, images = Infinity): string | undefined {
  const parts: unknown[] = Array.isArray(input) ? input : [{ type: 'text', text: input }];
  if (!parts.some(isText)) return 'there is no question in input.';
  if (parts.every((part) => isText(part) || isImage(part, images))) return undefined;
  return 'input is a text, or parts such as {"type":"text","text":"What is on it?"} and {"type":"image","url":"https://…"}. Images that are no URLs are sent by the client library or by `reloop run --session NAME --image FILE`.';
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
