/**
 * Terminal codes must not reach the terminal, nor what turns the order of its text around; line breaks and tabs may: C0
 * and C1 controls, and the embeddings, overrides and isolates of bidirectional text.
 */
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of others, safe to be shown on a terminal. */
export function harmless(text: string): string {
  return text.replace(/\r\n/gu, '\n').replace(control, '\u{fffd}');
}

/** The same where it goes to a terminal; whoever pipes a text wants it as it is. */
export function harmlessOn({ isTTY }: { isTTY?: boolean | undefined }, text: string): string {
  return isTTY === true ? harmless(text) : text;
}
