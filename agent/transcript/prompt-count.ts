/**
 * The largest prompt of a run that its server counted, since the prompt was last made shorter. Shows whether the server leaves
 * out the start of what it is sent. JSON; recorded in history.
 */
export interface PromptCount {
  /** The agent and the model: others have other prompts, and count in another way. */
  by: string;
  /** Tokens, as the server counted them. */
  tokens: number;
  /** Tokens, as estimated from the text. */
  estimate: number;
  /** The server left something out. Stays for the rest of the run. */
  leftOut?: true | undefined;
}

/** Shorter prompts fit into every window, and their estimates say little. */
const LEAST_TOKENS = 1_000;
/** Growth of the estimate that has to show in the server's count. */
const GROWTH = 1.1;
/** An estimate may be this many times the count: of text that is mostly blanks, a token has many characters. */
const FAR_ABOVE = 3;

/**
 * The count to carry to the run's next model call. `leftOut`: the server answers as if all were well, but counts no more tokens
 * than before though the prompt grew, or far fewer than there can be. Ollama 0.17.4 does so with a prompt longer than `num_ctx`.
 */
export function nextCount(
  before: PromptCount | undefined,
  { by, tokens, estimate }: PromptCount,
): PromptCount | undefined {
  if (tokens === 0 || estimate < LEAST_TOKENS) return before;
  const same = before?.by === by && estimate >= before.estimate ? before : undefined;
  const isLess = same !== undefined && tokens <= same.tokens && estimate > same.estimate * GROWTH;
  const leftOut = before?.leftOut === true || isLess || estimate > tokens * FAR_ABOVE || undefined;
  const largest = same !== undefined && same.tokens >= tokens ? same : { by, tokens, estimate };
  return { ...largest, leftOut };
}
