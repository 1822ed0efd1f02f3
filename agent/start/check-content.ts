import { isObject } from '../values/json-object.ts';

/**
 * Checks a question's content from any source. Returns the problem as one sentence, or undefined. `media`:
 * how many images and files arrived with it, where that is known.
 */
export function contentProblem(input: unknown, media = Infinity): string | undefined {
  const parts: unknown[] = Array.isArray(input) ? input : [{ type: 'text', text: input }];
  if (!parts.some(isText)) return 'there is no question in input.';
  if (parts.every((part) => isText(part) || isImage(part, media) || isFile(part, media))) return undefined;
  return 'input is a text, or parts such as {"type":"text","text":"What is on it?"} and {"type":"image","url":"https://…"}. Images that are no URLs, and files, are sent by the client library or by `reloop run --session NAME --file FILE`.';
}

function isText(part: unknown): boolean {
  return (
    isObject(part) &&
    part['type'] === 'text' &&
    typeof part['text'] === 'string' &&
    part['text'].trim() !== ''
  );
}

function isImage(part: unknown, media: number): boolean {
  if (!isObject(part) || part['type'] !== 'image') return false;
  const { url, ref } = part;
  if (ref === undefined) return typeof url === 'string' && url.startsWith('https://');
  return isPlace(ref, media);
}

function isFile(part: unknown, media: number): boolean {
  if (!isObject(part) || part['type'] !== 'file') return false;
  const { mediaType, filename = '', ref } = part;
  return typeof mediaType === 'string' && typeof filename === 'string' && isPlace(ref, media);
}

function isPlace(ref: unknown, media: number): boolean {
  const index = isObject(ref) ? ref['index'] : undefined;
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < media;
}
