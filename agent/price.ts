import { type Usage, dollars } from './vocabulary.ts';

/** Of a model, in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Of prompt tokens that the provider had in its cache. Default: as `input`. */
  cachedInput?: number | undefined;
}

/** Tokens of one reply, as a model tells them. */
export type Tokens = Omit<Usage, 'modelCalls' | 'cost' | 'partialCost'>;

/** What a reply has used up; `modelCalls` is 0 for one that nobody was asked for, which costs nothing. */
export function usageOf(tokens: Tokens, modelCalls: 0 | 1, price: Price | undefined): Usage {
  const usage = { ...tokens, modelCalls };
  // A provider that counts nothing has not worked for nothing.
  const isCounted = modelCalls === 0 || tokens.totalTokens > 0;
  return price === undefined || !isCounted ? usage : { ...usage, cost: costOf(tokens, price) };
}

function costOf({ promptTokens, completionTokens, cachedTokens = 0 }: Tokens, price: Price): number {
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(cachedTokens, promptTokens);
  const perMillion = (promptTokens - cached) * input + cached * cachedInput + completionTokens * output;
  return dollars(perMillion / 1e6);
}
