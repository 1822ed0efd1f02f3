import { jsonBytes } from '../../agent/values/digest.ts';
import type { Budget } from '../../agent/definition/budget.ts';
import type { AgentKind } from '../../agent/definition/kind.ts';
import { limits } from '../../agent/values/limits.ts';
import { modelsOf } from '../../agent/definition/agent-models.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import { withClientTools } from '../../agent/definition/client-tools.ts';
import type { RunOverrides } from '../../agent/start/overrides.ts';
import type { Price } from '../../agent/definition/price.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Model } from '../../adapters/models/model.ts';
import { adapterFor, adapters } from '../../adapters/models/adapters.ts';
import { createSearchTool, useTool } from '../../adapters/tools/tool-search/search-tools.ts';
import { backgroundTool } from '../../adapters/tools/background/background-tool.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { type OptionValues, checkOptions, completeOptions, manifestParts } from '../config-options.ts';
import { type AgentDefinition, type ConfigDefinition, ConfigError } from '../define.ts';
import { compactionOf } from '../compaction-window.ts';
import { handoffTools } from '../handoff-tools.ts';
import { completeAgent } from '../options/agent-options.ts';
import { allKinds, kindOf } from './agent-kinds.ts';
import { type ModelRef, agentManifest } from '../agent-manifest.ts';
import { type ModelChoice, type ModelName, modelChoices } from '../options/model-option.ts';
import { checkPrices, ownName, priceOf } from '../options/prices.ts';
import { checkApprovers } from '../options/approval-option.ts';
import { createContextCheck } from '../options/run-context-option.ts';
import { type Deployment, deploymentOf } from '../deployment-option.ts';
import { type Webhooks, allWebhooks, withWebhooks } from '../webhooks-option.ts';
import { checkBudgetPrices, createBudgetsOf } from '../budgets-option.ts';
import { createLimitsOf } from '../limits-option.ts';
import { toolManifest } from '../options/tool-options.ts';
import { projectFolder } from '../../local/server/project-folder.ts';
import { type Queues, allQueues, onQueues } from '../options/queues.ts';
import { type AgentSkills, agentSkills, earlierSkills } from './agent-skills.ts';
import { controlTools, controlsOf } from './control-tools.ts';
import { searchTools, searchedTools } from './searched-tools.ts';
import { uniqueTools } from './unique-tools.ts';
import { createOutputCheck } from '../options/output-check.ts';

/** Options of which the values for a worker depend on other options. */
type Related =
  | 'agents'
  | 'tools'
  | 'models'
  | 'prices'
  | 'limits'
  | 'budgets'
  | 'context'
  | 'queues'
  | 'webhooks'
  | 'deployment';

/** A checked config, as a worker runs it: the values of its options, and what follows from several of them. */
export interface LoadedConfig extends Omit<OptionValues, Related> {
  agents: ReadonlyMap<string, AgentDefinition>;
  tools: ReadonlyMap<string, Tool>;
  /** `search_tools`, `use_tool`, `read_skill` and `background`, for runs that began when the config had the options that bring them. */
  earlierTools: readonly Tool[];
  models: ReadonlyMap<string, Model>;
  kinds: ReadonlyMap<string, AgentKind>;
  /** Further task queues, for some of the calls. */
  queues: Queues;
  /** Limits of a model, and the name that the config gives them to; undefined: the config has none. */
  limitsOf: ReturnType<typeof createLimitsOf> | undefined;
  /** Budgets that count the model calls of a run; undefined: the config has none. */
  budgetsOf: ReturnType<typeof createBudgetsOf> | undefined;
  /** Addresses that get events of runs, by name. */
  webhooks: Webhooks;
  /** undefined: no agent has skills. */
  skills: AgentSkills | undefined;
  /** undefined: workers have no version. */
  deployment: Deployment | undefined;
  /** Price of a model, by the name that is sent. */
  priceOf(model: string): Price | undefined;
  /**
   * undefined: no agent of that name. Throws {@link ConfigError} for overrides that it cannot keep to: a budget of money
   * without a price.
   */
  manifest(agent: string, overrides: RunOverrides, parentBudget?: Budget): AgentManifest | undefined;
  /** A run's context as the config's schema reads it. Throws {@link ConfigError} for one that does not fit. */
  checkContext(agent: string, context: RunContext | undefined): RunContext | undefined;
  /** The parser that an agent has in place of its kind's. */
  parser(agent: string): AgentKind['parse'] | undefined;
  /** An answer as the agent's `output` schema wants it. Throws OutputParserError. */
  checkOutput(manifest: AgentManifest, output: Json): Json;
  /** Reason why an agent cannot run here, as a sentence: a missing key, for instance. */
  validate(agent: string): string | undefined;
}

