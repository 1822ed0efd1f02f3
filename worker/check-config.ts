import { z } from 'zod';
import { type AgentDefinition, type ConfigDefinition, ConfigError } from './config.ts';

/** What zod can tell of a config; relations between its parts are checked in catalog.ts. */
const duration = z.union([z.number().nonnegative(), z.string()]);

const model = z.custom(
  (value) =>
    typeof value === 'object' && value !== null && 'call' in value && typeof value.call === 'function',
  'a model: a name, openai(), scripted([…]) or defineModel({ call })',
);

const tool = z.custom(
  (value) => typeof value === 'object' && value !== null && 'parseInput' in value && 'run' in value,
  'a tool: made by defineTool({ name, description, run })',
);

const agentShape = {
  name: z.string().regex(/^[^\s/][^/\n]*$/u, 'a name without slash or line break'),
  description: z.string(),
  kind: z.string(),
  model: z.union([z.string().min(1), model]),
  tools: z.array(tool),
  prompt: z.record(z.string(), z.string()),
  maxIterations: z.int().nonnegative().nullable(),
  maxExecutionTime: duration.nullable(),
  earlyStopping: z.literal('force'),
  handleParsingErrors: z.union([z.boolean(), z.string()]),
  trimIntermediateSteps: z.int(),
  api: z.enum(['chat', 'completions']),
  stream: z.boolean(),
  temperature: z.number(),
  maxTokens: z.int().positive(),
  topP: z.number(),
  frequencyPenalty: z.number(),
  presencePenalty: z.number(),
  logitBias: z.record(z.string(), z.number()),
  requestTimeout: duration,
  extra: z.record(z.string(), z.json()),
  stop: z.array(z.string().min(1)),
} satisfies Record<keyof AgentDefinition, z.ZodType>;

const configShape = {
  agents: z.array(z.unknown()),
  tools: z.array(tool),
  models: z.record(z.string(), model),
  taskQueue: z.string().min(1),
} satisfies Record<keyof ConfigDefinition, z.ZodType>;

const agentSchema = z.strictObject(agentShape).partial().required({ name: true, model: true });
const configSchema = z.strictObject(configShape).partial().required({ agents: true });

/** Throws {@link ConfigError} for anything that is not a config; `where` is the file it came from. */
export function checkConfig(value: unknown, where: string): ConfigDefinition {
  if (value === null || typeof value !== 'object') {
    throw new ConfigError(`${where} has no config: write \`export default defineConfig({ agents: […] })\`.`);
  }
  check(configSchema, value, where, Object.keys(configShape));
  const config = value as ConfigDefinition; // as the schema has just found
  if (config.agents.length === 0)
    throw new ConfigError(`${where}: agents is empty. Define one with defineAgent.`);
  config.agents.forEach((agent, index) => {
    const name = typeof agent?.name === 'string' ? `agent "${agent.name}"` : `agents[${index}]`;
    check(agentSchema, agent, `${where}: ${name}`, Object.keys(agentShape));
  });
  return config;
}

function check(schema: z.ZodType, value: unknown, where: string, known: string[]): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const problems = result.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown option ${issue.keys.join(', ')} (known: ${known.join(', ')})`
      : `${issue.path.join('.') || 'value'}: ${issue.message}`,
  );
  throw new ConfigError(`${where}: ${problems.join('; ')}.`);
}
