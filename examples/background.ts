import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineConfig, defineTool } from 'reloop';
import { demoModel } from './demo-model.ts';

/** Takes its time. The model gets a ticket, and continues. */
const bake = defineTool({
  name: 'bake',
  description: 'Bakes a cake of this kind.',
  background: true,
  async run(kind) {
    await sleep(2000);
    return `The ${kind} cake is ready.`;
  },
});

const setTable = defineTool({
  name: 'set_table',
  description: 'Sets the table for so many guests.',
  run: (guests) => `The table is set for ${guests}.`,
});

/** Sets the table while the cake is in the oven. */
export const host = defineAgent({
  name: 'host',
  kind: 'zero-shot',
  description: 'prepares a party',
  tools: [bake, setTable],
  model: demoModel([
    ' The cake takes longest.\nAction: bake\nAction Input: lemon',
    ' Meanwhile I set the table.\nAction: set_table\nAction Input: 4',
    ' I now know the final answer\nFinal Answer: The table is set, and the cake is in the oven.',
    ' I now know the final answer\nFinal Answer: The table is set, and there is a lemon cake.',
  ]),
});

export default defineConfig({ agents: [host] });
