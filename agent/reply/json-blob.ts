import { type Decoded, decodeJson } from './json-decode.ts';
import { PY_SPACE, pyStrip } from './python-text.ts';
import type { Json } from '../values/vocabulary.ts';

/**
 * The JSON in a reply, as LangChain finds it: the whole reply, or the text after its first fence. The end may be bad
 * (closers missing, text after it, cut off), the start may not. undefined: the text has no JSON. Linear in the length of
 * the text; LangChain tries one start after the other.
 */
export function readJsonBlob(text: string): Json | undefined {
  const whole = decodeLenient(text);
  if (whole.type !== 'broken') return valueOf(whole);
  const fence = /```(?:json)?/u.exec(text);
  return fence === null ? undefined : valueOf(decodeLenient(text.slice(fence.index + fence[0].length)));
}

function valueOf(decoded: Decoded): Json | undefined {
  return decoded.type === 'value' ? decoded.value : undefined;
}

function decodeLenient(text: string): Decoded {
  const json = escapeInputs(pyStrip(text, ' \n\r\t`'));
  const decoded = decodeJson(json);
  return decoded.type === 'broken' ? decodeBeginning(json) : decoded;
}

/**
 * The longest beginning that is JSON once everything is closed. The closers are those that the whole text lacks, also
 * after a beginning that has fewer open, as in LangChain.
 */
function decodeBeginning(json: string): Decoded {
  const ended = endOpenString(json);
  if (ended === undefined) return { type: 'refused' };
  const { text, closers } = ended;
  const decoded = decodeJson(text, closers);
  if (decoded.type !== 'broken' || decoded.keep === 0) return decoded;
  return decodeJson(text.slice(0, decoded.keep) + closers);
}

/** The text with its last string closed, and the missing brackets; undefined if a closing bracket does not fit an open one. */
function endOpenString(json: string): { text: string; closers: string } | undefined {
  const open: string[] = [];
  let inString = false;
  let escaped = false;
  for (const char of json) {
    if (inString) {
      inString = char !== '"' || escaped;
      escaped = char === '\\' && !escaped;
    } else if (char === '"') {
      inString = true;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
    } else if ((char === '}' || char === ']') && open.pop() !== char) {
      return undefined;
    }
  }
  const text = inString ? `${escaped ? json.slice(0, -1) : json}"` : json;
  return { text, closers: open.toReversed().join('') };
}

const INPUT = new RegExp(`("action_input":${PY_SPACE}*")([^"]*)"`, 'gu');

/**
 * Line breaks and tabs in the text of an `action_input`, up to the next quote, become escapes. Python's JSON takes them
 * raw. Side effect: a backslash at the end of a line escapes nothing any more.
 */
function escapeInputs(json: string): string {
  return json.replace(INPUT, (_whole, head: string, text: string) => `${head}${escapeControls(text)}"`);
}

function escapeControls(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
