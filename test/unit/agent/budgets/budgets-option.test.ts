import { describe, expect, test } from 'vitest';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { agent, problemOf } from '../../../support/config.ts';

const one = { name: 'b', per: 'day', totalTokens: 1 };
const withBudgets = (...budgets: object[]) => ({ agents: [agent()], budgets });

describe('budgets are refused', () => {
  test.each<[message: string, budgets: object[]]>([
    ['budgets.0: unknown option totalToken (did you mean totalTokens?)', [{ ...one, totalToken: 1 }]],
    ['budgets.0: has neither cost, nor totalTokens, nor runs.', [{ name: 'b', per: 'day' }]],
    ['budgets.0.name: is not a name of letters, digits, - and _.', [{ ...one, name: 'a/b' }]],
    ['budgets.0.totalTokens: is not a whole number from 1.', [{ ...one, totalTokens: 0 }]],
    ['budgets.0.cost: is not an amount of US dollars above 0.', [{ ...one, cost: 0 }]],
    ['budgets.0.warnAt: is not a share from 0 to 1.', [{ ...one, warnAt: 80 }]],
    ["budgets.0: has `only`, which takes of: 'agent' or of: 'tenant'.", [{ ...one, only: 'x' }]],
    ['budgets: two budgets have one name.', [one, one]],
    [
      'budgets: "b" is of the agent "x", which is not in the config. It has: ',
      [{ ...one, of: 'agent', only: 'x' }],
    ],
    ['The budget "b" counts dollars, but there is no price of ', [{ ...one, cost: 1 }]],
  ])('%s', (message, budgets) => {
    expect(problemOf(withBudgets(...budgets))).toContain(message);
  });
});

test('a run is counted in each budget that is about it, and only such a run may be held back', () => {
  const day = { per: 'day', totalTokens: 1 } as const;
  const { budgetsOf, manifest } = createLoadedConfig({
    agents: [
      { name: 'one', model: 'gpt-4o-mini' },
      { name: 'two', model: 'gpt-4o-mini' },
    ],
    budgets: [
      { ...day, name: 'one', of: 'agent', only: 'one' },
      { ...day, name: 'acme', of: 'tenant', only: 'acme' },
    ],
  });
  const namesOf = (name: string, tenant?: string) => {
    const found = manifest(name, { tenant });
    return [found?.holdsBack, found && budgetsOf?.(found).map(({ rule, key }) => [rule.name, key])];
  };
  expect(namesOf('one')).toEqual([true, [['one', 'one']]]);
  expect(namesOf('two', 'acme')).toEqual([true, [['acme', 'acme']]]);
  expect(namesOf('two')).toEqual([undefined, []]);
});
