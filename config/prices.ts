import type { AgentManifest } from '../agent/manifest.ts';
import type { Price } from '../agent/price.ts';
import { type AgentDefinition, type ConfigDefinition, ConfigError } from './define.ts';

type Prices = ConfigDefinition['prices'];

/** By the exact name: a dated version of a model may cost twice as much as the one without. */
export function priceOf(prices: Prices = {}, model: string): Price | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** The name that an agent's model is asked by, and has its price under. */
export function modelName({ model, name }: AgentDefinition): string {
  return typeof model === 'string' ? model : name;
}

/**
 * A budget of money is refused that could not be counted: the agent's model needs a price, and so do those of the agents
 * among its tools, however deep. Throws {@link ConfigError}.
 */
export function checkPrices(
  { name, model, budget }: AgentManifest,
  agents: ReadonlyMap<string, AgentDefinition>,
  prices: Prices,
): void {
  if (budget?.cost === undefined) return;
  const asked = new Map([[name, model]]);
  // What is added meanwhile is visited too.
  for (const agent of asked.keys()) {
    for (const below of subAgentsOf(agents.get(agent), agents)) {
      if (!asked.has(below.name)) asked.set(below.name, modelName(below));
    }
  }
  const without = [...asked].filter(([, of]) => priceOf(prices, of) === undefined);
  const [first] = without;
  if (first === undefined) return;
  const models = without.map(([agent, of]) => (agent === name ? `"${of}"` : `"${of}" (agent "${agent}")`));
  throw new ConfigError(
    `Agent "${name}" has a budget of cost, but there is no price of ${models.join(', ')}. Add to defineConfig: prices: { '${first[1]}': { input, output } }, in US dollars per million tokens; 0 for a model that costs nothing.`,
  );
}

function subAgentsOf(
  agent: AgentDefinition | undefined,
  agents: ReadonlyMap<string, AgentDefinition>,
): AgentDefinition[] {
  return (agent?.tools ?? []).flatMap(({ remote }) => {
    const below = remote?.type === 'agent' ? agents.get(remote.agent) : undefined;
    return below === undefined ? [] : [below];
  });
}
