import { z } from 'zod/v4';
import type { RunContext } from '../../agent/definition/run-context.ts';
import { isObject } from '../../agent/values/json-object.ts';
import { plainJson } from '../../agent/values/values.ts';
import { type ZodSchema, forZod } from '../../tools/zod-schema.ts';
import { ConfigError } from '../define.ts';

/**
 * Checks the context of a run against the config's schema, at the start of the run. Without a schema no run has a
 * context.
 */
export function createContextCheck(schema: ZodSchema | undefined) {
  return (context: RunContext | undefined): RunContext | undefined => {
    if (schema === undefined) {
      if (context === undefined) return undefined;
      throw new ConfigError(
        'a context was given, and the config has no schema for one. Add `context: z.object({ … })` to defineConfig.',
      );
    }
    const parsed = z.safeParse(forZod(schema), context ?? {});
    if (!parsed.success) throw new ConfigError(`${called(context)}:\n${z.prettifyError(parsed.error)}`);
    const read = plainJson(parsed.data);
    if (isObject(read)) return read;
    throw new ConfigError("the schema of the config's context does not give an object. Use z.object({ … }).");
  };
}

function called(context: RunContext | undefined): string {
  if (context !== undefined) return "the context does not fit the config's schema";
  return 'the context is missing, and the config wants one (client: the option context; CLI: --context)';
}
