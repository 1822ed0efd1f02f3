import { z } from 'zod/v4';
import { modelsOf } from '../../agent/definition/agent-models.ts';
import type { AgentManifest, CompactionManifest } from '../../agent/definition/manifest.ts';
import type { Model } from '../../models/model.ts';
import { ConfigError } from '../define.ts';
import { options } from './options.ts';

/** The option `compaction` of an agent. */
export const compactionOption = options({
  window: z.int().positive().optional(),
  at: z.number().positive('has to be above 0').max(1, 'is a share of the window: at most 1').default(0.8),
  keep: z.int().positive('has to be 1 or more: the model has not seen the last turn').default(6),
});

/**
 * The option with the window of the agent's models: the option's own, or the smallest one that these models state. Throws
 * ConfigError if no window is known.
 */
export function compactionOf(
  given: z.output<typeof compactionOption>,
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
