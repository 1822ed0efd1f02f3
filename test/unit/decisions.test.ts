import { describe, expect, test } from 'vitest';
import {
  type CallState,
  type DecisionName,
  type OperatorDecision,
  decisionFits,
  decisionNames,
  effectOf,
  helpOf,
  ruleOf,
} from '../../agent/rules/decisions.ts';
import { type GateCall, chooseCall } from '../../agent/rules/gate.ts';
import { waitingReasons } from '../../agent/rules/wait-reasons.ts';

const running: GateCall = { ...waiting('3.1', 0), state: { kind: 'tool', waiting: undefined } };
const failed = waiting('3.2', 1);
const other = waiting('1/3.3', 0);
const model: GateCall = {
  ...waiting('4', 0),
  state: { kind: 'model', waiting: 'failed' },
  inputSchema: undefined,
};
const invoice: GateCall = {
  ...waiting('5.1', 0),
  inputSchema: {
    type: 'object',
    properties: { customer: { type: 'string' }, amount: { type: 'number' } },
    required: ['customer', 'amount'],
  },
};
const parent: GateCall = { ...running, id: '6.1', waitingWithin: ['6.1/2.1'] };

describe('a decision', () => {
  test.each<[type: DecisionName, data: unknown, decision: OperatorDecision]>([
    ['retry', undefined, { type: 'retry' }],
    ['retry', null, { type: 'retry' }],
    ['retry', '', { type: 'retry' }],
    ['retry', {}, { type: 'retry' }],
    ['retry', '3.2', { type: 'retry' }],
    ['retry', 3.2, { type: 'retry' }],
    ['retry', { call: '3.2' }, { type: 'retry' }],
    ['retry', { call: 3.2 }, { type: 'retry' }],
    ['retry', { wait: 1 }, { type: 'retry' }],
    ['retry', { input: 'other' }, { type: 'retry', input: 'other' }],
    ['retry', { input: { city: 'Rome' } }, { type: 'retry', input: { city: 'Rome' } }],
    ['retry', { input: '' }, { type: 'retry', input: '' }],
    ['resolve', { output: '55' }, { type: 'resolve', output: '55' }],
    ['resolve', { call: '3.2', output: [55] }, { type: 'resolve', output: [55] }],
    ['resolve', { output: '' }, { type: 'resolve', output: '' }],
    ['resolve', { output: null }, { type: 'resolve', output: null }],
    ['skip', undefined, { type: 'skip' }],
    ['skip', { reason: 'too slow' }, { type: 'skip', reason: 'too slow' }],
    ['abort', undefined, { type: 'abort' }],
    ['abort', { reason: 'wrong question' }, { type: 'abort', reason: 'wrong question' }],
  ])('%s with %j is for the one call that waits', (type, data, decision) => {
    expect(chooseCall([running, failed], type, data)).toEqual({ call: failed, decision });
  });

  test.each<[data: unknown, decision: OperatorDecision]>([
    [undefined, { type: 'cancelCall' }],
    ['3.1', { type: 'cancelCall' }],
    [
      { call: '3.1', reason: 'too slow' },
      { type: 'cancelCall', reason: 'too slow' },
    ],
  ])('cancelCall with %j is for the one call that runs', (data, decision) => {
    expect(chooseCall([running, failed], 'cancelCall', data)).toEqual({ call: running, decision });
  });

  test('names one of several calls, also of a later agent in the workflow', () => {
    const open = [running, failed, other];
    expect(chooseCall(open, 'skip', '1/3.3').call).toBe(other);
    expect(chooseCall(open, 'skip', { call: '3.2' }).call).toBe(failed);
  });
});

