import { defineWorkflowTool } from 'eve/tools';
import { z } from 'zod';
import { CLERK } from '../../../adapters/offered.ts';

export default defineWorkflowTool({
  description: CLERK.description,
  inputSchema: z.object({ input: z.string() }),
  async execute({ input }, ctx) {
    'use workflow';
    const response = await ctx.agent('cashier').send(input, { signal: ctx.abortSignal });
    const { error, message, status } = await response.result();
    if (status === 'failed') throw new Error(error?.message);
    return message ?? '';
  },
});
