import type { RecordedRunRef, SaidAgain } from '../agent/backtest/backtest-calls.ts';
import type { LiveTools } from '../agent/definition/recorded-agent.ts';
import type { BacktestStart } from '../agent/backtest/backtest-start.ts';
import type { VerdictCounts } from '../agent/backtest/backtest-report.ts';

/** What a backtest is started with, and what it starts its runs with. */

export const BACKTEST = 'backtest';
/** The workflow `agentRun` under a name of its own: such a run is none that somebody asked for. */
export const BACKTEST_RUN = 'backtestRun';

/** The workflow id of a backtest; its runs are called as it, a slash, and the recorded run. */
export function backtestId(name: string): string {
  return `backtest:${name}`;
}

export interface BacktestInput extends BacktestStart {
  /** What became of those before, over continue-as-new. */
  counts?: VerdictCounts | undefined;
}

/** The recorded run that answers the calls of another one. */
export interface RecordedSource extends RecordedRunRef {
  live?: LiveTools | undefined;
  /** What people said to it, to be said again. */
  said?: SaidAgain[] | undefined;
  /** How many calls of one tool with one input were answered so far, by their digest. */
  taken?: { [call: string]: number } | undefined;
}
