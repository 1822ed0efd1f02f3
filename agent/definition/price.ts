import { type Usage, dollars } from '../values/vocabulary.ts';

/** Price of a model, in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Prompt tokens that were in the provider's cache. Default: as `input`. */
  cachedInput?: number | undefined;
}

/** Tokens of one reply, as a model reports them. */
export type Tokens = Pick<
  Usage,
  | 'promptTokens'
  | 'completionTokens'
  | 'totalTokens'
  | 'cachedTokens'
  | 'cacheWriteTokens'
  | 'reasoningTokens'
>;

/** No model was asked, or the server did not count. */
const noTokens: Tokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** Lengths of a request and its reply, in characters. */
export interface TextLengths {
  prompt: number;
  reply: number;
}

/**
 * Usage of a reply. `modelCalls` is 0 if no model was asked; such a reply costs nothing. If the server reports no token
 * counts, usage is unknown, and budgets use an estimate from the text lengths.
 */
export function usageOf(
  tokens: Tokens | undefined,
  modelCalls: 0 | 1,
  price: Price | undefined,
  lengths: TextLengths = { prompt: 0, reply: 0 },
): Usage {
  const usage: Usage = { ...(tokens ?? noTokens), modelCalls };
  // A provider that counts nothing has not worked for nothing.
  if (modelCalls === 1 && usage.totalTokens === 0) return { ...usage, ...uncounted(lengths, price) };
  return price === undefined ? usage : { ...usage, cost: costOf(usage, price) };
}

/** Characters per token in estimates; only the provider knows what an image takes. */
export const CHARS_PER_TOKEN = 4;

function uncounted({ prompt, reply }: TextLengths, price: Price | undefined): Partial<Usage> {
  const promptTokens = Math.ceil(prompt / CHARS_PER_TOKEN);
  const completionTokens = Math.ceil(reply / CHARS_PER_TOKEN);
  const totalTokens = promptTokens + completionTokens;
  if (totalTokens === 0) return { uncountedCalls: 1 };
  const estimatedCost = price && costOf({ promptTokens, completionTokens, totalTokens }, price);
  return { uncountedCalls: 1, estimatedTokens: totalTokens, estimatedCost };
}

function costOf({ promptTokens, completionTokens, cachedTokens = 0 }: Tokens, price: Price): number {
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(cachedTokens, promptTokens);
  const perMillion = (promptTokens - cached) * input + cached * cachedInput + completionTokens * output;
  return dollars(perMillion / 1e6);
}
