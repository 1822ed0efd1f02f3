import { z } from 'zod';
import type { Tool, ToolOptions, ToolRetry } from '../tools/tool.ts';
import { type AgentDefinition, type ConfigDefinition, ConfigError } from './define.ts';

const MODEL = 'is no model: give a name, openai(), scripted([…]) or defineModel({ call })';

/** What zod can tell of a config; relations between its parts are checked in catalog.ts, durations in manifest.ts. */
const duration = z.union(
  [z.number().nonnegative(), z.string()],
  "is no duration: give milliseconds, or a text such as '30s'",
);

const model = z.custom(
  (value) =>
    typeof value === 'object' && value !== null && 'call' in value && typeof value.call === 'function',
  MODEL,
);

const NO_KIND =
  'is no kind: give its name, or one made with defineKind({ name, stop, prompt, stoppedOutput, chatHistory, render, parse })';

const kind = z.custom(
  (value) =>
    typeof value === 'object' && value !== null && 'name' in value && 'render' in value && 'parse' in value,
  NO_KIND,
);

/** Which options a tool was given is checked apart, so that the message can name the tool. */
const tool = z.custom<Tool>(
  (value) => typeof value === 'object' && value !== null && 'parseInput' in value && 'run' in value,
  'is no tool: make it with defineTool({ name, description, run })',
);

const retryShape = {
  maxAttempts: z.int().positive(),
  initialInterval: duration,
  backoffCoefficient: z.number().min(1),
  maximumInterval: duration,
} satisfies Record<keyof ToolRetry, z.ZodType>;

const toolShape = {
  name: z.string(),
  description: z.string().min(1, 'is empty, but the model chooses by it'),
  timeout: duration,
  retry: options(retryShape).partial(),
  effects: z.enum(['none', 'idempotent', 'once']).refine((effects) => effects !== 'once', {
    error:
      "'once' is not available yet, and half of it would be worse than none. Use 'idempotent' with ctx.idempotencyKey",
  }),
  approval: z.literal('never'),
  onFailure: z.enum(['ask', 'observe', 'fail']),
  returnDirect: z.boolean(),
  maxOutputChars: z.int().positive(),
} satisfies Record<keyof ToolOptions, z.ZodType>;

/** What defineTool makes of `input` and `run`. */
const madeShape = {
  inputSchema: z.unknown(),
  parseInput: z.unknown(),
  run: z.unknown(),
  remote: z.unknown(),
};

const agentShape = {
  name: z
    .string()
    .regex(/^[^\s/][^/\n]*$/u, 'is empty, or begins with a blank, or has a slash or a line break'),
  description: z.string(),
  kind: z.union([z.string(), kind], NO_KIND),
  model: z.union([z.string().min(1, 'is empty'), model], MODEL),
  tools: z.array(tool),
  prompt: z.record(z.string(), z.string()),
  parser: z.custom((value) => typeof value === 'function', 'is no function (reply, manifest) => decision'),
  output: z.custom(
    (value) => typeof value === 'object' && value !== null && 'safeParse' in value && '_zod' in value,
    'is no zod schema: write z.object({ … }) with the z that reloop exports',
  ),
  maxIterations: z.int().nonnegative().nullable(),
  maxExecutionTime: duration.nullable(),
  earlyStopping: z.enum(['force', 'generate']),
  repeatLimit: z.int().min(2, 'has to be 2 or more: 1 would refuse every action'),
  memory: z.union(
    [
      z.literal('buffer'),
      z.strictObject({ kind: z.literal('buffer') }),
      z.strictObject({ kind: z.literal('window'), turns: z.int().positive() }),
      z.strictObject({ kind: z.enum(['tokens', 'summary']), tokens: z.int().positive() }),
    ],
    "is none of 'buffer', { kind: 'window', turns }, { kind: 'tokens', tokens }, { kind: 'summary', tokens }",
  ),
  handleParsingErrors: z.union(
    [z.boolean(), z.string()],
    'is neither true nor false, nor a text for the model',
  ),
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
  cache: z.union(
    [
      z.boolean(),
      z.custom((value) => typeof value === 'object' && value !== null && 'get' in value && 'set' in value),
    ],
    'is neither true nor a store with get(key) and set(key, value)',
  ),
  onEvent: z.custom((value) => typeof value === 'function', 'is no function (event, run) => …'),
  taskQueue: z.string().min(1),
} satisfies Record<keyof ConfigDefinition, z.ZodType>;

const toolSchema = options({ ...toolShape, ...madeShape }, [...Object.keys(toolShape), 'input', 'run'])
  .partial()
  .required({ name: true, description: true });
const agentSchema = options(agentShape).partial().required({ name: true, model: true });
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

/** An object that takes these options and no others. */
function options<S extends z.ZodRawShape>(shape: S, known = Object.keys(shape)) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown option ${issue.keys.join(', ')} (known: ${known.join(', ')})`
        : undefined,
  });
}

function check(schema: z.ZodType, value: unknown, where: string): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const problems = result.error.issues.map(({ path, message, ...issue }) => {
    const text = 'expected' in issue && issue.expected === 'nonoptional' ? 'is missing' : message;
    return path.length === 0 ? text : `${path.join('.')}: ${text}`;
  });
  throw new ConfigError(`${where}: ${problems.join('; ')}.`);
}

function called(what: string, value: { name?: unknown } | null | undefined): string | undefined {
  return typeof value?.name === 'string' ? `${what} ${JSON.stringify(value.name)}` : undefined;
}
