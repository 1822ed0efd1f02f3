import { z } from 'zod/v4';
import type { HookName } from '../agent/definition/hooks.ts';
import type { AgentManifest } from '../agent/definition/manifest.ts';
import type { FreshStart } from '../agent/start/run-start.ts';
import { TASK_QUEUE } from '../agent/values/names.ts';
import { setValue } from '../agent/values/set-value.ts';
import { fieldOf } from '../agent/values/values.ts';
import { isZodSchema } from '../adapters/tools/zod-schema.ts';
import { createKeyring, encryptionProblem, environmentKeyring } from '../features/encryption/keys.ts';
import { environmentLive, liveProblem } from '../features/live/brokers.ts';
import { createStorage, storageProblem } from '../features/storage/storage.ts';
import { projectFolder } from '../local/server/project-folder.ts';
import { budgetsSchema } from './budgets-option.ts';
import type { ConfigDefinition } from './define.ts';
import { deploymentSchema } from './deployment-option.ts';
import { heartbeatInterval, heartbeatsSchema, usualHeartbeats } from './heartbeats-option.ts';
import { limitsSchema } from './limits-option.ts';
import { tool } from './options/agent-options.ts';
import { breakerSchema, completeBreaker } from './options/breaker-option.ts';
import { concurrencySchema, defaultConcurrency } from './options/concurrency-option.ts';
import { model } from './options/model-option.ts';
import { options } from './options/options.ts';
import { pricesSchema } from './options/prices.ts';
import { queuesSchema } from './options/queues.ts';
import { completeTelemetry, telemetrySchema } from './options/telemetry-option.ts';
import { checkEvals, completeEvals, evalsSchema } from '../features/evals/option/evals-option.ts';
import { checkSchedules, schedulesSchema } from '../features/schedules/option/schedules-option.ts';
import { webhooksSchema } from './webhooks-option.ts';

/** A worker that is about to be created. */
export interface WorkerStart {
  /** Address of its Temporal server, as far as it is known. */
  address: string | undefined;
  /** Reports a problem that does not keep the worker from running. */
  onWarning(text: string): void;
}

/**
 * A config option. Its name, type and documentation are in define.ts. Parts of a config that depend on each other are related in
 * load/loaded-config.ts.
 */
type ConfigOption<Given> = {
  schema: z.ZodType;
  /** Programs whose configs differ in this option may share a worker. Default: they need separate workers. */
  sharesWorker?: true;
  /** Relates the option to the agents. `checkStart` throws ConfigError for a start that no run can have. Throws ConfigError. */
  check?(given: Given, checkStart: (start: FreshStart) => void): void;
  /** Records in the manifest of a run that the config has the option. */
  manifest?(given: Given): Partial<AgentManifest>;
} & (
  | {
      /** Returns the value for a worker. Default: as given. Throws ConfigError. */
      complete?(given: Given): Given;
      /** Returns the option's part of the settings of a worker. Called once for each worker. */
      worker?(value: Given, start: WorkerStart): object;
    }
  | { complete(given: Given): unknown; worker?: never }
);

const LEVELS = ['debug', 'info', 'warn', 'error'];
const aFunction = (sentence: string) => z.custom((value) => typeof value === 'function', sentence);
/** A problem does not quote the value, which may have keys or a password. */
const checkedBy = (problemOf: (value: unknown) => string | undefined) =>
  z.custom().superRefine((value, { addIssue }) => {
    const message = problemOf(value);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });
const hook = aFunction('is not a function');
const hooksShape = {
  beforeModel: hook,
  afterModel: hook,
  beforeTool: hook,
  afterTool: hook,
} satisfies Record<HookName, z.ZodType>;

