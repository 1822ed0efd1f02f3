/** Everything a config module needs, and a worker of your own. */
export { ConfigError, defineAgent, defineConfig, defineKind } from './config/define.ts';
export type { AgentDefinition, ConfigDefinition } from './config/define.ts';
export * from './tools/index.ts';
export { ModelError, defineModel } from './models/model.ts';
export type { Model, ModelCallContext, ModelReply, ModelRequest } from './models/model.ts';
export { openai } from './models/openai/openai.ts';
/** For kinds and parsers of your own. */
export { OutputParserError } from './agent/kinds/kind.ts';
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
} from './agent/kinds/kind.ts';
export { type PromptPart, promptParts } from './agent/kinds/prompt-parts.ts';
export { builtInKind, builtInKinds } from './agent/kinds/kinds.ts';
export { fill } from './agent/template.ts';
export { asText } from './agent/vocabulary.ts';
export type { RunEvent } from './agent/events.ts';
export type { ReplyStore } from './models/reply-store.ts';
export { ReloopPlugin, createWorker } from './worker/plugin.ts';
export type { CreateWorkerOptions } from './worker/create-worker.ts';
export { outliveStrayErrors } from './worker/stray-errors.ts';
export { z } from 'zod';