describe('a decision', () => {
  test.each<[type: DecisionName, message: string, open: GateCall[], data: unknown]>([
    ['retry', 'No call is waiting.', [], undefined],
    ['skip', 'No call is waiting.', [running], undefined],
    ['cancelCall', 'No call is running.', [failed], undefined],
    ['retry', 'say which call. Now waiting: 3.2, 1/3.3.', [failed, other], { input: 'x' }],
    ['retry', 'there is no open call 2.1. Now waiting: 3.2.', [running, failed], '2.1'],
    ['cancelCall', 'there is no open call search. Now running: 3.1.', [running], 'search'],
    ['resolve', 'output is missing. Data: {"output":"…"}.', [failed], '3.2'],
    ['skip', 'data is a call id or an object.', [failed], ['3.2']],
    ['skip', 'data is a call id or an object.', [failed], true],
    [
      'resolve',
      'unknown field ouput, id. Known: call, wait, input, output, reason, remember, token.',
      [failed],
      { ouput: 'x', id: '3.2' },
    ],
    ['skip', 'call is an id such as "3.1".', [failed], { call: ['3.2'] }],
    ['skip', 'wait is a number.', [failed], { wait: '1' }],
    [
      'resolve',
      'this token does not belong to the current wait of 3.2.',
      [{ ...failed, token: 'given' }],
      { output: 'x', token: 'stolen' },
    ],
    ['skip', 'reason is a text.', [failed], { reason: 5 }],
    ['retry', 'does not take output. Decisions that take it: resolve.', [failed], { output: 'x' }],
    ['skip', 'does not take output. Decisions that take it: resolve.', [failed], { output: 'x' }],
    [
      'resolve',
      'does not take input. Decisions that take it: retry, approve.',
      [failed],
      { output: 'x', input: 'y' },
    ],
    [
      'retry',
      'this input does not fit 5.1: amount is missing; it takes customer, amount.',
      [invoice],
      { input: 'not json' },
    ],
    [
      'retry',
      'this input does not fit 5.1: customer has to be a string.',
      [invoice],
      { input: { customer: ['A'], amount: 5 } },
    ],
    ['retry', 'this input does not fit 3.2: the tool takes one string.', [failed], { input: null }],
    ['retry', 'this input does not fit 4: a model call takes no input.', [model], { input: 'x' }],
    [
      'retry',
      '6.1/2.1 waits in the run of a sub-agent. The client and the CLI send it there; in the Web UI, open the child workflow.',
      [parent],
      '6.1/2.1',
    ],
    [
      'resolve',
      'the data is larger than 100000 bytes. Shorten it.',
      [failed],
      { output: '中'.repeat(40_000) },
    ],
  ])('is refused, with what would fit: %s: %s', (type, message, open, data) => {
    expect(() => chooseCall(open, type, data)).toThrow(new Error(`${type}: ${message}`));
  });
});

describe('an input that a tool may take', () => {
  test.each<unknown>([
    { customer: 'A', amount: 5 },
    { customer: 'A', amount: '5' },
    '{"customer":"A","amount":5}',
  ])('%j is let through', (input) => {
    expect(chooseCall([invoice], 'retry', { input }).decision).toEqual({ type: 'retry', input });
  });
});

const states: CallState[] = (['tool', 'model'] as const).flatMap((kind) =>
  [undefined, ...waitingReasons].map((waiting) => ({ kind, waiting })),
);
states.push({ kind: 'tool', waiting: 'doubt', until: 1 });

describe('every decision', () => {
  test.each(decisionNames)('%s has a help text and some state that it fits', (name) => {
    const { does, data } = ruleOf(name);
    expect(helpOf(name)).toContain(`${does}. Data: ${data}. If several calls fit: `);
    expect(does).not.toBe('');
    expect(states.some((state) => decisionFits(name, state))).toBe(true);
  });

  test('says what it does to its call', () => {
    const error = { type: 'Error', message: 'oops' };
    const made: OperatorDecision[] = [
      { type: 'retry', input: 'x' },
      { type: 'resolve', output: 5 },
      { type: 'skip', reason: 'why not' },
      { type: 'cancelCall' },
      { type: 'abort', reason: 'Enough.' },
      { type: 'approve', remember: 'tool' },
      { type: 'reject', reason: 'no' },
    ];
    expect(made.map((one) => effectOf(one, error))).toEqual([
      { type: 'again', input: 'x' },
      { type: 'end', observation: 5, fromTool: true },
      { type: 'end', observation: 'This tool call was skipped by the operator: why not', fromTool: false },
      { type: 'cancel', observation: 'This tool call was cancelled before it ended; there is no result.' },
      {
        type: 'fail',
        error: { type: 'Aborted', message: 'Aborted by the operator: Enough. The call had failed: oops' },
      },
      { type: 'again', input: undefined, remember: 'tool' },
      {
        type: 'end',
        observation: 'This tool call was not approved by the operator and was not run: no',
        fromTool: false,
      },
    ]);
  });
});

function waiting(id: string, waitNumber: number): GateCall {
  return { id, waitNumber, state: { kind: 'tool', waiting: 'failed' }, inputSchema: null, waitingWithin: [] };
}

test('a refusal can be recorded whatever was sent: half a character would end the worker', () => {
  const odd = 'run-\ud83d';
  for (const data of [odd, { call: odd }, { [odd]: 1 }]) {
    const message = refusalOf(() => chooseCall([failed], 'retry', data));
    expect(message).toBe(message.toWellFormed());
    expect(message).toMatch(/^retry: /u);
  }
  const huge = refusalOf(() => chooseCall([failed], 'retry', 'x'.repeat(100_000)));
  expect(huge.length).toBeLessThan(5_000);
});

function refusalOf(choose: () => unknown): string {
  try {
    choose();
  } catch (error) {
    return (error as Error).message; // thrown by the gate
  }
  throw new Error('It was not refused.');
}