/** All options of a config, in the order in which messages list them. */
export const configOptions = {
  agents: { schema: z.array(z.unknown()), sharesWorker: true },
  tools: { schema: z.array(tool), sharesWorker: true },
  models: { schema: z.record(z.string(), model) },
  prices: { schema: pricesSchema },
  limits: { schema: limitsSchema },
  budgets: { schema: budgetsSchema },
  breaker: { schema: breakerSchema, complete: completeBreaker },
  cache: {
    schema: z.union(
      [
        z.boolean(),
        z.custom((value) => typeof value === 'object' && value !== null && 'get' in value && 'set' in value),
      ],
      'is neither true nor a store with get(key) and set(key, value)',
    ),
    complete: (given) => given ?? false,
  },
  onEvent: {
    schema: aFunction('is not a function (event, run) => …'),
    worker: (onEvent) => ({ events: onEvent !== undefined }),
  },
  heartbeats: {
    schema: heartbeatsSchema,
    worker: (given, { address }) => ({ everyMs: heartbeatInterval(given ?? usualHeartbeats(address)) }),
  },
  concurrency: { schema: concurrencySchema, complete: (given) => given ?? defaultConcurrency() },
  context: {
    schema: z.custom(isZodSchema, 'is not a schema of zod 4, such as z.object({ user: z.string() })'),
  },
  authorize: {
    schema: aFunction('is not a function (message) => boolean'),
    manifest: (authorize) => (authorize === undefined ? {} : { authorizes: true }),
  },
  hooks: {
    schema: options(hooksShape).partial(),
    manifest: (hooks) => (hooks === undefined ? {} : { hooks: true }),
  },
  telemetry: { schema: telemetrySchema, complete: completeTelemetry },
  logger: {
    schema: z.custom(
      (value) => LEVELS.every((level) => typeof fieldOf(value, level) === 'function'),
      'is not a logger with debug, info, warn and error, such as pino()',
    ),
  },
  encryption: {
    schema: checkedBy(encryptionProblem),
    complete: (given) => environmentKeyring() ?? (given && createKeyring(given)),
  },
  storage: { schema: checkedBy(storageProblem), complete: (given) => given && createStorage(given) },
  live: { schema: checkedBy(liveProblem), complete: (given) => environmentLive() ?? given },
  schedules: {
    schema: schedulesSchema,
    sharesWorker: true,
    complete: (given) => given ?? {},
    check: checkSchedules,
  },
  evals: {
    schema: evalsSchema,
    sharesWorker: true,
    complete: (given) => completeEvals(given, projectFolder()),
    check: checkEvals,
  },
  webhooks: { schema: webhooksSchema },
  taskQueue: {
    schema: z.string().min(1),
    complete: (given) => given ?? setValue(process.env['TEMPORAL_TASK_QUEUE']) ?? TASK_QUEUE,
  },
  queues: { schema: queuesSchema },
  // A program's worker has no version.
  deployment: { schema: deploymentSchema, sharesWorker: true },
} satisfies { [name in keyof Required<ConfigDefinition>]: ConfigOption<ConfigDefinition[name]> };

type Options = typeof configOptions;
type Name = keyof Options;
/** Each option is given the value of its own name only. */
const all = Object.entries(configOptions) as unknown as [Name, ConfigOption<unknown>][];

/** The value that each option has for a worker. */
export type OptionValues = {
  [name in Name]: Options[name] extends { complete(given: never): infer Value }
    ? Value
    : ConfigDefinition[name];
};

/** Throws ConfigError. */
export function completeOptions(config: ConfigDefinition): OptionValues {
  const values = all.map(([name, { complete }]) => [
    name,
    complete === undefined ? config[name] : complete(config[name]),
  ]);
  return Object.fromEntries(values) as OptionValues; // one for each name
}

/** Throws ConfigError for an option that does not fit the agents. */
export function checkOptions(config: ConfigDefinition, checkStart: (start: FreshStart) => void): void {
  for (const [name, { check }] of all) check?.(config[name], checkStart);
}

/** The parts of a run's manifest that the options of a config make. */
export function manifestParts(config: ConfigDefinition): Partial<AgentManifest> {
  return Object.assign(
    {},
    ...all.map(([name, { manifest }]) => manifest?.(config[name])),
  ) as Partial<AgentManifest>;
}

type Intersection<T> = (T extends unknown ? (part: T) => void : never) extends (part: infer All) => void
  ? All
  : never;
type PartOf<Option> = Option extends { worker(...args: never): infer Part } ? Part : never;

/** The settings of a worker that its options make. */
export function workerParts(
  values: Pick<
    OptionValues,
    { [name in Name]: Options[name] extends { worker: unknown } ? name : never }[Name]
  >,
  start: WorkerStart,
): Intersection<PartOf<Options[Name]>> {
  const parts = all.map(([name, { worker }]) => worker?.((values as Partial<OptionValues>)[name], start));
  return Object.assign({}, ...parts) as Intersection<PartOf<Options[Name]>>;
}

/** The options of which programs with one worker have the same. */
export const workerOptions: readonly Name[] = all.flatMap(([name, { sharesWorker }]) =>
  sharesWorker ? [] : [name],
);
