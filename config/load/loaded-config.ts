import { utf8Length } from '../../agent/values/digest.ts';
import type { Budget } from '../../agent/definition/budget.ts';
import type { AgentKind } from '../../agent/definition/kind.ts';
import { builtInKinds } from '../../agent/kinds/kinds.ts';
import { EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { REWIND_POINT } from '../../agent/run/rewind-point.ts';
import { AUTHORIZE } from '../../agent/rules/sender.ts';
import { limits } from '../../agent/values/limits.ts';
import { setValue } from '../../agent/values/set-value.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import type { RunOverrides } from '../../agent/definition/overrides.ts';
import type { Price } from '../../agent/definition/price.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Model, ReplyStore } from '../../models/model.ts';
import { type Keyring, createKeyring, environmentKeyring } from '../../encryption/keys.ts';
import { adapterFor, adapters } from '../../models/adapters.ts';
import { isSameTool } from '../../tools/same-tool.ts';
import { problemOfName } from '../../tools/tool-name.ts';
import type { Tool } from '../../tools/tool.ts';
import { type AgentDefinition, type ConfigDefinition, ConfigError } from '../define.ts';
import { TASK_QUEUE } from '../../agent/values/names.ts';
import { CONCURRENCY } from '../options/concurrency-option.ts';
import type { Heartbeats } from '../heartbeats-option.ts';
import { completeAgent } from '../options/agent-options.ts';
import { kindOfLangChain } from '../langchain-names.ts';
import { type ModelRef, agentManifest } from '../agent-manifest.ts';
import { checkPrices, modelName, ownName, priceOf } from '../options/prices.ts';
import { checkApprovers } from '../options/approval-option.ts';
import { createContextCheck } from '../options/run-context-option.ts';
import { type Telemetry, completeTelemetry } from '../options/telemetry-option.ts';
import { createLimitsOf } from '../options/limits-option.ts';
import { type Queues, allQueues, onQueues } from '../options/queues.ts';
import { createOutputCheck } from '../options/output-check.ts';

/** A checked config, as a worker runs it. */
export interface LoadedConfig {
  agents: ReadonlyMap<string, AgentDefinition>;
  tools: ReadonlyMap<string, Tool>;
  models: ReadonlyMap<string, Model>;
  kinds: ReadonlyMap<string, AgentKind>;
  taskQueue: string;
  /** Further task queues, for some of the calls. */
  queues: Queues;
  /** Limits of a model, and the name that the config gives them to; undefined: the config has none. */
  limitsOf: ReturnType<typeof createLimitsOf> | undefined;
  /** undefined: as it is usual where the worker runs. */
  heartbeats: Heartbeats | undefined;
  /** Calls that a worker makes at a time. */
  concurrency: number;
  /** Cache for replies to identical requests at temperature 0; true: in the worker's memory. */
  cache: boolean | ReplyStore;
  /** Called for each event of this worker's runs. */
  onEvent: ConfigDefinition['onEvent'];
  /** Keys of the runs' payloads. undefined: nothing is encrypted. */
  encryption: Keyring | undefined;
  /** Asked about each decision and message of a person. */
  authorize: ConfigDefinition['authorize'];
  /** Takes the log of a worker process. */
  logger: ConfigDefinition['logger'];
  /** undefined: none. */
  telemetry: Telemetry | undefined;
  /** Price of a model, by the name that is sent. */
  priceOf(model: string): Price | undefined;
  /**
   * undefined: no agent of that name. Throws {@link ConfigError} for overrides that it cannot keep to: a budget of money
   * without a price.
   */
  manifest(agent: string, overrides: RunOverrides, parentBudget?: Budget): AgentManifest | undefined;
  /** A run's context as the config's schema reads it. Throws {@link ConfigError} for one that does not fit. */
  checkContext(context: RunContext | undefined): RunContext | undefined;
  /** The parser that an agent has in place of its kind's. */
  parser(agent: string): AgentKind['parse'] | undefined;
  /** An answer as the agent's `output` schema wants it. Throws OutputParserError. */
  checkOutput(manifest: AgentManifest, output: Json): Json;
  /** Reason why an agent cannot run here, as a sentence: a missing key, for instance. */
  validate(agent: string): string | undefined;
}

const RESERVED = [
  'callModel',
  'resolveAgent',
  'summarizeConversation',
  EARLIER_EFFECTS,
  REWIND_POINT,
  AUTHORIZE,
  'recordedCall',
  'recordedQuestion',
  'compareRun',
  'default',
  '_Exception',
  'Final Answer',
];

/** Throws {@link ConfigError} when the parts of a config contradict one another. */
export function createLoadedConfig(config: ConfigDefinition): LoadedConfig {
  const kinds = allKinds(config.agents);
  const agents = uniqueAgents(config.agents);
  const tools = uniqueTools([
    ...config.agents.flatMap(({ tools: own = [] }) => own),
    ...(config.tools ?? []),
  ]);
  const models = allModels(config);
  const taskQueue = config.taskQueue ?? setValue(process.env['TEMPORAL_TASK_QUEUE']) ?? TASK_QUEUE;
  const named = [
    ...config.agents.map((agent) => givenModel(agent, models)),
    ...Object.keys(config.models ?? {}),
  ];
  const queues = allQueues(config.queues, { own: taskQueue, models: new Set(named), tools });
  const limitsOf = createLimitsOf(config.limits, new Set(named), models);

  const loaded: LoadedConfig = {
    agents,
    tools,
    models,
    kinds,
    cache: config.cache ?? false,
    onEvent: config.onEvent,
    authorize: config.authorize,
    logger: config.logger,
    telemetry: completeTelemetry(config.telemetry),
    priceOf: (model) => priceOf(config.prices, model),
    encryption: environmentKeyring() ?? (config.encryption && createKeyring(config.encryption)),
    heartbeats: config.heartbeats,
    concurrency: config.concurrency ?? CONCURRENCY,
    taskQueue,
    queues,
    limitsOf: config.limits === undefined ? undefined : limitsOf,
    manifest(name, overrides, parentBudget) {
      const agent = agents.get(name);
      if (agent === undefined) return undefined;
      const kind = kindOf(kinds, agent);
      const ref = modelRef(agent, models, overrides.model);
      const price = priceOf(config.prices, ref.model);
      const manifest = agentManifest(agent, kind, { ...ref, price }, overrides, parentBudget);
      checkPrices(manifest, agents, models, config.prices);
      const own: AgentManifest = {
        ...manifest,
        ...(config.authorize === undefined ? {} : { authorizes: true }),
        ...(limitsOf(manifest) === undefined ? {} : { limited: true }),
      };
      return onQueues(own, queues, overrides.model ?? givenModel(agent, models));
    },
    checkContext: createContextCheck(config.context),
    parser: (name) => agents.get(name)?.parser,
    checkOutput: createOutputCheck((name) => agents.get(name)?.output),
    validate(name) {
      const adapter = loaded.manifest(name, {})?.adapter;
      return adapter === undefined ? undefined : models.get(adapter)?.validate?.();
    },
  };
  checkApprovers(tools, config);
  for (const { name, remote } of tools.values()) {
    if (remote?.type !== 'agent' || agents.has(remote.agent)) continue;
    throw new ConfigError(
      `The tool "${name}" runs the agent "${remote.agent}", which is not in the config. It has: ${[...agents.keys()].join(', ')}.`,
    );
  }
  for (const [name, agent] of agents) checkManifest(loaded.manifest(name, {}), kindOf(kinds, agent));
  return loaded;
}

function uniqueAgents(definitions: readonly AgentDefinition[]): Map<string, AgentDefinition> {
  const agents = new Map<string, AgentDefinition>();
  for (const agent of definitions) {
    const names = (agent.tools ?? []).map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) {
      throw new ConfigError(
        `Agent "${agent.name}" lists two tools that are called "${twice}". Take one out, or give it another name.`,
      );
    }
    if (agents.has(agent.name)) throw new ConfigError(`Two agents are called "${agent.name}". Rename one.`);
    agents.set(agent.name, agent);
  }
  return agents;
}

