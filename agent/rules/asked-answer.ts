import type { JsonSchema } from '../definition/manifest.ts';
import { fieldsOf, isObject } from '../values/json-object.ts';
import type { Json } from '../values/vocabulary.ts';
import { schemaProblem } from './fits-schema.ts';

/** A person's answer to the question of a tool. */
export type AskedAnswer = { action: 'accept'; content: Json } | { action: 'decline' | 'cancel' };

/**
 * Reads an answer: `{ action: 'decline' }` and `{ action: 'cancel' }` say no; `{ action: 'accept', content }`, and any other value, is the content.
 * In a form with a field `action` of its own, an object without `content` is the content.
 */
export function readAskedAnswer(schema: JsonSchema | undefined, answer: Json): AskedAnswer {
  const { action, content } = fieldsOf(answer);
  const isOwnField =
    isObject(answer) && !('content' in answer) && 'action' in fieldsOf(schema?.['properties']);
  if (!isOwnField && (action === 'decline' || action === 'cancel')) return { action };
  return { action: 'accept', content: !isOwnField && action === 'accept' ? (content ?? {}) : answer };
}

/** Returns why an answer does not fit the question's schema, as a clause; undefined: no problem was found. Without a schema any answer fits. */
export function askedProblem(schema: JsonSchema | undefined, answer: Json): string | undefined {
  const read = readAskedAnswer(schema, answer);
  return schema === undefined || read.action !== 'accept' ? undefined : schemaProblem(schema, read.content);
}
