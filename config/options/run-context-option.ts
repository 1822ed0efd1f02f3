import { z } from 'zod/v4';
import type { RunContext } from '../../agent/definition/run-context.ts';
import { isObject } from '../../agent/values/json-object.ts';
import { plainJson } from '../../agent/values/values.ts';
import { type ZodSchema, forZod } from '../../adapters/tools/zod-schema.ts';
import { type AgentDefinition, ConfigError } from '../define.ts';

type Agents = ReadonlyMap<string, Pick<AgentDefinition, 'context'>>;

/**
 * Checks the context of a run at its start, against the schema of its agent or of the config. An agent without a schema takes the
 * context as it is, if another agent has a schema: callers and parents give one context to all their runs. Without any schema no run has a
 * context.
 */
export function createContextCheck(ofConfig: ZodSchema | undefined, agents: Agents) {
  const isKnown = ofConfig !== undefined || [...agents.values()].some(({ context }) => context !== undefined);
  return (agent: string, context: RunContext | undefined): RunContext | undefined => {
    const own = agents.get(agent)?.context;
    const schema = own ?? ofConfig;
    if (schema === undefined) {
      if (context === undefined || isKnown) return context;
      throw new ConfigError(
        'a context was given, and the config has no schema for one. Add `context: z.object({ … })` to defineConfig or defineAgent.',
      );
    }
    const owner = own === undefined ? 'the config' : `the agent "${agent}"`;
    const parsed = z.safeParse(forZod(schema), context ?? {});
    if (!parsed.success)
      throw new ConfigError(`${called(owner, context)}:\n${z.prettifyError(parsed.error)}`);
    const read = plainJson(parsed.data);
    if (isObject(read)) return read;
    throw new ConfigError(`the context schema of ${owner} does not give an object. Use z.object({ … }).`);
  };
}

function called(owner: string, context: RunContext | undefined): string {
  if (context !== undefined) return `the context does not fit the schema of ${owner}`;
  return `the context is missing, and ${owner} wants one (client: the option context; CLI: --context)`;
}
