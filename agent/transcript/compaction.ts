import type { PromptContext } from '../definition/kind.ts';
import type { CompactionManifest } from '../definition/manifest.ts';
import { CHARS_PER_TOKEN } from '../definition/price.ts';
import { sum } from '../values/values.ts';
import { asText } from '../values/vocabulary.ts';
import { conversation } from './prompt-context.ts';
import type { Entry } from './entries.ts';
import { keptFrom, turnStarts, visible } from './visible.ts';
import { jsonBytes } from '../values/digest.ts';

/** The next prompt of a run: its tokens, as far as they are known, and the turns in it. */
export interface PromptSize {
  tokens: number;
  turns: number;
}

/** Part of the threshold that the kept turns may take, so that the next compaction does not come at once. */
const KEPT_SHARE = 0.5;

/** Returns true if the next prompt would pass the threshold, and has an old turn besides the last one. */
export function isCompactionDue(
  compaction: CompactionManifest | undefined,
  size: PromptSize | undefined,
): boolean {
  if (compaction === undefined || size === undefined) return false;
  return size.tokens >= threshold(compaction) && size.turns > 1;
}

/** Tokens at which a compaction is due. */
function threshold({ window, at }: CompactionManifest): number {
  return window * at;
}

/** The size of a prompt after more of the turn's entries, whose tokens are estimated. */
export function grown(size: PromptSize, entries: readonly Entry[]): PromptSize {
  const chars = entries.map((entry) =>
    entry.type === 'step' || entry.type === 'late' ? asText(entry.observation).length : 0,
  );
  return { ...size, tokens: size.tokens + Math.ceil(sum(chars) / CHARS_PER_TOKEN) };
}

/** Number of the last turns that a compaction keeps: `keep`, or fewer if these are long; always the last one. */
export function keptTurns(entries: readonly Entry[], compaction: CompactionManifest): number {
  const starts = turnStarts(entries);
  const room = threshold(compaction) * KEPT_SHARE * CHARS_PER_TOKEN;
  let keep = Math.max(1, Math.min(compaction.keep, starts.length - 1));
  while (keep > 1 && bytesFrom(entries, starts.at(-keep)) > room) keep--;
  return keep;
}

/** The conversation without its last `keep` turns, for a summary of it by the agent that has the conversation. */
export function conversationBefore(entries: readonly Entry[], keep: number): PromptContext {
  const shown = visible(entries, 0, (entry) => entry);
  const from = keptFrom(shown, keep);
  const handoffs = shown.slice(from).filter(({ type }) => type === 'agent');
  return conversation([...shown.slice(0, from), ...handoffs]);
}

function bytesFrom(entries: readonly Entry[], from = 0): number {
  return sum(entries.slice(from).map(jsonBytes));
}
