export { ModelError, defineModel } from './model.ts';
export type { Model, ModelCallContext, ModelReply, ModelRequest, RateLimit, ReplyStore } from './model.ts';
export { fetchWithoutTimeout } from '../net/fetch-without-timeout.ts';
export { azureOpenAI } from './openai/azure.ts';
export { openai } from './openai/openai.ts';
export {
  type VercelLanguageModel,
  type VercelModelOptions,
  fromVercelModel,
} from './vercel/from-vercel-model.ts';
