import { z } from 'zod/v4';
import type { AgentKind } from '../../agent/definition/kind.ts';
import type { LoopOptions, MemoryManifest, RequestOptions } from '../../agent/definition/manifest.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { NOT_ZOD_3, type ZodSchema, isZod3, isZodSchema } from '../../adapters/tools/zod-schema.ts';
import type { AgentDefinition } from '../define.ts';
import { askTimeoutOption } from './ask-timeout-option.ts';
import { duration } from './duration.ts';
import { modelOption } from './model-option.ts';
import { type Checks, options, retryOptions } from './options.ts';

const text = z.string().min(1, 'is empty');

/**
 * Every option of an agent: its check and its default. An option of the first two groups is recorded as it is given and
 * needs nothing but its line in agent/definition/manifest.ts and its line here; the others are made into something else by agent-manifest.ts.
 */
const loopShape = {
  maxIterations: z.int().nonnegative().nullable().default(15),
  earlyStopping: z.enum(['force', 'generate']).optional(),
  stopMessage: z
    .union(
      [
        text,
        z.strictObject({
          maxIterations: text.optional(),
          maxExecutionTime: text.optional(),
          budget: text.optional(),
        }),
      ],
      'is neither a text nor { maxIterations, maxExecutionTime, budget } with a text each',
    )
    .optional(),
  repeatLimit: z.int().min(2, 'has to be 2 or more: 1 would refuse every action').optional(),
  handleParsingErrors: z
    .union([z.boolean(), z.string()], 'is neither true nor false, nor a text for the model')
    .default(true),
  trimIntermediateSteps: z.int().default(-1),
  onLimit: z.enum(['stop', 'ask']).optional(),
  onModelFailure: z.enum(['ask', 'fail']).default('ask'),
  budget: options({
    totalTokens: z.int().nonnegative().nullish(),
    cost: z.number().nonnegative().nullish(),
  }).optional(),
} satisfies Checks<LoopOptions>;

const requestShape = {
  api: z.enum(['chat', 'completions']).default('chat'),
  stream: z.boolean().default(true),
  images: z.boolean().optional(),
  files: z.boolean().optional(),
  temperature: z.number().optional(),
  maxTokens: z.int().positive().optional(),
  topP: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  presencePenalty: z.number().optional(),
  logitBias: z.record(z.string(), z.number()).optional(),
  extra: z.record(z.string(), z.json()).optional(),
} satisfies Checks<RequestOptions>;

const KIND =
  'is not a kind: give its name, or one made with defineKind({ name, stop, prompt, stoppedOutput, chatHistory, render, parse })';
const kind = z.custom<AgentKind>(
  (value) => has(value, 'name') && has(value, 'render') && has(value, 'parse'),
  KIND,
);

/** A tool's options are checked separately, so that the message can name the tool. */
export const tool = z.custom<Tool>(
  (value) => has(value, 'parseInput'),
  'is not a tool: make it with defineTool({ name, description, run })',
);

const memory = z.union(
  [
    z.literal('buffer').transform((of): MemoryManifest => ({ kind: of })),
    z.strictObject({ kind: z.literal('buffer') }),
    z.strictObject({ kind: z.literal('window'), turns: z.int().positive() }),
    z.strictObject({ kind: z.enum(['tokens', 'summary']), tokens: z.int().positive() }),
  ],
  "is none of 'buffer', { kind: 'window', turns }, { kind: 'tokens', tokens }, { kind: 'summary', tokens }",
);

const compaction = options({
  window: z.int().positive().optional(),
  at: z.number().positive('has to be above 0').max(1, 'is a share of the window: at most 1').default(0.8),
  keep: z.int().positive('has to be 1 or more: the model has not seen the last turn').default(6),
});

const zodSchema = z.custom<ZodSchema>(isZodSchema, {
  error: ({ input }) =>
    isZod3(input) ? NOT_ZOD_3 : 'is not a zod schema: write z.object({ … }) with the z that reloop exports',
});

const agentShape = {
  name: z
    .string()
    .regex(/^[^\s/][^/\n]*$/u, 'is empty, or starts with a blank, or has a slash or a line break'),
  description: z.string().optional(),
  kind: z.union([z.string(), kind], KIND).default('tool-calling'),
  model: modelOption,
  tools: z.array(tool).default([]),
  handoffs: z
    .array(
      z.union([
        z.string().min(1),
        z.custom<AgentDefinition>((value) => has(value, 'name') && has(value, 'model')),
      ]),
      'is not a list of agents: their names or definitions',
    )
    .default([]),
  toolSearch: z
    .union(
      [
        z.boolean(),
        z.strictObject({ show: z.array(text).optional(), results: z.int().positive().optional() }),
      ],
      'is neither true nor { show, results }: the names of tools that the prompt has as well, and a number from 1',
    )
    .optional(),
  skills: text.optional(),
  clientTools: z.boolean().default(false),
  prompt: z.record(z.string(), z.string()).default({}),
  parser: z
    .custom<AgentKind['parse']>(
      (value) => typeof value === 'function',
      'is not a function (reply, manifest) => decision',
    )
    .optional(),
  output: zodSchema.optional(),
  context: zodSchema.optional(),
  maxExecutionTime: duration.nullable().default(null),
  memory: memory.optional(),
  compaction: compaction.optional(),
  requestTimeout: duration.default('10m'),
  /** Waits after a failure: 0.5, 1, 2 and 4 s, unless the provider asks for others. */
  modelRetry: retryOptions({
    maxAttempts: 5,
    initialInterval: '500ms',
    backoffCoefficient: 2,
    maximumInterval: '30s',
  }),
  askTimeout: askTimeoutOption.optional(),
  stop: z.array(z.string().min(1)).optional(),
  ...loopShape,
  ...requestShape,
} satisfies Record<keyof AgentDefinition, z.ZodType>;

/** Options of an agent's definition, and no others. */
export const agentSchema = options(agentShape).partial().required({ name: true, model: true });

export type CompleteAgent = z.output<typeof complete>;
const complete = z.object(agentShape);

/** A definition with every default filled in. It has been checked; so are its parts. */
export function completeAgent(agent: AgentDefinition): CompleteAgent {
  return complete.parse(agent);
}

/** The agents to which an agent may hand the conversation over, by name. */
export function handoffsOf({ handoffs = [] }: AgentDefinition): string[] {
  return handoffs.map((target) => (typeof target === 'string' ? target : target.name));
}

/** The options that are recorded as they are given. */
export const loopOptions = z.object(loopShape);
export const requestOptions = z.object(requestShape);

function has<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value;
}
