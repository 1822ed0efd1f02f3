import { OpenAIProvider } from '@openai/agents-openai';
import { setTracingDisabled } from '@openai/agents-core';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { OpenAI } from 'openai';
import { serve } from './serve.mjs';

// Else it sends traces to OpenAI.
setTracingDisabled(true);
const openAIClient = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'none', maxRetries: 0 });
const modelProvider = new OpenAIProvider({ openAIClient, useResponses: false });
await serve('./openai-agents-workflows.cjs', new OpenAIAgentsPlugin({ modelProvider }));
