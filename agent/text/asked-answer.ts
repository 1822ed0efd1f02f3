import { fieldsOf, isObject } from '../values/json-object.ts';
import type { Json, JsonObject } from '../values/vocabulary.ts';

/** A person's answer to the question of a tool. */
export type AskedAnswer = { action: 'accept'; content: Json } | { action: 'decline' | 'cancel' };

/**
 * Reads an answer: `{ action: 'decline' }` and `{ action: 'cancel' }` say no; `{ action: 'accept', content }`, and any other value, is the content.
 * In a form with a field `action` of its own, an object without `content` is the content.
 */
export function readAskedAnswer(schema: JsonObject | undefined, answer: Json): AskedAnswer {
  const { action, content } = fieldsOf(answer);
  const isOwnField =
    isObject(answer) && !('content' in answer) && 'action' in fieldsOf(schema?.['properties']);
  if (!isOwnField && (action === 'decline' || action === 'cancel')) return { action };
  return { action: 'accept', content: !isOwnField && action === 'accept' ? (content ?? {}) : answer };
}
