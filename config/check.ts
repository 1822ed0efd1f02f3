import type { z } from 'zod/v4';
import { agentSchema } from './options/agent-options.ts';
import { configOptions } from './config-options.ts';
import { type ConfigDefinition, ConfigError } from './define.ts';
import { options, problemsOf } from './options/options.ts';
import { toolSchema } from './options/tool-options.ts';

/**
 * Checks that zod can make of a config; relations between its parts are checked in loaded-config.ts, durations in
 * agent-manifest.ts.
 */
const shape = Object.entries(configOptions).map(([name, { schema }]): [string, z.ZodType] => [name, schema]);
const configSchema = options(Object.fromEntries(shape)).partial().required({ agents: true });

/** Throws {@link ConfigError} for anything that is not a config; `where` is the file it came from. */
export function checkConfig(value: unknown, where: string): ConfigDefinition {
  if (value === null || typeof value !== 'object') {
    throw new ConfigError(`${where} has no config: write \`export default defineConfig({ agents: […] })\`.`);
  }
  check(configSchema, value, where);
  const config = value as ConfigDefinition; // as the schema has just found
  if (config.agents.length === 0)
    throw new ConfigError(`${where}: agents is empty. Define one with defineAgent.`);
  config.agents.forEach((agent, index) => {
    check(agentSchema, agent, `${where}: ${called('agent', agent) ?? `agents[${index}]`}`);
  });
  for (const one of [...config.agents.flatMap(({ tools = [] }) => tools), ...(config.tools ?? [])]) {
    check(toolSchema, one, `${where}: ${called('tool', one) ?? 'a tool'}`);
  }
  return config;
}

function check(schema: z.ZodType, value: unknown, where: string): void {
  const problems = problemsOf(schema, value);
  if (problems !== undefined) throw new ConfigError(`${where}: ${problems}.`);
}

function called(what: string, value: { name?: unknown } | null | undefined): string | undefined {
  return typeof value?.name === 'string' ? `${what} ${JSON.stringify(value.name)}` : undefined;
}
