import { z } from 'zod/v4';
import { modelsOf } from '../../agent/definition/agent-models.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { Price } from '../../agent/definition/price.ts';
import type { Model } from '../../adapters/models/model.ts';
import { type AgentDefinition, type ConfigDefinition, ConfigError } from '../define.ts';
import { handoffsOf } from './agent-options.ts';
import { options } from './options.ts';

type Prices = ConfigDefinition['prices'];
type Models = ReadonlyMap<string, Model>;

const amount = z.number('is not an amount of US dollars from 0').nonnegative();

export const pricesSchema = z.record(
  z.string().min(1),
  options({ input: amount, output: amount, cachedInput: amount.optional() }),
);

/** Price by the exact name: a dated version of a model may cost twice as much as the one without. */
export function priceOf(prices: Prices = {}, model: string): Price | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** The name that the model of this name in `models` is asked by. */
export function ownName(model: string, models: Models): string {
  return models.get(model)?.modelName ?? model;
}

/**
 * Refuses a budget of money without prices: the agent's models need prices, and so do the models of its sub-agents, at
 * any depth. Throws {@link ConfigError}.
 */
export function checkPrices(
  manifest: AgentManifest,
  agents: ReadonlyMap<string, AgentDefinition>,
  choicesOf: (agent: AgentDefinition) => readonly { model: string }[],
  prices: Prices,
): void {
  const { name, budget } = manifest;
  if (budget?.cost === undefined) return;
  const asked = new Map<string, readonly { model: string }[]>([[name, modelsOf(manifest)]]);
  // The loop also visits agents that are added meanwhile.
  for (const agent of asked.keys()) {
    for (const below of subAgentsOf(agents.get(agent), agents)) {
      if (!asked.has(below.name)) asked.set(below.name, choicesOf(below));
    }
  }
  const without = [...asked]
    .flatMap(([agent, list]) => list.map(({ model }): [string, string] => [agent, model]))
    .filter(([, of]) => priceOf(prices, of) === undefined);
  const [first] = without;
  if (first === undefined) return;
  const priceless = without.map(([agent, of]) => (agent === name ? `"${of}"` : `"${of}" (agent "${agent}")`));
  throw new ConfigError(
    `Agent "${name}" has a budget of cost, but there is no price of ${priceless.join(', ')}. Add to defineConfig: prices: { '${first[1]}': { input, output } }, in US dollars per million tokens; 0 for a model that costs nothing.`,
  );
}

function subAgentsOf(
  agent: AgentDefinition | undefined,
  agents: ReadonlyMap<string, AgentDefinition>,
): AgentDefinition[] {
  if (agent === undefined) return [];
  const asTools = (agent.tools ?? []).flatMap(({ remote }) => (remote?.type === 'agent' ? remote.agent : []));
  return [...asTools, ...handoffsOf(agent)].flatMap((name) => agents.get(name) ?? []);
}
