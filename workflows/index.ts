/** Workflows that a worker runs, and `runAgent` for your own workflows. */
/** The runs of a backtest have another type name than other runs, so that lists of runs do not show them. */
export { agentRun, agentRun as backtestRun } from './agent-run.ts';
export { agentBatch } from './agent-batch.ts';
export { agentSession, modelBudget, modelLimits, webhookDelivery } from './versioned.ts';
export { backtest } from './backtest.ts';
export { interceptors } from './interceptors.ts';
export { type RunAgentOptions, runAgent } from './loop/run-agent.ts';
export type { RunResult } from '../agent/run/run-result.ts';
export type { RunStart } from '../agent/start/run-start.ts';
