/** Everything a config module needs, and a worker of your own. */
export { ConfigError, defineAgent, defineConfig, defineKind } from './config/define.ts';
export type {
  AgentDefinition,
  BreakerOptions,
  ConfigDefinition,
  FallbackModel,
  QueueDefinition,
  TelemetryOptions,
  WebhookDefinition,
  WorkerLogger,
} from './config/define.ts';
export * from './adapters/tools/index.ts';
export * from './adapters/models/index.ts';
/** For kinds and parsers of your own. */
export { OutputParserError } from './agent/definition/kind.ts';
export type {
  AgentKind,
  ParsedReply,
  ModelPrompt,
  ParsedAction,
  ParserInput,
  PromptContext,
  PromptMessage,
  PromptStep,
  ToolSpec,
  TurnReply,
} from './agent/definition/kind.ts';
export { type PromptPart, promptParts } from './agent/kinds/prompt-parts.ts';
export { builtInKind, builtInKinds } from './agent/kinds/kinds.ts';
export { fill } from './agent/text/template.ts';
export { asText } from './agent/values/vocabulary.ts';
export type { Input, InputPart } from './client/start/read-input.ts';
export { contentText } from './agent/values/content.ts';
export type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  MediaPart,
  MediaRef,
  TextPart,
} from './agent/values/content.ts';
export type { EncryptionKey, EncryptionOptions, KeySource } from './features/encryption/keys.ts';
export type { LiveChannel, LiveOption } from './features/live/live-channel.ts';
export type { BudgetDefinition } from './agent/budgets/budget-rule.ts';
export type { ModelLimits } from './agent/model-limits/lease-request.ts';
export type { RunEvent } from './agent/run/events.ts';
export type { BatchQuestion, BatchStart } from './agent/start/batch-start.ts';
export type {
  CalendarSpec,
  IntervalSpec,
  OverlapPolicy,
  ScheduleDefinition,
  SchedulePolicies,
  ScheduleSpec,
  ScheduleTimes,
} from './features/schedules/rules/schedule-definition.ts';
export type { WebhookEvent } from './agent/definition/webhook-route.ts';
export type { HookAnswer, HookChange, HookContext, HookName, Hooks } from './agent/definition/hooks.ts';
export type { SentMessage } from './agent/rules/sender.ts';
export { ReloopPlugin, createWorker } from './worker/plugin.ts';
export type { CreateWorkerOptions } from './worker/create-worker.ts';
/** Temporal and a worker inside a program; loaded when called. */
export type { Embedded, EmbeddedOptions } from './local/embedded/open-program.ts';
export type { RunHereOptions } from './local/embedded/run-in-process.ts';
export { runAgentHere, startEmbedded } from './local/embedded/embedded.ts';
/** For the OpenTelemetry SDK of a worker with `telemetry`. */
export { traceIds } from './worker/telemetry/trace-ids.ts';
export { outliveStrayErrors } from './worker/stray-errors.ts';
export { z } from 'zod/v4';
