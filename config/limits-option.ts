import { z } from 'zod/v4';
import type { AgentModel } from '../agent/definition/agent-models.ts';
import type { ModelLimits } from '../agent/model-limits/lease-request.ts';
import type { Model } from '../adapters/models/model.ts';
import { type ConfigDefinition, ConfigError } from './define.ts';
import { concurrencySchema } from './options/concurrency-option.ts';
import { options } from './options/options.ts';
import { ownName } from './options/prices.ts';

const WHOLE = 'is not a whole number from 1';
const whole = z.int(WHOLE).positive(WHOLE);

const limitsShape = {
  rpm: whole,
  tpm: whole,
  concurrency: concurrencySchema,
} satisfies Record<keyof ModelLimits, z.ZodType>;

export const limitsSchema = z.record(
  z.string().min(1),
  options(limitsShape)
    .partial()
    .refine(
      (given) => Object.values(given).some((limit) => limit !== undefined),
      'has none of rpm, tpm, concurrency',
    ),
);

/**
 * Finds the limits of a model by its name in the config's `models`, or by the name that is sent. Throws {@link ConfigError}
 * for limits of a model that no agent asks. `models`: names in the config, of agents' models too.
 */
export function createLimitsOf(
  limits: ConfigDefinition['limits'] = {},
  named: ReadonlySet<string>,
  models: ReadonlyMap<string, Model>,
) {
  const known = new Set([...named].flatMap((name) => [name, ownName(name, models)]));
  const unknown = Object.keys(limits).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `limits: no agent has the model "${unknown}", and it is not in the config's models. Known: ${[...known].join(', ')}.`,
    );
  }
  return ({ adapter, model }: AgentModel) => {
    const name = [adapter, model].find((one) => Object.hasOwn(limits, one));
    const found = name === undefined ? undefined : limits[name];
    return name === undefined || found === undefined ? undefined : { name, limits: found };
  };
}
