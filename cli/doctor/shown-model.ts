import type { LoadedConfig } from '../../config/load/loaded-config.ts';

/** Name of an agent's model in lists: a model in the definition has only the agent's name, so its label comes first. */
export function shownModel({ manifest, models }: LoadedConfig, agent: string): string {
  const { adapter = '', model = '?' } = manifest(agent, {}) ?? {};
  const label = models.get(adapter)?.label;
  if (label === undefined) return model;
  return adapter === `agent:${agent}` ? label : `${model} (${label})`;
}

/** True for a scripted model: a probe would use up an entry of the script. */
export function isScripted({ manifest, models }: LoadedConfig, agent: string): boolean {
  return models.get(manifest(agent, {})?.adapter ?? '')?.label === 'scripted';
}
