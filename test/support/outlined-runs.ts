import type { OutlinedDecision, RunEnding, RunOutline } from '../../agent/backtest/outline.ts';
import { type Json, noUsage } from '../../agent/values/vocabulary.ts';

/** Outlines of runs, for tests of backtests. */

export const call = (tool: string, toolInput: Json): OutlinedDecision => ({
  type: 'act',
  actions: [{ tool, toolInput }],
});
export const answer = (output: Json): OutlinedDecision => ({ type: 'finish', output });

/** A run that decided so and is completed. */
export function outline(decisions: OutlinedDecision[], ending: Partial<RunEnding> = {}): RunOutline {
  const last = decisions.at(-1);
  const output = last?.type === 'finish' ? last.output : null;
  const end = { output, iterations: decisions.length, error: null, usage: noUsage };
  return { decisions, ending: { status: 'completed', stopReason: 'final_answer', ...end, ...ending } };
}