/** Throws {@link ConfigError} when the parts of a config contradict one another. `folder`: that of its file, for the paths in it. */
export function createLoadedConfig(config: ConfigDefinition, folder = projectFolder()): LoadedConfig {
  const kinds = allKinds(config.agents);
  const agents = uniqueAgents(config.agents);
  const tools = uniqueTools([
    ...config.agents.flatMap(({ tools: own = [] }) => own),
    ...(config.tools ?? []),
  ]);
  const skills = agentSkills(config.agents, folder);
  const search = searchTools(config.agents);
  const reading = skills === undefined ? [] : [skills.tool];
  for (const tool of [...search, ...reading, ...controlTools(config.agents)]) addBuiltIn(tools, tool);
  const named = namedModels(config);
  const choices = (agent: AgentDefinition) => modelChoices(agent, (model) => namedModel(model, named));
  const models = new Map([...named, ...modelsInPlace(config.agents.flatMap(choices))]);
  const values = completeOptions(config);
  const { taskQueue, breaker } = values;
  const modelNames = [
    ...config.agents.map((agent) => choices(agent)[0].given),
    ...Object.keys(config.models ?? {}),
  ];
  const queues = allQueues(config.queues, { own: taskQueue, models: new Set(modelNames), tools });
  const allNames = config.agents.flatMap((agent) => choices(agent).map(({ given }) => given));
  const limitsOf = createLimitsOf(config.limits, new Set([...allNames, ...modelNames]), models);
  const budgetsOf = config.budgets && createBudgetsOf(config.budgets, agents);
  const holdsBack = (manifest: AgentManifest) =>
    breaker !== undefined ||
    (budgetsOf?.(manifest) ?? []).length > 0 ||
    modelsOf(manifest).some((model) => limitsOf(model) !== undefined);

  const webhooks = allWebhooks(config.webhooks, agents);

  const loaded: LoadedConfig = {
    ...values,
    agents,
    tools,
    earlierTools: [createSearchTool(), useTool, earlierSkills(folder), backgroundTool].filter(
      ({ name }) => !tools.has(name),
    ),
    models,
    kinds,
    priceOf: (model) => priceOf(config.prices, model),
    queues,
    webhooks,
    skills,
    limitsOf: config.limits === undefined ? undefined : limitsOf,
    budgetsOf,
    deployment: deploymentOf(config.deployment, taskQueue),
    manifest(name, overrides, parentBudget) {
      const agent = agents.get(name);
      if (agent === undefined) return undefined;
      const kind = kindOf(kinds, agent);
      const [first, ...others] = choices(agent);
      const { model: chosen } = overrides;
      const refs: [ModelName, ...ModelName[]] =
        chosen === undefined ? [first, ...others] : [chosenModel(chosen, first, models)];
      const manifest = agentManifest(agent, kind, modelRefs(refs, config.prices), overrides, parentBudget);
      checkPrices(manifest, agents, choices, config.prices);
      checkBudgetPrices(manifest, budgetsOf);
      const { compaction } = completeAgent(agent);
      const handoffs = handoffTools(agent, agents, (other) => kindOf(kinds, other));
      const ownSkills = skills?.of(name);
      const readers = ownSkills === undefined ? [] : reading.map(toolManifest);
      const searched = searchedTools(agent, manifest.tools, search);
      const ofAgent = [
        ...(searched?.tools ?? manifest.tools),
        ...handoffs,
        ...readers,
        ...controlsOf(manifest.tools),
      ];
      const brought = agent.clientTools === true ? (overrides.clientTools ?? []) : [];
      const own = {
        ...manifest,
        tools: withClientTools(ofAgent, brought),
        ...(ownSkills !== undefined && { skills: ownSkills }),
        ...(searched !== undefined && { toolSearch: searched.toolSearch }),
        compaction: compaction && compactionOf(compaction, manifest, models),
        ...manifestParts(config),
        ...(holdsBack(manifest) ? { holdsBack: true as const } : {}),
      };
      return withWebhooks(onQueues(own, queues, chosen ?? first.given), webhooks);
    },
    checkContext: createContextCheck(config.context, agents),
    parser: (name) => agents.get(name)?.parser,
    checkOutput: createOutputCheck((name) => agents.get(name)?.output),
    validate(name) {
      const manifest = loaded.manifest(name, {});
      return manifest && modelProblem(manifest, models);
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
  checkOptions(config, ({ agent, overrides = {} }) => {
    if (!agents.has(agent)) {
      const known = [...agents.keys()].join(', ');
      throw new ConfigError(`there is no agent "${agent}". The config has: ${known}.`);
    }
    loaded.manifest(agent, overrides);
    loaded.checkContext(agent, overrides.context);
  });
  return loaded;
}

/** Adds the tool of an option such as `skills`. */
function addBuiltIn(tools: Map<string, Tool>, tool: Tool): void {
  if (tools.has(tool.name)) {
    throw new ConfigError(
      `The config has a tool ${tool.name}, which is the name of one that Reloop adds here. Rename yours.`,
    );
  }
  tools.set(tool.name, tool);
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

/** Models that can be named: those of the config, and one for each adapter. */
function namedModels({ models = {} }: ConfigDefinition): Map<string, Model> {
  const byName = adapters.map(({ name, create }): [string, Model] => [name, create()]);
  return new Map<string, Model>([...byName, ...Object.entries(models)]);
}

function namedModel(name: string, models: ReadonlyMap<string, Model>): ModelName {
  return { adapter: models.has(name) ? name : adapterFor(name), model: ownName(name, models) };
}

function modelsInPlace(choices: readonly ModelChoice[]): [string, Model][] {
  return choices.flatMap(({ adapter, inPlace }): [string, Model][] =>
    inPlace === undefined ? [] : [[adapter, inPlace]],
  );
}

/** A run's own model. If the config does not have the name, the adapter of the agent's first model is asked for it. */
function chosenModel(
  name: string,
  { adapter, given, inPlace }: ModelChoice,
  models: ReadonlyMap<string, Model>,
): ModelName {
  const isOwn = inPlace !== undefined || models.has(given);
  return isOwn && !models.has(name) ? { adapter, model: name } : namedModel(name, models);
}

function modelRefs(
  [first, ...others]: readonly [ModelName, ...ModelName[]],
  prices: ConfigDefinition['prices'],
): ModelRef {
  const ref = ({ adapter, model, on }: ModelName) => ({ adapter, model, price: priceOf(prices, model), on });
  const { on: _, ...own } = ref(first);
  return others.length === 0 ? own : { ...own, fallbacks: others.map(ref) };
}

/** The first problem that keeps one of the agent's models from being asked here. */
export function modelProblem(
  manifest: AgentManifest,
  models: ReadonlyMap<string, Model>,
): string | undefined {
  return modelsOf(manifest)
    .map(({ adapter }) => models.get(adapter)?.validate?.())
    .find((problem) => problem !== undefined);
}

function checkManifest(manifest: AgentManifest | undefined, kind: AgentKind): void {
  if (manifest === undefined) return;
  const problem = kind.validate?.(manifest);
  if (problem !== undefined) throw new ConfigError(`Agent "${manifest.name}": ${problem}`);
  const bytes = jsonBytes(manifest);
  if (bytes <= limits.manifestBytes) return;
  throw new ConfigError(
    `Agent "${manifest.name}": prompts and tool schemas take ${bytes} bytes, at most ${limits.manifestBytes} can be recorded. Shorten them.`,
  );
}
