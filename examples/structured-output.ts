import { defineAgent, defineConfig, defineTool, z } from 'reloop';
import { demoModel } from './demo-model.ts';

const degrees = new Map([
  ['Lisbon', 21],
  ['Oslo', 8],
]);

const temperature = defineTool({
  name: 'temperature',
  description: 'How warm it is in a city, in degrees Celsius.',
  input: z.object({ city: z.string() }),
  effects: 'none',
  run: ({ city }) => ({ city, celsius: degrees.get(city) ?? null }),
});

/** Two native calls in one turn run at once; the answer is an object, and one that is none is asked for again. */
export const comparison = defineAgent({
  name: 'comparison',
  description: 'compares cities, and answers with an object',
  kind: 'tool-calling',
  tools: [temperature],
  output: z.object({ warmer: z.string(), difference: z.number() }),
  model: demoModel([
    {
      text: 'I look at both.',
      toolCalls: [
        { id: 'lisbon', name: 'temperature', arguments: { city: 'Lisbon' } },
        { id: 'oslo', name: 'temperature', arguments: { city: 'Oslo' } },
      ],
    },
    'Lisbon, by 13 degrees.',
    '{"warmer": "Lisbon", "difference": 13}',
  ]),
});

export default defineConfig({ agents: [comparison] });
