/**
 * Characters that must not reach a terminal: C0 and C1 controls but line breaks and tabs, and the embeddings, overrides
 * and isolates of bidirectional text.
 */
export const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of others, safe to be shown on a terminal. */
export function sanitizeForTerminal(text: string): string {
  return text.replace(/\r\n/gu, '\n').replace(CONTROL, '\u{fffd}');
}
