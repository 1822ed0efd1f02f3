import { utf8Length } from '../agent/transcript/digest.ts';
import type { Budget } from '../agent/budget.ts';
import type { AgentKind } from '../agent/kinds/kind.ts';
import { builtInKinds } from '../agent/kinds/kinds.ts';
import { EARLIER_EFFECTS } from '../agent/restart.ts';
import { AWAIT_SUCCESSOR } from '../agent/successor.ts';
import { limits } from '../agent/limits.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import type { RunOverrides } from '../agent/overrides.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Model } from '../models/model.ts';
import type { ReplyStore } from '../models/reply-store.ts';
import { openai } from '../models/openai/openai.ts';
import { isSameTool } from '../tools/same-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { type AgentDefinition, type ConfigDefinition, ConfigError } from './define.ts';
import { TASK_QUEUE } from '../agent/names.ts';
import type { Heartbeats } from './heartbeats-option.ts';
import { completeAgent } from './agent-options.ts';
import { kindOfLangChain } from './langchain-names.ts';
import { type ModelRef, agentManifest } from './agent-manifest.ts';
import { checkPrices, modelName, priceOf } from './prices.ts';
import { createOutputCheck } from './output-check.ts';

/** A config, checked and put in order: what a worker runs. */
export interface LoadedConfig {
  agents: ReadonlyMap<string, AgentDefinition>;
  tools: ReadonlyMap<string, Tool>;
  models: ReadonlyMap<string, Model>;
  kinds: ReadonlyMap<string, AgentKind>;
  taskQueue: string;
  /** undefined: as it is usual where the worker runs. */
  heartbeats: Heartbeats | undefined;
  /** Where the worker keeps replies to identical requests at temperature 0; true: in its memory. */
  cache: boolean | ReplyStore;
  /** Told what happens in this worker's runs. */
  onEvent: ConfigDefinition['onEvent'];
  /**
   * undefined: no agent of that name. Throws {@link ConfigError} for overrides that it cannot keep to: a budget of money
   * without a price.
   */
  manifest(agent: string, overrides: RunOverrides, parentBudget?: Budget): AgentManifest | undefined;
  /** The parser that an agent has in place of its kind's. */
  parser(agent: string): AgentKind['parse'] | undefined;
  /** An answer as the agent's `output` schema wants it. Throws OutputParserError. */
  checkOutput(manifest: AgentManifest, output: Json): Json;
  /** What keeps an agent from running here, as a sentence: a missing key, for instance. */
  validate(agent: string): string | undefined;
}

const OPENAI = 'openai';
const RESERVED = [
  'callModel',
  'resolveAgent',
  'summarizeConversation',
  EARLIER_EFFECTS,
  AWAIT_SUCCESSOR,
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

  const loaded: LoadedConfig = {
    agents,
    tools,
    models,
    kinds,
    cache: config.cache ?? false,
    onEvent: config.onEvent,
    heartbeats: config.heartbeats,
    taskQueue: config.taskQueue ?? process.env['TEMPORAL_TASK_QUEUE'] ?? TASK_QUEUE,
    manifest(name, overrides, parentBudget) {
      const agent = agents.get(name);
      if (agent === undefined) return undefined;
      const kind = kindOf(kinds, agent);
      const ref = modelRef(agent, models, overrides.model);
      const price = priceOf(config.prices, ref.model);
      const manifest = agentManifest(agent, kind, { ...ref, price }, overrides, parentBudget);
      checkPrices(manifest, agents, config.prices);
      return manifest;
    },
    parser: (name) => agents.get(name)?.parser,
    checkOutput: createOutputCheck((name) => agents.get(name)?.output),
    validate(name) {
      const adapter = loaded.manifest(name, {})?.adapter;
      return adapter === undefined ? undefined : models.get(adapter)?.validate?.();
    },
  };
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

/** A tool is an activity of its own name, so names are unique over all agents. */
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
    if (!/^\S(?:.*\S)?$/u.test(name)) {
      throw new ConfigError(
        `The tool name ${JSON.stringify(name)} is empty, or begins or ends with a blank, or has a line break.`,
      );
    }
    tools.set(name, other ?? tool);
  }
  return tools;
}

/** A model given in place is known by its agent's name, so that every worker with this config finds it again. */
function allModels({ models = {}, agents }: ConfigDefinition): Map<string, Model> {
  const inPlace = agents.flatMap(({ name, model }): [string, Model][] =>
    typeof model === 'string' ? [] : [[`agent:${name}`, model]],
  );
  return new Map<string, Model>([[OPENAI, openai()], ...Object.entries(models), ...inPlace]);
}

function modelRef(agent: AgentDefinition, models: ReadonlyMap<string, Model>, override?: string): ModelRef {
  const model = modelName(agent);
  const own: ModelRef =
    typeof agent.model === 'string'
      ? { adapter: models.has(model) ? model : OPENAI, model }
      : { adapter: `agent:${agent.name}`, model };
  if (override === undefined) return own;
  return { adapter: models.has(override) ? override : own.adapter, model: override };
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
