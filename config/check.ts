import { z } from 'zod/v4';
import type { HookName } from '../agent/definition/hooks.ts';
import { agentSchema, tool } from './options/agent-options.ts';
import { deploymentSchema } from './deployment-option.ts';
import { encryptionSchema, storageSchema } from './options/payload-options.ts';
import { breakerSchema } from './options/breaker-option.ts';
import { concurrencySchema } from './options/concurrency-option.ts';
import { heartbeatsSchema } from './heartbeats-option.ts';
import { type ConfigDefinition, ConfigError } from './define.ts';
import { model } from './options/model-option.ts';
import { options, problemsOf } from './options/options.ts';
import { fieldOf } from '../agent/values/values.ts';
import { isZodSchema } from '../adapters/tools/zod-schema.ts';
import { limitsSchema } from './limits-option.ts';
import { liveSchema } from './live-option.ts';
import { queuesSchema } from './options/queues.ts';
import { schedulesSchema } from './schedules-option.ts';
import { webhooksSchema } from './webhooks-option.ts';
import { telemetrySchema } from './options/telemetry-option.ts';
import { toolSchema } from './options/tool-options.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'];
const hook = z.custom((value) => typeof value === 'function', 'is not a function');
const hooksShape = {
  beforeModel: hook,
  afterModel: hook,
  beforeTool: hook,
  afterTool: hook,
} satisfies Record<HookName, z.ZodType>;
const amount = z.number('is not an amount of US dollars from 0').nonnegative();

/**
 * Checks that zod can make of a config; relations between its parts are checked in loaded-config.ts, durations in
 * agent-manifest.ts.
 */
const configShape = {
  agents: z.array(z.unknown()),
  tools: z.array(tool),
  models: z.record(z.string(), model),
  prices: z.record(
    z.string().min(1),
    options({
      input: amount,
      output: amount,
      cachedInput: amount.optional(),
    }),
  ),
  limits: limitsSchema,
  breaker: breakerSchema,
  cache: z.union(
    [
      z.boolean(),
      z.custom((value) => typeof value === 'object' && value !== null && 'get' in value && 'set' in value),
    ],
    'is neither true nor a store with get(key) and set(key, value)',
  ),
  onEvent: z.custom((value) => typeof value === 'function', 'is not a function (event, run) => …'),
  heartbeats: heartbeatsSchema,
  concurrency: concurrencySchema,
  context: z.custom(isZodSchema, 'is not a schema of zod 4, such as z.object({ user: z.string() })'),
  authorize: z.custom((value) => typeof value === 'function', 'is not a function (word) => boolean'),
  hooks: options(hooksShape).partial(),
  telemetry: telemetrySchema,
  logger: z.custom(
    (value) => LEVELS.every((level) => typeof fieldOf(value, level) === 'function'),
    'is not a logger with debug, info, warn and error, such as pino()',
  ),
  encryption: encryptionSchema,
  storage: storageSchema,
  live: liveSchema,
  schedules: schedulesSchema,
  webhooks: webhooksSchema,
  taskQueue: z.string().min(1),
  queues: queuesSchema,
  deployment: deploymentSchema,
} satisfies Record<keyof ConfigDefinition, z.ZodType>;

const configSchema = options(configShape).partial().required({ agents: true });

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
