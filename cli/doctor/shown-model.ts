import type { LoadedConfig } from '../../config/loaded-config.ts';

/** An agent's model as lists name it: one that is given in place has no name but the agent's, so its own word goes first. */
export function shownModel({ manifest, models }: LoadedConfig, agent: string): string {
  const { adapter = '', model = '?' } = manifest(agent, {}) ?? {};
  const label = models.get(adapter)?.label;
  if (label === undefined) return model;
  return adapter === `agent:${agent}` ? label : `${model} (${label})`;
}

/** It says what a script says: there is nobody to ask, and a request might use up an entry. */
export function isScripted({ manifest, models }: LoadedConfig, agent: string): boolean {
  return models.get(manifest(agent, {})?.adapter ?? '')?.label === 'scripted';
}
