import { isObject, parseJson } from '../values/json-object.ts';
import { exactJson } from '../values/json-object.ts';
import { plainJson } from '../values/values.ts';
import type { Json } from '../values/vocabulary.ts';

/** Name of the one argument that a tool without a schema is given (LangChain's own). */
export const ONLY_ARGUMENT = '__arg1';

/**
 * Reads an argument text as LangChain does: line breaks and tabs within strings are tolerated, nothing (also JSON's nothings:
 * null, [], "", 0, false) is {}, and {@link ONLY_ARGUMENT} is unwrapped. Throws an Error whose message is the reason.
 */
export function readArguments(text: string): Json {
  const value = plainJson(exactJson(text === '' ? '{}' : strictJson(text)));
  if (isNothing(value)) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Error(`${Array.isArray(value) ? 'a list' : `a ${typeof value}`} in place of an object`);
  }
  const only = Object.hasOwn(value, ONLY_ARGUMENT) ? value[ONLY_ARGUMENT] : undefined;
  return only ?? value;
}

/**
 * The arguments of an earlier call as a request repeats them: always the text of a JSON object, since llama.cpp, vLLM and
 * gateways to Anthropic parse it. The same text if it is one; otherwise what {@link readArguments} reads in it, and
 * `{ unreadable: text }` if it cannot be read.
 */
export function argumentsToSend(text: string): string {
  if (isObject(parseJson(text))) return text;
  const escaped = strictJson(text);
  const value = parseJson(escaped);
  if (isObject(value)) return escaped;
  const isEmpty = text.trim() === '' || (value !== undefined && isNothing(value));
  return isEmpty ? '{}' : JSON.stringify({ unreadable: text });
}

/** Escapes characters inside strings that Python's json.loads(strict=False) accepts and JSON does not. */
function strictJson(text: string): string {
  return text.replace(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/gu, (string) =>
    string.replace(/\\[\s\S]|[\x00-\x1f]/gu, (part) =>
      part.length > 1 ? part : `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}

function isNothing(value: Json): value is null | false | 0 | '' | never[] {
  return !value || (Array.isArray(value) && value.length === 0);
}
