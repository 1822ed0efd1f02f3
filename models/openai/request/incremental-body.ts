import { LRUCache } from 'lru-cache';
import { isObject } from '../../../agent/values/json-object.ts';
import type { Json, JsonObject } from '../../../agent/values/vocabulary.ts';

/** The last body that was sent, and the end of each item of the conversation in it. */
interface Sent {
  /** The JSON before the first item. */
  opening: string;
  items: readonly Json[];
  ends: readonly number[];
  bytes: Buffer;
}

/** Limit for all runs together; a run whose last body was evicted is serialized from scratch. */
const KEPT_BYTES = 64 * 1024 * 1024;

const kept = new LRUCache<string, Sent>({
  maxSize: KEPT_BYTES,
  // A text is kept as it is, too.
  sizeCalculation: ({ bytes }) => 2 * bytes.length,
});

/**
 * The body of a request as JSON, with the conversation last. `conversationKey` names the run whose requests begin alike: the bytes of the last
 * request are copied and only the new part is written, so that the next request begins with the same bytes.
 * Measured: 0.3 to 0.5 ms of processor time less for a step at 100 steps (200 KB), 2 to 3 %.
 */
export function serializeBody(body: JsonObject, conversationKey: string): Buffer {
  const parts = partsOf(body);
  const before = kept.get(conversationKey);
  const { opening } = parts;
  const sent = write(
    parts,
    before?.opening === opening ? before : { opening, items: [], ends: [], bytes: Buffer.from(opening) },
  );
  kept.set(conversationKey, sent);
  return sent.bytes;
}

interface Parts {
  opening: string;
  items: readonly Json[];
  closing: string;
}

/** The messages, or the text of legacy completions; everything else comes before them. */
function partsOf({ messages, prompt, ...rest }: JsonObject): Parts {
  const fields = JSON.stringify(rest).slice(0, -1);
  const comma = fields === '{' ? '' : ',';
  if (Array.isArray(messages)) {
    return { opening: `${fields}${comma}"messages":[`, items: messages, closing: ']}' };
  }
  return { opening: `${fields}${comma}"prompt":`, items: [prompt ?? ''], closing: '}' };
}

function write({ opening, items, closing }: Parts, before: Sent): Sent {
  let same = 0;
  while (same < before.items.length && same < items.length && isSame(before.items[same], items[same])) same++;
  const ends = before.ends.slice(0, same);
  const pieces = [before.bytes.subarray(0, ends.at(-1) ?? Buffer.byteLength(opening))];
  let end = pieces[0]?.length ?? 0;
  const add = (piece: Buffer) => {
    pieces.push(piece);
    end += piece.length;
  };
  for (const [index, item] of items.entries()) {
    if (index < same) continue;
    const begun = index === same ? begunText(before, index, item) : undefined;
    if (begun === undefined) {
      add(Buffer.from((index === 0 ? '' : ',') + JSON.stringify(item)));
    } else {
      add(before.bytes.subarray(end, begun.upTo));
      add(Buffer.from(begun.rest));
    }
    ends.push(end);
  }
  return { opening, items, ends, bytes: Buffer.concat([...pieces, Buffer.from(closing)]) };
}

/**
 * For an item that is one text with the same beginning as the item in its place: the end of the shared bytes, and the
 * JSON after them.
 */
function begunText(before: Sent, index: number, item: Json): { upTo: number; rest: string } | undefined {
  const [was, is] = [textItem(before.items[index]), textItem(item)];
  const end = before.ends[index];
  if (was === undefined || is === undefined || end === undefined || was.role !== is.role) return undefined;
  const shared = sharedLength(was.text, is.text);
  const upTo = end - Buffer.byteLength(was.text.length === shared ? '' : inQuotes(was.text.slice(shared)));
  return { upTo: upTo - was.closing.length, rest: inQuotes(is.text.slice(shared)) + is.closing };
}

/** A text, or a message with nothing but a text; `closing`: the JSON after the text. */
function textItem(
  item: Json | undefined,
): { role: Json | undefined; text: string; closing: string } | undefined {
  if (typeof item === 'string') return { role: undefined, text: item, closing: '"' };
  if (!isObject(item)) return undefined;
  const { role, content } = item;
  const isPlain = Object.keys(item).join() === 'role,content' && typeof content === 'string';
  return isPlain ? { role, text: content, closing: '"}' } : undefined;
}

function inQuotes(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Number of whole characters at the beginning that two texts share. */
function sharedLength(one: string, other: string): number {
  let low = 0;
  let high = Math.min(one.length, other.length);
  if (one.slice(0, high) === other.slice(0, high)) low = high;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (one.slice(low, middle) === other.slice(low, middle)) low = middle;
    else high = middle - 1;
  }
  return /[\ud800-\udbff]/u.test(one.charAt(low - 1)) ? low - 1 : low;
}

/** Two values that are written alike. Texts of remembered steps are the same objects, which is found out at once. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [fields, others] = [Object.entries(one ?? {}), Object.entries(other ?? {})];
  return (
    fields.length === others.length &&
    fields.every(([name, value], index) => name === others[index]?.[0] && isSame(value, others[index]?.[1]))
  );
}
