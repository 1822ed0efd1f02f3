/** The workflows a worker runs, and `runAgent` for workflows of your own. */
/** The runs of a backtest are agent runs under a name of their own: lists of runs are not about them. */
export { agentRun, agentRun as backtestRun } from './agent-run.ts';
export { agentSession } from './session/agent-session.ts';
export { backtest } from './backtest.ts';
export { interceptors } from './interceptors.ts';
export { type RunAgentOptions, runAgent } from './loop/run-agent.ts';
export type { RunResult } from '../agent/run/run-result.ts';
export type { RunStart } from '../agent/start/run-start.ts';
