import { ToolError, defineAgent, defineConfig, defineTool, z } from 'reloop';
import { demoModel } from './demo-model.ts';

/** What the model says where nothing stops it: it goes on and makes the observation up, and the answer from it. */
const madeUp = ` Action:
\`\`\`
{
  "action": "Calculator",
  "action_input": "534*234"
}
\`\`\`
Observation: The calculation result is 127934
Thought: To get the final answer, we need to convert the calculation result into a readable format
Action:
\`\`\`
{
  "action": "Final Answer",
  "action_input": "小明一共有127934个苹果。"
}
\`\`\``;

const answer = `Action:
\`\`\`
{
  "action": "Final Answer",
  "action_input": "小明一共有124956个苹果"
}
\`\`\``;

/** Seed 001: a server that ignores `stop`. What it made up is cut here, and the tool's 124956 is the observation. */
export const apples = defineAgent({
  name: 'apples',
  description: 'multiplies, with actions in JSON',
  kind: 'structured-chat',
  stream: false,
  model: demoModel([{ text: madeUp, ignoreStop: true }, answer]),
  tools: [
    defineTool({
      name: 'Calculator',
      description: 'Useful for when you need to multiply numbers.',
      input: z.object({ calculation: z.string().describe('calculation to perform, such as 3*4') }),
      effects: 'none',
      run({ calculation }) {
        const product = calculation.split('*').reduce((result, factor) => result * Number(factor), 1);
        if (Number.isNaN(product)) throw new ToolError('Only products such as 3*4 can be calculated.');
        return String(product);
      },
    }),
  ],
});

export const applesQuestion = '小明有534个箱子,每个箱子里有234个苹果,请问小明一共有几个苹果';

export default defineConfig({ agents: [apples] });
