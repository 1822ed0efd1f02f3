import type { HookChange } from '../../agent/definition/hooks.ts';
import { limits } from '../../agent/values/limits.ts';
import { wholeCharacters, wellFormed } from '../../agent/values/values.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';

/** Characters before the first difference. */
const LEAD = 40;

/** The record of a change; none if both values are the same. */
export function changeOf(
  change: Pick<HookChange, 'hook' | 'call' | 'part'>,
  before: Json,
  after: Json,
  isHidden: boolean | undefined,
): HookChange[] {
  const [old, now] = [asText(before), asText(after)];
  if (old === now) return [];
  const from = firstDifference(old, now) - LEAD;
  const shown = isHidden === true ? `(${old.length} characters)` : excerpt(old, from);
  return [{ ...change, before: shown, after: excerpt(now, from) }];
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

function excerpt(text: string, from: number): string {
  const start = from <= 1 ? 0 : from;
  const end = start + limits.changeChars;
  const part = wellFormed(wholeCharacters(text.slice(start, end)));
  return `${start > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`;
}
