/** The client library: start runs, follow them, decide. */
export { AgentClient } from './api/agent-client.ts';
export type { RunPage, RunSummary } from './read/list-runs.ts';
export type { ListOptions, RunFilters } from './read/run-filters.ts';
export type { Input, InputPart } from './start/read-input.ts';
export type { StartOptions } from './start/start-options.ts';
export { AgentRun, type ResultOptions } from './api/agent-run.ts';
export type { Backtest } from './backtest/backtest-handle.ts';
export type { BacktestOptions } from './backtest/start-backtest.ts';
export type { RecordedRuns } from './backtest/recorded-runs.ts';
export type { BacktestProgress } from '../history/views/backtest-record.ts';
export type { BacktestReport, BacktestedRun } from '../agent/backtest/backtest-report.ts';
export type { BatchInput, BatchOptions, BatchProgress, BatchResult } from './api/batch.ts';
export type { ExportOptions } from './export/collect-export.ts';
export type { ResponseOptions } from './read/event-response.ts';
export type { PossibleDecision } from '../agent/rules/waiting.ts';
export type { EventsOptions } from './read/follow-events.ts';
export type { ForkOptions } from './restart/fork.ts';
export type { RestartReceipt } from './restart/restart-run.ts';
export type { RetryReceipt, RetryRunOptions } from './restart/retry-run.ts';
export type { RewindOptions } from './restart/rewind.ts';
export { AgentSession } from './api/agent-session.ts';
export { AgentSchedule } from '../features/schedules/client/agent-schedule.ts';
export type {
  BackfillOptions,
  CreateScheduleOptions,
  ScheduleSummary,
} from '../features/schedules/client/agent-schedule.ts';
export type { ScheduleReport } from '../features/schedules/client/schedule-report.ts';
export type { ScheduleChange, SyncOptions } from '../features/schedules/client/sync-schedules.ts';
export type { BatchQuestion, BatchStart } from '../agent/start/batch-start.ts';
export type {
  CalendarSpec,
  IntervalSpec,
  OverlapPolicy,
  ScheduleDefinition,
  SchedulePolicies,
  ScheduleSpec,
  ScheduleTimes,
} from '../features/schedules/rules/schedule-definition.ts';
export type { SendOptions, SessionReport, SessionSummary } from './api/agent-session.ts';
export type { AskedRequest, RequestsOptions } from '../history/views/requests.ts';
export type { ConnectOptions } from './connect/connect.ts';
export {
  AgentRunCancelled,
  AgentRunFailed,
  ClientClosed,
  DecisionRefused,
  InvalidInput,
  RunNotFound,
  RunNotTaking,
  BudgetNotFound,
  ScheduleNotFound,
  SessionNotFound,
  TemporalUnreachable,
} from './connect/errors.ts';
export { EncryptionKeyMissing } from '../features/encryption/keys.ts';
export { StorageMissing } from '../features/storage/storage.ts';
export type { StorageOptions } from '../features/storage/storage.ts';
export type { EncryptionKey, EncryptionOptions, KeySource } from '../features/encryption/keys.ts';
export type { LiveChannel, LiveOption } from '../features/live/live-channel.ts';
export type { RunResult } from '../agent/run/run-result.ts';
export type { RunReport, RunResultWithSteps } from './report.ts';
export type {
  ExportedAgent,
  ExportedDecision,
  ExportedModelCall,
  ExportedQuestion,
  ExportedRequest,
  ExportedSubAgent,
  RunExport,
} from './export/run-export.ts';
export { parseRunExport } from './export/run-export.ts';
export type { Extension } from '../agent/limits/extension.ts';
export type { OperatorDecision, RunMessage, RunEvent, RunStep } from '../agent/run/events.ts';
export type { WaitingCall } from '../agent/rules/waiting.ts';
/** Parts for a front end that shows runs, and lets people decide. */
export { RunView } from '../agent/views/view.ts';
export { isRecorded } from '../agent/run/events.ts';
export { isDropped } from '../agent/calls/restart.ts';
export {
  calledText,
  needsPerson,
  reasonText,
  awaitsResult,
  possibleDecisions,
  possibleRaise,
} from '../agent/rules/waiting.ts';
export type { Raise } from '../agent/limits/usual-raise.ts';
export { type DecisionName, decisionNames } from '../agent/rules/decisions.ts';
export { clientResult } from '../agent/observation/client-result.ts';
export { isOpenStatus, runStatuses } from './read/run-filters.ts';
export { isSubAgent } from './read/list-runs.ts';
export { newRunId } from './start/run-id.ts';
export { createWorkerLook, type WorkerLook } from './api/worker-look.ts';
export { pausedCallText } from './connect/paused-calls.ts';
export { workflowPage } from './connect/web-ui-page.ts';
export { messageWithoutAdvice } from './connect/cli-name.ts';
export type { SenderOptions } from './connect/client-of-sender.ts';
export { contentText } from '../agent/values/content.ts';
export { EXCEPTION_TOOL, asText } from '../agent/values/vocabulary.ts';
export type { ClientTool } from '../agent/definition/client-tools.ts';
export type { RunContext } from '../agent/definition/run-context.ts';
export type {
  AgentAction,
  ChatMessage,
  ErrorInfo,
  Json,
  RunStatus,
  Usage,
} from '../agent/values/vocabulary.ts';
export type { AgentBudgets, ExtendOptions } from './api/agent-budgets.ts';
export type {
  BudgetAccount,
  BudgetAmount,
  BudgetGrant,
  BudgetPeriod,
  BudgetReport,
  BudgetRule,
  BudgetUse,
} from '../agent/budgets/budget-rule.ts';
