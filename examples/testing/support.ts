import { ToolError, defineAgent, defineConfig, defineTool, z } from 'reloop';

const orders = new Map([['A-17', { item: 'lamp', euros: 120, sent: 'Monday' }]]);

export const findOrder = defineTool({
  name: 'find_order',
  description: 'Looks an order up by its number.',
  input: z.object({ id: z.string() }),
  effects: 'none',
  run({ id }, ctx) {
    const order = orders.get(id);
    if (order === undefined) throw new ToolError(`There is no order ${id}.`);
    ctx.progress(`found order ${id}`);
    return order;
  },
});

export const refund = defineTool({
  name: 'refund',
  description: 'Pays money back.',
  input: z.object({ id: z.string(), euros: z.number().positive() }),
  effects: 'once',
  approval: ({ euros }) => euros > 100,
  run: ({ id, euros }) => `${euros} euros for order ${id} are on their way`,
});

const support = defineAgent({
  name: 'support',
  kind: 'tool-calling',
  model: 'gpt-4o-mini',
  tools: [findOrder, refund],
});

export default defineConfig({ agents: [support] });
