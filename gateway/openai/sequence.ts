import type { PartPlace, PlacedPart } from '../replies/follow-reply.ts';
import type { ItemEvent } from './response-items.ts';

/**
 * Sequence numbers of a response's events, the same at every gateway: EVENT * 1e9 + RANK for what is recorded, and
 * EVENT * 1e9 + ATTEMPT * 1e7 + CHARACTERS for text under way. So a number says how much of a text its reader has, and a resumed stream
 * continues in the middle of the text.
 */
const EVENT = 1e9;
const ATTEMPT = 1e7;
/** The item, and its content part, have numbers before the text. */
const ITEM = 0;
const CONTENT = 1;
/** Numbers of attempts have two digits. The length of a text has seven. */
const MOST_ATTEMPTS = 99;

/** The events of one item at one place are in this order. */
const ranks = {
  'response.output_item.added': 1,
  'response.content_part.added': 2,
  'response.mcp_call.in_progress': 2,
  'response.output_text.delta': 3,
  'response.mcp_call_arguments.delta': 3,
  'response.function_call_arguments.delta': 3,
  'response.mcp_call_arguments.done': 4,
  'response.function_call_arguments.done': 4,
  'response.output_text.done': 5,
  'response.content_part.done': 6,
  'response.mcp_call.completed': 6,
  'response.output_item.done': 7,
} as const satisfies { [T in ItemEvent['type']]: number };
/** Rank of the blank line that a `turn` adds to its text: after the text. */
const LINE_RANK = 4;
/** Rank after all events of items at the same place. */
const LAST_RANK = 8;
/** Numbers before the first recorded event. */
export const CREATED = 0;
export const IN_PROGRESS = 1;

/** Number of the last event of a response, at a place in the record. */
export function numberOfEnd(event: number): number {
  return event * EVENT + LAST_RANK;
}

/** `chars`: length of the item's text up to and with the event. */
export function numberOf(event: ItemEvent, { part, place }: PlacedPart, chars: number): number {
  const base = place.event * EVENT;
  const isVoid = part.type === 'void';
  if (part.eventId !== undefined) {
    const isLine = part.type === 'turn' && event.type === 'response.output_text.delta';
    return base + (isVoid ? 0 : isLine ? LINE_RANK : ranks[event.type]);
  }
  const attempt = base + Math.min(place.attempt, MOST_ATTEMPTS) * ATTEMPT;
  if (isVoid) return attempt - 1; // the attempt before ends
  if (event.type === 'response.output_item.added') return attempt + ITEM;
  if (event.type === 'response.content_part.added') return attempt + CONTENT;
  return attempt + CONTENT + chars;
}

/** The text that a reader has: `chars` characters of an attempt that was under way at the event `event`. */
interface HeldText {
  event: number;
  attempt: number;
  chars: number;
  hasContentPart: boolean;
}

/** Undefined for the number of a recorded event. */
function heldTextOf(number: number): HeldText | undefined {
  const [event, rest] = [Math.floor(number / EVENT), number % EVENT];
  const [attempt, place] = [Math.floor(rest / ATTEMPT), rest % ATTEMPT];
  if (attempt === 0) return undefined;
  return { event, attempt, chars: Math.max(0, place - CONTENT), hasContentPart: place >= CONTENT };
}

/**
 * Leaves out the events up to a number, and the part of a text that the reader has. A text that another attempt has replaced meanwhile is
 * sent from its start, as an item that is added again.
 */
export function createResume(
  after: number,
): (event: ItemEvent, number: number, place: PartPlace) => ItemEvent[] {
  const held = heldTextOf(after);
  /** Characters to leave out, by the id of the item. */
  let open: { item: string; left: number } | undefined;
  return (event, number, place) => {
    switch (event.type) {
      case 'response.output_item.added':
        open = undefined;
        if (held === undefined || event.item.type !== 'message' || !continues(held, place)) break;
        open = { item: event.item.id, left: held.chars };
        return [];
      case 'response.content_part.added':
        if (event.item_id === open?.item && held?.hasContentPart === true) return [];
        break;
      case 'response.output_text.delta': {
        if (event.item_id !== open?.item) break;
        const delta = event.delta.slice(open.left);
        open.left = Math.max(0, open.left - event.delta.length);
        return delta === '' ? [] : [{ ...event, delta }];
      }
      default:
    }
    return number > after ? [event] : [];
  };
}

/** True if the text is of the attempt that the reader has seen: no other model call has started since. */
function continues(held: HeldText, { event, since, attempt }: PartPlace): boolean {
  return since <= held.event && held.event <= event && held.attempt === Math.min(attempt, MOST_ATTEMPTS);
}
