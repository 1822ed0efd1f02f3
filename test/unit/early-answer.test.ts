import { describe, expect, test } from 'vitest';
import type { DecisionName, OperatorDecision } from '../../agent/rules/decisions.ts';
import { type GateCall, chooseEarlyAnswer } from '../../agent/rules/gate.ts';

const running: GateCall = {
  id: '3.1',
  waitNumber: 0,
  state: { kind: 'tool', waiting: undefined },
  inputSchema: null,
  waitingWithin: [],
};
const failed: GateCall = { ...running, id: '3.2', state: { kind: 'tool', waiting: 'failed' } };

describe('an answer by token to a call that still runs', () => {
  const answer = { call: '3.1', output: 'done', token: 't' };
  const decision: OperatorDecision = { type: 'resolve', output: 'done', token: 't' };

  test('is kept', () => {
    expect(chooseEarlyAnswer([running, failed], 'resolve', answer)).toEqual({ call: running, decision });
  });

  test.each<[why: string, type: DecisionName, data: unknown]>([
    ['it has no token', 'resolve', { call: '3.1', output: 'done' }],
    ['it names no call', 'resolve', { output: 'done', token: 't' }],
    ['the call waits', 'resolve', { ...answer, call: '3.2' }],
    ['there is no such call', 'resolve', { ...answer, call: '7.1' }],
    ['it is another decision', 'cancelCall', '3.1'],
  ])('is none where %s', (_why, type, data) => {
    expect(chooseEarlyAnswer([running, failed], type, data)).toBeUndefined();
  });

  test('is refused without an output, and where the call keeps four', () => {
    expect(() => chooseEarlyAnswer([running], 'resolve', { ...answer, output: undefined })).toThrow(
      'output is missing',
    );
    const full = { ...running, earlyAnswers: [decision, decision, decision, decision] };
    expect(() => chooseEarlyAnswer([full], 'resolve', answer)).toThrow(
      '3.1 still runs and keeps 4 answers. Try again when it waits.',
    );
  });
});
