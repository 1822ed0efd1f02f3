/**
 * Shows whether the server leaves out the start of what it is sent. JSON; recorded in history, with each step, so it is short.
 * `leftOut`: the server left something out, which stays for the rest of the run.
 */
export type PromptCount = { leftOut: true } | (CountedPrompt & { leftOut?: undefined });

/** The largest prompt of a run that its server counted, since the prompt was last made shorter. */
interface CountedPrompt {
  /** The agent and the model, in a run that may have several: others have other prompts, and count in another way. */
  by?: string | undefined;
  /** Tokens, as the server counted them. */
  tokens: number;
  /** Tokens, as estimated from the text. */
  estimate: number;
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
export function nextCount(before: PromptCount | undefined, now: CountedPrompt): PromptCount | undefined {
  const { by, tokens, estimate } = now;
  if (before?.leftOut === true || tokens === 0 || estimate < LEAST_TOKENS) return before;
  const same = before !== undefined && before.by === by && estimate >= before.estimate ? before : undefined;
  const isLess = same !== undefined && tokens <= same.tokens && estimate > same.estimate * GROWTH;
  if (isLess || estimate > tokens * FAR_ABOVE) return { leftOut: true };
  return same !== undefined && same.tokens >= tokens ? same : now;
}
