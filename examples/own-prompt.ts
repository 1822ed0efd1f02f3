import { defineAgent, defineConfig, defineTool } from 'reloop';
import { demoModel } from './demo-model.ts';

const kitchen = defineTool({
  name: 'kitchen',
  description: 'What the kitchen still has. The input is a dish.',
  effects: 'none',
  run: (dish) => (/soup/iu.test(dish) ? 'three bowls' : 'nothing left'),
});

/**
 * Own prompt texts with a place for values that each run brings. A text replaces the kind's own of that name; the format
 * instructions stay, for the parser reads what they ask for.
 */
export const concierge = defineAgent({
  name: 'concierge',
  kind: 'zero-shot',
  description: 'answers guests in the words of the house',
  tools: [kitchen],
  prompt: {
    prefix: 'You are the concierge of {hotel} and speak with {guest}. Ask the house where you are not sure:',
    suffix: 'Be brief and polite.\n\nQuestion: {input}\nThought:{agent_scratchpad}',
  },
  model: demoModel([
    ' I ask the kitchen.\nAction: kitchen\nAction Input: soup',
    ' I now know the final answer\nFinal Answer: There are three bowls of soup left, Ms Ito.',
  ]),
});

/** For `client.start(agent, question, { variables })`. */
export const conciergeVariables = { hotel: 'the Grand Hotel', guest: 'Ms Ito' };

export default defineConfig({ agents: [concierge] });
