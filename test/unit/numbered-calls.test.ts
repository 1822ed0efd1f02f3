import { expect, test } from 'vitest';
import { type GateCall, chooseCall } from '../../agent/rules/gate.ts';

const call = (id: string, waiting: GateCall['state']['waiting'] = 'failed'): GateCall => ({
  id,
  waitNumber: 0,
  state: { kind: 'tool', waiting },
  inputSchema: null,
  waitingWithin: [],
});

// The Web UI's form makes the number 1.1 of an unquoted 1.10.
test.each<[what: string, other: GateCall, data: unknown]>([
  ['both wait', call('1.1'), 1.1],
  ['one runs', call('1.1', undefined), 1.1],
  ['it is a field', call('1.1'), { call: 1.1 }],
])('a number that two calls have is refused where %s', (_, other, data) => {
  expect(() => chooseCall([other, call('1.10')], 'skip', data)).toThrow(
    'skip: the number 1.1 may be call 1.1 or 1.10. Put quotes around the id that you mean, as in "1.10".',
  );
});

test.each([1.1, '1.1', { call: 1.1 }])('a call that is alone is meant by %j', (data) => {
  expect(chooseCall([call('1.1'), call('2.1')], 'skip', data).call.id).toBe('1.1');
});

test('with quotes a call is itself', () => {
  expect(chooseCall([call('1.1'), call('1.10')], 'skip', '1.10').call.id).toBe('1.10');
});
