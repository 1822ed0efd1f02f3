/** Inputs and outputs of calls as people write them. */

/** @import { Json } from '../../../agent/values/vocabulary.ts' */

/**
 * A text as it is, anything else as JSON over several lines.
 * @param {Json} value
 */
export function textOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/**
 * Reads an edited input. A text stays a text; anything else has to be JSON.
 * @param {string} text
 * @param {Json} before
 * @returns {{ value: Json } | { problem: string }}
 */
export function readInput(text, before) {
  if (typeof before === 'string') return { value: text };
  try {
    return { value: /** @type {Json} */ (JSON.parse(text)) };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/**
 * Reads a result, as `reloop resolve` does: an object or a list is JSON, anything else is a text.
 * @param {string} text
 * @returns {Json}
 */
export function readOutput(text) {
  try {
    const value = /** @type {Json} */ (JSON.parse(text));
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}

/**
 * True if both are the same JSON.
 * @param {Json} a
 * @param {Json} b
 */
export function isSame(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * 40 s, 3 min, 5 h, 2 days.
 * @param {number} ms
 */
export function lasted(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
