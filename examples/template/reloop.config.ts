import { calculator, defineAgent, defineConfig } from 'reloop';
import { demoModel } from './demo-model.ts';
import { price } from './price.ts';

const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = process.env; // .env sets them, too

export const assistant = defineAgent({
  name: 'assistant',
  kind: 'tool-calling',
  // A script plays the model if there is neither a key nor your own server.
  model: OPENAI_API_KEY || OPENAI_BASE_URL ? OPENAI_MODEL || 'gpt-4o-mini' : demoModel,
  tools: [price, calculator()],
});

export default defineConfig({ agents: [assistant] });
