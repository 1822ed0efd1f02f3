import { expect, test } from 'vitest';
import { nextCall } from '../../../../agent/run/call-next.ts';
import type { CallFact } from '../../../../agent/run/call-state.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { callOf, cancelled, failed, plain, succeeded } from '../../../support/call-facts.ts';

const task = { task: 't-1' };
const scheduled = (n = 0): CallFact => ({ type: 'scheduled', n });
const stored = (checkpoint: Json = task): CallFact => ({ type: 'checkpoint', n: 0, checkpoint });
const deferred = succeeded({ output: 'ask Bob', kind: 'deferred', token: 't' });

test.each<[state: string, CallFact[], elsewhere: Json | undefined, events: number]>([
  ['is known from its checkpoint', [scheduled(), stored()], task, 1],
  ['is known when the call was cancelled', [scheduled(), stored(), cancelled], task, 1],
  ['is known when the call failed', [scheduled(), stored(), failed()], task, 1],
  ['is known while a person is asked', [scheduled(), stored(), deferred], task, 1],
  ['is over with its result', [scheduled(), stored(), succeeded({ output: 'paid' })], undefined, 1],
  ['is over when the tool says so', [scheduled(), stored(), stored(null)], undefined, 2],
  ['is not that of an earlier schedule', [scheduled(), failed(), scheduled(1), stored()], undefined, 0],
  ['is not that of a call that has ended', [scheduled(), succeeded({ output: '' }), stored()], undefined, 0],
])('work that continues elsewhere %s', (_state, facts, elsewhere, count) => {
  let call = callOf(plain);
  const types = facts.flatMap((fact) => {
    const next = nextCall(call, fact);
    ({ call } = next);
    return next.events.map(({ type }) => type);
  });
  expect(call.elsewhere).toEqual(elsewhere);
  expect(types.filter((type) => type === 'checkpoint')).toHaveLength(count);
});
