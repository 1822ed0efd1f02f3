// README of @temporalio/openai-agents 1.23: "Quick start": the plugin on the worker and on the client, tools as activities with time-outs and
// heartbeats. "Tools should be idempotent".
import { setTracingDisabled } from '@openai/agents-core';
import { OpenAIProvider } from '@openai/agents-openai';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { OpenAI } from 'openai';
import { modelUrl } from '../adapters/serve.ts';
import { serveWorkflow } from './temporal.mjs';

setTracingDisabled(true); // it would send traces to OpenAI
const openAIClient = new OpenAI({ baseURL: modelUrl, apiKey: 'none' });
const modelProvider = new OpenAIProvider({ openAIClient, useResponses: false });
const plugins = [
  new OpenAIAgentsPlugin({
    modelProvider,
    modelParams: { startToCloseTimeout: '30s', heartbeatTimeout: '10s' },
  }),
];
await serveWorkflow('openai-agents-workflows.cjs', plugins, plugins);
