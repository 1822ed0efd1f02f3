import type { z } from '@hono/zod-openapi';
import { Refused } from './problem.ts';

/** Reads the body of a request. Fields that the schema does not name are left out. Throws Refused. */
export async function readBody<T extends z.ZodType>(request: Request, schema: T): Promise<z.output<T>> {
  const body: unknown = await request.json().catch(() => undefined);
  return parsed(schema, body);
}

/** Reads a value, or throws Refused. */
export function parsed<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const field = issue === undefined || issue.path.length === 0 ? 'The body' : issue.path.join('.');
  throw bad(`${field}: ${issue?.message}`);
}

export function bad(message: string): Refused {
  return new Refused(400, 'InvalidInput', message);
}

/** `null` is as good as absent, as in the APIs of model providers. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);
