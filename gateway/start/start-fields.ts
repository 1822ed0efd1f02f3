import { z } from '@hono/zod-openapi';

/** Fields of a start that need a permission: see the table of fields. */
export const startFieldShape = {
  chatHistory: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant', 'system']), content: z.string() }))
    .optional(),
  variables: z.record(z.string(), z.string()).optional(),
  model: z.string().optional(),
  maxIterations: z.int().nullable().optional(),
  maxExecutionTime: z.int().nullable().optional().openapi({ description: 'Milliseconds' }),
  budget: z
    .strictObject({ totalTokens: z.int().nullable().optional(), cost: z.number().nullable().optional() })
    .optional(),
  context: z.record(z.string(), z.unknown().openapi({ description: 'Any JSON value' })).optional(),
  tags: z.array(z.string()).optional(),
};
export const startFields = z.object(startFieldShape);
