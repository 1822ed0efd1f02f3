import { defineAgent, defineConfig, defineTool } from 'reloop';
import { demoModel } from './demo-model.ts';

/** Seed 002: it is always sunny, and every sum is 3. */
export const weather = defineAgent({
  name: 'weather',
  kind: 'zero-shot',
  description: 'knows the weather, and cannot add',
  model: demoModel([
    ' I need to use the weather tool to answer the first part of the question, and the calculator to answer the second part.\nAction: Weather\nAction Input: This week',
    ' I need to calculate my age in ten years\nAction: Calculator\nAction Input: 28 + 10',
    ' I now know the final answer\nFinal Answer: I will be 38 in ten years and the weather this week is sunny.',
  ]),
  temperature: 0,
  tools: [
    defineTool({
      name: 'Weather',
      description: 'useful for When you want to know about the weather',
      run: () => 'Sunny^_^',
    }),
    defineTool({
      name: 'Calculator',
      description: 'useful for when you need to answer questions about math.',
      run: () => '3',
    }),
  ],
});

export const weatherQuestion =
  'Query the weather of this week,And How old will I be in ten years? This year I am 28';

export default defineConfig({ agents: [weather] });
