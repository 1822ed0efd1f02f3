/** The client library: start runs, follow them, decide. */
export { AgentClient } from './agent-client.ts';
export type { RunPage, RunSummary } from './list-runs.ts';
export type { ListOptions, RunFilters } from './run-filters.ts';
export type { Input, InputPart } from './read-input.ts';
export type { StartOptions } from './start-options.ts';
export { AgentRun } from './agent-run.ts';
export type { Backtest } from './backtest-handle.ts';
export type { BacktestOptions } from './start-backtest.ts';
export type { RecordedRuns } from './recorded-runs.ts';
export type { BacktestProgress } from '../history/backtest-record.ts';
export type { BacktestReport, BacktestedRun } from '../agent/backtest/backtest-report.ts';
export type { BatchInput, BatchOptions } from './batch.ts';
export type { ExportOptions, ResultOptions, RunResultWithSteps } from './agent-run.ts';
export { possibleDecisions } from './event-response.ts';
export type { PossibleDecision, ResponseOptions } from './event-response.ts';
export type { EventsOptions } from './follow-events.ts';
export type { ForkOptions } from './fork.ts';
export type { RestartReceipt } from './begin-again.ts';
export type { RetryReceipt, RetryRunOptions } from './retry-run.ts';
export type { RewindOptions } from './rewind.ts';
export { AgentSession } from './agent-session.ts';
export type { SendOptions, SessionReport, SessionSummary } from './agent-session.ts';
export type { AskedRequest, RequestsOptions } from '../history/requests.ts';
export type { ConnectOptions } from './connect.ts';
export {
  AgentRunCancelled,
  AgentRunFailed,
  DecisionRefused,
  InvalidInput,
  RunNotFound,
  SessionNotFound,
  TemporalUnreachable,
} from './errors.ts';
export type { RunResult } from '../agent/run-result.ts';
export type { RunReport } from './report.ts';
export type {
  ExportedAgent,
  ExportedDecision,
  ExportedModelCall,
  ExportedQuestion,
  ExportedRequest,
  ExportedSubAgent,
  RunExport,
} from './run-export.ts';
export { parseRunExport } from './run-export.ts';
export type { Extension } from '../agent/rules/extension.ts';
export type { OperatorDecision, RunMessage, WaitingCall, RunEvent, RunStep } from '../agent/events.ts';
