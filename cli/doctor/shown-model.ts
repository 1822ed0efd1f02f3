import { modelsOf } from '../../agent/definition/agent-models.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';

/** Names of an agent's models in lists: a model in the definition has only the agent's name, so its label comes first. */
export function shownModel({ manifest, models }: LoadedConfig, agent: string): string {
  const asked = manifest(agent, {});
  if (asked === undefined) return '?';
  return modelsOf(asked)
    .map(({ adapter, model }) => {
      const label = models.get(adapter)?.label;
      if (label === undefined) return model;
      return adapter.startsWith('agent:') ? label : `${model} (${label})`;
    })
    .join(', then ');
}

/** True if one of its models is a scripted one: a probe would use up an entry of the script. */
export function isScripted({ manifest, models }: LoadedConfig, agent: string): boolean {
  const asked = manifest(agent, {});
  return (
    asked !== undefined && modelsOf(asked).some(({ adapter }) => models.get(adapter)?.label === 'scripted')
  );
}
