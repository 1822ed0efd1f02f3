/** Everything a config module needs, and a worker of your own. */
export { ConfigError, defineAgent, defineConfig, defineKind } from './config/define.ts';
export type { AgentDefinition, ConfigDefinition } from './config/define.ts';
export * from './tools/index.ts';
export { ModelError, defineModel } from './models/model.ts';
export type { Model, ModelCallContext, ModelReply, ModelRequest } from './models/model.ts';
export { openai } from './models/openai/openai.ts';
export { azureOpenAI } from './models/openai/azure.ts';
export { fromVercelModel } from './models/vercel/from-vercel-model.ts';
export type { VercelLanguageModel, VercelModelOptions } from './models/vercel/from-vercel-model.ts';
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
export type { Input, InputPart } from './client/read-input.ts';
export { contentText } from './agent/content.ts';
export type { Content, ContentPart, ImagePart, ImageRef, TextPart } from './agent/content.ts';
export type { RunEvent } from './agent/events.ts';
export type { ReplyStore } from './models/reply-store.ts';
export { ReloopPlugin, createWorker } from './worker/plugin.ts';
export type { CreateWorkerOptions } from './worker/create-worker.ts';
/** Temporal and a worker inside a program; loaded when called. */
export type { Embedded, EmbeddedOptions, RunHereOptions } from './embedded/embedded.ts';
export { startEmbedded } from './embedded/start-embedded.ts';
export { runAgentHere } from './embedded/run-here.ts';
export { outliveStrayErrors } from './worker/stray-errors.ts';
export { z } from 'zod/v4';
