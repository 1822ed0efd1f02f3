import { describe, expect, test } from 'vitest';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { defineModel } from '../../../../adapters/models/model.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import { agent, problemOf } from '../../../support/config.ts';

const withLimits = (limits: unknown, more: object = {}) => ({ agents: [agent()], limits, ...more });
const model = defineModel({ call: () => Promise.reject(new Error('never asked')) });

describe('limits of models are refused', () => {
  test.each<[message: string, limits: object]>([
    ['limits.m: unknown option rmp (known: rpm, tpm, concurrency)', { m: { rmp: 1 } }],
    ['limits.m: has none of rpm, tpm, concurrency.', { m: {} }],
    ['limits.m.rpm: is not a whole number from 1.', { m: { rpm: 0 } }],
    ['limits.m.tpm: is not a whole number from 1.', { m: { tpm: 1.5 } }],
    ['limits.m.concurrency: is not a whole number from 1 to 100000.', { m: { concurrency: '5' } }],
    [
      'limits: no agent has the model "x", and it is not in the config\'s models. Known: gpt-4o-mini.',
      { x: { rpm: 1 } },
    ],
  ])('%s', (message, limits) => {
    expect(problemOf(withLimits(limits))).toContain(message);
  });
});

test('limits are found by the name in the config, else by the name that is sent, and runs record that their calls may be held back', () => {
  const { limitsOf, manifest } = createLoadedConfig({
    agents: [
      { name: 'own', model: 'azure' },
      { name: 'sent', model: openai('gpt-x') },
      { name: 'later', model: [model, 'azure'] },
      { name: 'free', model },
    ],
    models: { azure: openai('gpt-x') },
    limits: { azure: { rpm: 1 }, 'gpt-x': { rpm: 2 } },
  });
  const rpmOf = (name: string) => {
    const found = manifest(name, {});
    return [found?.holdsBack, found && limitsOf?.(found)];
  };
  expect(rpmOf('own')).toEqual([true, { name: 'azure', limits: { rpm: 1 } }]);
  expect(rpmOf('sent')).toEqual([true, { name: 'gpt-x', limits: { rpm: 2 } }]);
  expect(rpmOf('later')).toEqual([true, undefined]);
  expect(rpmOf('free')).toEqual([undefined, undefined]);
});

test('a config without limits has none', () => {
  const { limitsOf, manifest } = createLoadedConfig({ agents: [{ name: 'free', model }] });
  expect(limitsOf).toBeUndefined();
  expect(manifest('free', {})).not.toHaveProperty('holdsBack');
});
