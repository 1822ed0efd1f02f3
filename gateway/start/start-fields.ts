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
  clientTools: z
    .array(
      z.strictObject({
        name: z.string(),
        description: z.string().optional(),
        inputSchema: z.record(z.string(), z.unknown()).optional().openapi({ description: 'JSON Schema' }),
      }),
    )
    .optional()
    .openapi({ description: 'Tools that the caller carries out' }),
};
export const startFields = z.object(startFieldShape);
