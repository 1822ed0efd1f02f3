import { expect, test } from 'vitest';
import { nextCall } from '../../../../agent/run/call-next.ts';
import type { CallFact } from '../../../../agent/run/call-state.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { callOf, plain, succeeded } from '../../../support/call-facts.ts';

const usage = { ...noUsage, modelCalls: 2 };
const scheduled: CallFact = { type: 'scheduled', n: 0 };

test.each<[string, CallFact[], object | undefined]>([
  ['counts while the sub-agent runs', [scheduled], usage],
  // Temporal's reset repeats signals that came later.
  ['does not count before the sub-agent has begun', [], undefined],
  [
    'does not count after the end of the call',
    [scheduled, succeeded({ output: 'done', attempt: 1 })],
    undefined,
  ],
])('the usage of a cancelled sub-agent %s', (_, facts, used) => {
  const call = facts.reduce((before, fact) => nextCall(before, fact).call, callOf(plain));
  expect(nextCall(call, { type: 'child_used', usage }).used).toEqual(used);
});
