import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { serve } from './serve.mjs';

const modelProvider = createOpenAICompatible({ name: 'bench', baseURL: process.env.OPENAI_BASE_URL });
await serve('./ai-sdk-workflows.mjs', new AiSdkPlugin({ modelProvider }));
