/** Everything a config module needs, and a worker of your own. */
export { ConfigError, defineAgent, defineConfig } from './worker/config.ts';
export type { AgentDefinition, ConfigDefinition } from './worker/config.ts';
export { ToolError, ToolInputError, calculator, defineTool, python } from './tools/index.ts';
export type { EarlierCall, PythonOptions, Tool, ToolContext, ToolOptions, ToolRetry } from './tools/index.ts';
export { ModelError, defineModel } from './models/model.ts';
export type { Model, ModelCallContext, ModelReply, ModelRequest } from './models/model.ts';
export { openai } from './models/openai.ts';
export { ReloopPlugin, createWorker } from './worker/plugin.ts';
export type { CreateWorkerOptions } from './worker/create-worker.ts';
export { z } from 'zod';
