import { describe, expect, test } from 'vitest';
import { limits } from '../../../agent/values/limits.ts';
import { utf8Length } from '../../../agent/values/digest.ts';
import {
  type WaitingCall,
  RunView,
  clientResult,
  isRecorded,
  isSubAgent,
  possibleRaise,
} from '../../../client/index.ts';

/** Functions of `reloop/client` for a program that shows runs. */

const wait: WaitingCall = { call: '3', n: 0, tool: 'callModel', toolInput: null, reason: 'limit' };
const reached = (type: string) => ({ ...wait, error: { type, message: 'A limit is reached.' } });

describe('the raise that ends a wait', () => {
  test.each([
    ['iterations', reached('MaxIterations'), { limit: 'iterations', by: '5' }],
    ['time', reached('MaxExecutionTime'), { limit: 'time', by: '10m' }],
    ['tokens', reached('TokenBudget'), { limit: 'tokens', by: '10000' }],
    ['cost', reached('CostBudget'), { limit: 'cost', by: '0.5' }],
  ])('is one of %s', (_limit, waiting, raise) => {
    expect(possibleRaise(waiting)).toEqual(raise);
  });

  test.each([
    ['of a failed call', { ...wait, reason: 'failed' as const }],
    ['of a sub-agent at its limit, whose own run is extended', { ...wait, call: '3.1/2' }],
  ])('is not there for a wait %s', (_what, waiting) => {
    expect(possibleRaise(waiting)).toBeUndefined();
  });
});

describe('the result of a call that a client has carried out', () => {
  test('is its output as JSON', () => {
    expect(clientResult('get_place', { output: { city: 'Oslo' } })).toEqual({ city: 'Oslo' });
    expect(clientResult('get_place', { output: undefined })).toBeNull();
  });

  test('tells the model that the tool failed', () => {
    expect(clientResult('get_place', { error: 'no GPS' })).toBe('The tool get_place failed: no GPS');
  });

  test('is cut to what a decision can have', () => {
    const cut = clientResult('get_place', { output: 'é'.repeat(limits.decisionBytes) });
    expect(utf8Length(JSON.stringify({ type: 'resolve', output: cut }))).toBeLessThan(limits.decisionBytes);
    expect(cut).toMatch(/^é+/u);
  });
});

test('a view takes live events and passes them over', () => {
  const view = new RunView('run-1');
  view.add({ type: 'caught_up', at: 1 });
  expect([view.isCaughtUp, view.status, isRecorded({ type: 'caught_up', at: 1 })]).toEqual([
    true,
    'running',
    false,
  ]);
});

test('the run of a sub-agent is named like its parent, and that of a session is not', () => {
  expect(isSubAgent({ id: 'run-1/1.1', parent: 'run-1' })).toBe(true);
  expect(isSubAgent({ id: 'run-1', parent: 'session:ann' })).toBe(false);
});
