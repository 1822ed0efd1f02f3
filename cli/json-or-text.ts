import type { Json } from '../agent/vocabulary.ts';

/** A tool with one plain string gets the text as it was typed; only an object or an array is meant as JSON. */
export function jsonOrText(text: string): Json {
  try {
    const value = JSON.parse(text) as Json; // whatever it is, it was parsed from JSON
    return value !== null && typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}
