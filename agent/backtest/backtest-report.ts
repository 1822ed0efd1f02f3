import { limits } from '../values/limits.ts';
import { capOutput } from '../observation/output.ts';
import { boundedText } from '../values/values.ts';
import { type ErrorInfo, type Usage, addUsage, noUsage } from '../values/vocabulary.ts';
import type { InputSchemas } from './same-input.ts';
import { type RunComparison, type Verdict, compareRuns, verdicts } from './compare-runs.ts';
import type { OutlinedDecision, RunEnding, RunOutline } from './outline.ts';

/** One recorded run, repeated, with the result. Long inputs and answers are cut: the runs have them whole. */
export interface BacktestedRun extends RunComparison {
  id: string;
  runId: string;
  /** The run that was asked again; null where the recorded one could not be read. */
  again: string | null;
  input: string;
  /** null: it could not be read. */
  before: RunEnding | null;
  after: RunEnding | null;
  /** Reason why there is nothing to compare. */
  error: ErrorInfo | null;
}

export type VerdictCounts = { [V in Verdict]: number };

/** A backtest as `reloop backtest --json` prints it; the field names are a contract. */
export interface BacktestReport {
  id: string;
  agent: string;
  model: string | null;
  status: 'running' | 'completed' | 'failed' | 'cancelled';
  /** Runs that are to be asked again, in all. */
  total: number;
  /** Runs that were asked again, in the order in which they ended. */
  runs: BacktestedRun[];
  totals: VerdictCounts & { changed: number; before: Usage; after: Usage };
}

export const noVerdicts: VerdictCounts = { same: 0, answer: 0, decisions: 0, not_recorded: 0, failed: 0 };

/** Characters of an input or an answer that a report shows. */
const SHOWN_CHARS = 4_000;
const SHOWN_QUESTION_CHARS = 500;
/** A turn may call many tools at once. */
const SHOWN_CALLS = 20;

/** The comparison of two runs, small enough to be recorded for each of a thousand. */
export function backtestedRun(
  { id, runId, again, input }: Pick<BacktestedRun, 'id' | 'runId' | 'input'> & { again: string },
  before: RunOutline,
  after: RunOutline,
  schemas?: InputSchemas,
): BacktestedRun {
  const { difference, ...comparison } = compareRuns(before, after, schemas);
  return {
    id,
    runId,
    again,
    input: boundedText(input, SHOWN_QUESTION_CHARS),
    ...comparison,
    difference: difference && {
      ...difference,
      before: difference.before && shownDecision(difference.before),
      after: difference.after && shownDecision(difference.after),
    },
    before: shownEnding(before.ending),
    after: shownEnding(after.ending),
    error: null,
  };
}

/** A recorded run that could not be read, or whose run could not be compared with it. */
export function unreadRun(id: string, runId: string, error: ErrorInfo): BacktestedRun {
  const nothing = { again: null, input: '', before: null, after: null };
  return { id, runId, ...nothing, verdict: 'failed', sameSteps: 0, difference: null, error };
}

export function totalsOf(runs: readonly BacktestedRun[]): BacktestReport['totals'] {
  const counts = { ...noVerdicts };
  for (const { verdict } of runs) counts[verdict]++;
  const changed = verdicts.reduce((sum, name) => (name === 'same' ? sum : sum + counts[name]), 0);
  const used = (side: 'before' | 'after') =>
    runs.reduce((sum, run) => addUsage(sum, run[side]?.usage ?? noUsage), noUsage);
  return { ...counts, changed, before: used('before'), after: used('after') };
}

function shownDecision(decided: OutlinedDecision): OutlinedDecision {
  if (decided.type === 'finish') return { ...decided, output: shown(decided.output) };
  if (decided.type !== 'act') return decided;
  const actions = decided.actions.slice(0, SHOWN_CALLS).map(({ tool, toolInput }) => ({
    tool: boundedText(tool, SHOWN_QUESTION_CHARS),
    toolInput: shown(toolInput),
  }));
  return { type: 'act', actions };
}

function shownEnding(ending: RunEnding): RunEnding {
  return { ...ending, output: shown(ending.output) };
}

function shown(value: RunEnding['output']): RunEnding['output'] {
  return capOutput(value, SHOWN_CHARS, limits.inlineBytes * 40);
}
