import { pyRepr } from './python-repr.ts';
import { plainJson } from '../values.ts';
import type { Json } from '../vocabulary.ts';

/** The arguments of a native tool call: as the tool gets them, and as Python's `str` writes them. */
export interface ToolArguments {
  input: Json;
  shown: string;
}

/** Name of the one argument that a tool without a schema is given (LangChain's own). */
export const ONLY_ARGUMENT = '__arg1';

/**
 * Reads an argument text as LangChain does: line breaks and tabs within strings are tolerated, nothing (also JSON's nothings:
 * null, [], "", 0, false) is {}, and {@link ONLY_ARGUMENT} is unwrapped. Throws an Error whose message is the reason.
 */
export function readArguments(text: string): ToolArguments {
  const strict = text === '' ? '{}' : strictJson(text);
  const value = plainJson(JSON.parse(strict));
  if (isNothing(value)) return { input: {}, shown: '{}' };
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Error(`${Array.isArray(value) ? 'a list' : `a ${typeof value}`} in place of an object`);
  }
  const only = Object.hasOwn(value, ONLY_ARGUMENT) ? value[ONLY_ARGUMENT] : undefined;
  if (only === undefined) return { input: value, shown: pyRepr(strict) };
  return { input: only, shown: typeof only === 'string' ? only : pyRepr(JSON.stringify(only)) };
}

/** Escapes what Python's json.loads(strict=False) takes inside strings and JSON does not. */
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
