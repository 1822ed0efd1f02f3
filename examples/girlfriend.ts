import { calculator, defineAgent, defineConfig, defineTool } from 'reloop';
import { demoModel } from './demo-model.ts';

const found = new Map([
  [
    'Leo DiCaprio current girlfriend age',
    "['Leonardo DiCaprio has a new girlfriend: Who is Vittoria Ceretti?']",
  ],
  ['Vittoria Ceretti age', '25 years'],
]);

/** Seed 004: a search (from a list, so that it says the same every day) and a real calculator. */
export const girlfriend = defineAgent({
  name: 'girlfriend',
  kind: 'zero-shot',
  description: 'searches and calculates',
  model: demoModel([
    ' First, I need to find out who Leo DiCaprio\'s current girlfriend is and her age. Then, I will use the calculator to raise her age to the 0.43 power.\nAction: Search\nAction Input: "Leo DiCaprio current girlfriend age"',
    'I found out that Leo DiCaprio\'s current girlfriend is Vittoria Ceretti. Now I need to find out her age.\nAction: Search\nAction Input: "Vittoria Ceretti age"',
    'Vittoria Ceretti is 25 years old. Now I need to calculate her age raised to the 0.43 power.\nAction: Calculator\nAction Input: 25**0.43',
    'I now know the final answer\nFinal Answer: 3.99',
  ]),
  tools: [
    defineTool({
      name: 'Search',
      description: 'A search engine, for questions about current events. The input is a search query.',
      effects: 'none',
      run: (query) => found.get(query) ?? 'No good search result found',
    }),
    calculator({ name: 'Calculator' }),
  ],
});

export const girlfriendQuestion =
  "Who is Leo DiCaprio's girlfriend? What is her current age raised to the 0.43 power?";

export default defineConfig({ agents: [girlfriend] });
