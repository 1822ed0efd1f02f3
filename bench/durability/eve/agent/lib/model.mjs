import { createOpenAI } from '@ai-sdk/openai';

export const model = createOpenAI({ baseURL: `${process.env.DURABILITY_URL}/v1`, apiKey: 'none' }).chat(
  'durability',
);
export const modelContextWindowTokens = 100_000;