/** A tool's name is its activity's name, so names are unique over all agents. */
function uniqueTools(list: readonly Tool[]): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const tool of list) {
    const { name } = tool;
    const other = tools.get(name);
    if (other !== undefined && !isSameTool(other, tool)) {
      throw new ConfigError(
        `Two different tools are called "${name}". Give one another name, or define it once and list it in both agents.`,
      );
    }
    if (RESERVED.includes(name) || name.startsWith('__temporal_'))
      throw new ConfigError(`A tool cannot be called "${name}": the name is reserved.`);
    const problem = problemOfName(name);
    if (problem !== undefined) throw new ConfigError(`${problem}. Give it another name.`);
    tools.set(name, other ?? tool);
  }
  return tools;
}

/** A model given in place is known by its agent's name, so that every worker with this config finds it again. */
function allModels({ models = {}, agents }: ConfigDefinition): Map<string, Model> {
  for (const { name, model } of agents) {
    if (typeof model === 'string' || model.nameHint === undefined || model.modelName !== undefined) continue;
    throw new ConfigError(
      `Agent "${name}": its model has no name to be asked by. Write ${model.nameHint}, or put the model into the config's models under its name.`,
    );
  }
  const inPlace = agents.flatMap(({ name, model }): [string, Model][] =>
    typeof model === 'string' ? [] : [[`agent:${name}`, model]],
  );
  const byName = adapters.map(({ name, create }): [string, Model] => [name, create()]);
  return new Map<string, Model>([...byName, ...Object.entries(models), ...inPlace]);
}

