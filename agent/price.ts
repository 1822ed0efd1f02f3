import { type Usage, dollars } from './vocabulary.ts';

/** Of a model, in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Of prompt tokens that the provider had in its cache. Default: as `input`. */
  cachedInput?: number | undefined;
}

/** Tokens of one reply, as a model tells them. */
export type Tokens = Pick<Usage, 'promptTokens' | 'completionTokens' | 'totalTokens' | 'cachedTokens'>;

/** Where nobody was asked, or nobody has counted. */
const noTokens: Tokens = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** How long a request and its reply were, in characters. */
export interface TextLengths {
  prompt: number;
  reply: number;
}

/**
 * What a reply has used up; `modelCalls` is 0 for one that nobody was asked for, which costs nothing. Of one that the server
 * did not count it is unknown, and the texts' lengths stand in where a budget has to hold.
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

const CHARS_PER_TOKEN = 4;

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
