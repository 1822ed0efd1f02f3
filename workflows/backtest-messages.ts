import type { RecordedRunRef, SaidAgain } from '../agent/backtest/backtest-calls.ts';
import type { LiveTools } from '../agent/definition/recorded-agent.ts';
import type { BacktestStart } from '../agent/backtest/backtest-start.ts';
import type { VerdictCounts } from '../agent/backtest/backtest-report.ts';

/** Input of a backtest, and of its runs. */

export const BACKTEST = 'backtest';
/** Workflow type of a backtest's runs: `agentRun` under another name, so that lists of runs do not show them. */
export const BACKTEST_RUN = 'backtestRun';

/** Workflow id of a backtest. The ids of its runs are this id, a slash, and the id of the recorded run. */
export function backtestId(name: string): string {
  return `backtest:${name}`;
}

export interface BacktestInput extends BacktestStart {
  /** Verdicts on earlier runs, carried through continue-as-new. */
  counts?: VerdictCounts | undefined;
}

/** The recorded run that answers the calls of a backtest's run. */
export interface RecordedSource extends RecordedRunRef {
  live?: LiveTools | undefined;
  /** People's messages to the recorded run, to be repeated. */
  said?: SaidAgain[] | undefined;
  /** Number of answers so far, by the digest of tool and input. */
  taken?: { [call: string]: number } | undefined;
}
