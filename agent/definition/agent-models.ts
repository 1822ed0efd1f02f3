import type { AgentManifest, Fallback } from './manifest.ts';

/** One of an agent's models. */
export type AgentModel = Pick<Fallback, 'adapter' | 'model' | 'price'>;

/** The models of an agent, in the order in which they are asked. */
export function modelsOf({
  adapter,
  model,
  price,
  fallbacks = [],
}: Pick<AgentManifest, 'adapter' | 'model' | 'price' | 'fallbacks'>): [AgentModel, ...Fallback[]] {
  return [{ adapter, model, price }, ...fallbacks];
}

/** Name of a model for people: with its adapter, where the config gives the model another name. */
export function modelWords({ adapter, model }: AgentModel): string {
  return adapter === model || adapter === 'openai' || adapter.startsWith('agent:')
    ? model
    : `${adapter} (${model})`;
}
