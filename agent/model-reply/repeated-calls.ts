import { canonicalJson, parseJson } from '../values/json-object.ts';
import type { ToolCall } from '../values/vocabulary.ts';

/**
 * The calls of a reply without those that are there already, with id, name and arguments: servers and proxies send a call twice,
 * in a stream under two numbers. Two different calls of one id stay two, and so do equal calls without an id.
 */
export function withoutRepeatedCalls<T extends ToolCall>(calls: readonly T[]): T[] {
  const seen = new Set<string>();
  return calls.filter((call) => {
    if (call.id === '') return true;
    const { arguments: text } = call;
    const value = parseJson(text);
    const key = JSON.stringify([call.id, call.name, value === undefined ? text : canonicalJson(value)]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