/** A model's name in the agent's definition; of a model given in place, the name that it is asked by. */
function givenModel(agent: AgentDefinition, models: ReadonlyMap<string, Model>): string {
  return typeof agent.model === 'string' ? agent.model : modelName(agent, models);
}

function modelRef(agent: AgentDefinition, models: ReadonlyMap<string, Model>, override?: string): ModelRef {
  const { model: given } = agent;
  /** undefined: the adapter is chosen by the model's name alone, so a run's own model chooses again. */
  const own = typeof given !== 'string' ? `agent:${agent.name}` : models.has(given) ? given : undefined;
  const model = override === undefined ? modelName(agent, models) : ownName(override, models);
  if (override !== undefined && models.has(override)) return { adapter: override, model };
  return { adapter: own ?? adapterFor(model), model };
}

/** The built-in kinds, and those that agents bring themselves. */
function allKinds(agents: readonly AgentDefinition[]): Map<string, AgentKind> {
  const kinds = new Map(builtInKinds.map((kind) => [kind.name, kind]));
  for (const { kind, name } of agents) {
    if (typeof kind !== 'object') continue;
    const other = kinds.get(kind.name);
    if (other !== undefined && other !== kind) {
      throw new ConfigError(
        `Agent "${name}": there is another kind called "${kind.name}" already. Rename yours.`,
      );
    }
    kinds.set(kind.name, kind);
  }
  return kinds;
}

function kindOf(kinds: ReadonlyMap<string, AgentKind>, agent: AgentDefinition): AgentKind {
  const { kind, name } = completeAgent(agent);
  const wanted = typeof kind === 'string' ? kind : kind.name;
  const found = kinds.get(wanted);
  if (found !== undefined) return found;
  const ours = kindOfLangChain(wanted);
  const hint = ours === undefined ? '' : ` In Reloop that is kind: '${ours}'.`;
  throw new ConfigError(
    `Agent "${name}": unknown kind "${wanted}".${hint} Known: ${[...kinds.keys()].join(', ')}.`,
  );
}

function checkManifest(manifest: AgentManifest | undefined, kind: AgentKind): void {
  if (manifest === undefined) return;
  const problem = kind.validate?.(manifest);
  if (problem !== undefined) throw new ConfigError(`Agent "${manifest.name}": ${problem}`);
  const bytes = utf8Length(JSON.stringify(manifest));
  if (bytes <= limits.manifestBytes) return;
  throw new ConfigError(
    `Agent "${manifest.name}": prompts and tool schemas take ${bytes} bytes, at most ${limits.manifestBytes} can be recorded. Shorten them.`,
  );
}
