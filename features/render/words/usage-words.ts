import type { Usage } from '../../../agent/values/vocabulary.ts';
import { count } from './amounts.ts';

/** `1,200 + 34 tokens`, `1,200 (900 cached) + 34 tokens`; where the server did not say it of some calls, `at least`, and of all of them, `tokens unknown`. */
export function tokenWords(usage: Usage): string {
  const { promptTokens, completionTokens } = usage;
  return unlessUnknown(
    usage,
    `${figure(promptTokens)}${cachedWords(usage)} + ${figure(completionTokens)} tokens`,
  );
}

/** The same as one sum: `1,234 tokens (900 cached)`. */
export function totalTokenWords(usage: Usage): string {
  return unlessUnknown(usage, `${count(usage.totalTokens, 'token')}${cachedWords(usage)}`);
}

function cachedWords({ cachedTokens = 0 }: Usage): string {
  return cachedTokens === 0 ? '' : ` (${figure(cachedTokens)} cached)`;
}

function unlessUnknown({ modelCalls, totalTokens, uncountedCalls = 0 }: Usage, words: string): string {
  // Older runs recorded zeros of a server that did not count.
  if (modelCalls > 0 && totalTokens === 0) return 'tokens unknown';
  return uncountedCalls === 0 ? words : `at least ${words}`;
}

function figure(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

/** The words of a longer thought are counted up to here, and the rest by length. */
const COUNTED_CHARS = 20_000;

/** `412 words`, in languages without blanks between them too. */
export function wordCount(text: string): string {
  const counted = text.slice(0, COUNTED_CHARS);
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const { isWordLike } of segmenter.segment(counted)) if (isWordLike === true) words++;
  if (counted.length === text.length) return count(words, 'word');
  return `about ${count(Math.round((words * text.length) / counted.length), 'word')}`;
}

/** The cost as a word, or no word: nothing without a price, `at least` if the price of a part is unknown. */
export function costWords({ cost, partialCost }: Usage): string[] {
  if (cost !== undefined) return [usDollars(cost)];
  return partialCost === undefined ? [] : [`at least ${usDollars(partialCost)}`];
}

/** Amounts of one run are small: four digits, of 0 none, and cents from one dollar on. */
function usDollars(amount: number): string {
  if (amount === 0) return '$0';
  if (amount < 0.0001) return '<$0.0001';
  const digits = amount < 1 ? 4 : 2;
  const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `$${amount.toLocaleString('en-US', shape)}`;
}
