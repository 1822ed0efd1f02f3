// Docs of Temporal, "AI SDK by Vercel integration" (docs.temporal.io/develop/typescript/integrations/ai-sdk): the plugin with a provider on the worker,
// tools as activities.
import { createOpenAI } from '@ai-sdk/openai';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { modelUrl } from '../adapters/serve.ts';
import { serveWorkflow } from './temporal.mjs';

const openai = createOpenAI({ baseURL: modelUrl, apiKey: 'none' });
const modelProvider = { ...openai, languageModel: (id) => openai.chat(id) };
await serveWorkflow('ai-sdk-workflows.cjs', [new AiSdkPlugin({ modelProvider })]);
