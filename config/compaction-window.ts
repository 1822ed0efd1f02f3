import { modelsOf } from '../agent/definition/agent-models.ts';
import type { AgentManifest, CompactionManifest } from '../agent/definition/manifest.ts';
import type { Model } from '../adapters/models/model.ts';
import { ConfigError } from './define.ts';
import type { CompleteAgent } from './options/agent-options.ts';

/**
 * The option with the window of the agent's models: the option's own, or the smallest one that these models state. Throws
 * ConfigError if no window is known.
 */
export function compactionOf(
  given: NonNullable<CompleteAgent['compaction']>,
  manifest: AgentManifest,
  models: ReadonlyMap<string, Model>,
): CompactionManifest {
  const stated = modelsOf(manifest).map(({ adapter }) => models.get(adapter)?.window);
  const window = given.window ?? Math.min(...stated.map((tokens) => tokens ?? Number.NaN));
  const where = `Agent "${manifest.name}": compaction`;
  if (Number.isNaN(window)) {
    throw new ConfigError(
      `${where} needs the context window of ${manifest.model}. Write compaction: { window: 128_000 } with its number of tokens, or window beside the model's call.`,
    );
  }
  if (manifest.trimIntermediateSteps > 0) {
    throw new ConfigError(
      `${where} and trimIntermediateSteps both take old steps away. Leave trimIntermediateSteps out.`,
    );
  }
  return { ...given, window };
}
