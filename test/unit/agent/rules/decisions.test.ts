import { describe, expect, test } from 'vitest';
import { type DecisionName, type OperatorDecision, effectOf } from '../../../../agent/rules/decisions.ts';
import { type GateCall, chooseCall } from '../../../../agent/rules/gate.ts';
import { asDecision } from '../../../../history/read/records.ts';
import { gateCall, outcomeOf } from '../../../support/gate-call.ts';

const running = gateCall('3.1');
const failed = gateCall('3.2', 'failed', { waitNumber: 1 });
const deferred = gateCall('3.2', 'deferred', { token: 'given' });
const other = gateCall('1/3.3', 'failed');
const model = gateCall('4', 'failed', {
  state: { kind: 'model', waiting: 'failed' },
  inputSchema: undefined,
});
const properties = { customer: { type: 'string' }, amount: { type: 'number' } };
const inputSchema = { type: 'object', properties, required: ['customer', 'amount'] };
const invoice = gateCall('5.1', 'failed', { inputSchema });
const parent = gateCall('6.1', undefined, { waitingWithin: ['6.1/2.1'] });

describe('a decision', () => {
  test.each<[type: DecisionName, data: unknown, decision: OperatorDecision]>([
    ['retry', undefined, { type: 'retry' }],
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

  test('by the token of the call is shown without it', () => {
    const sent = { output: 'x', token: 'given' };
    const decision = { type: 'resolve', output: 'x' };
    expect(chooseCall([deferred], 'resolve', sent)).toEqual({ call: deferred, decision });
    const receipt = { call: '3.2', n: 0, decision: 'resolve' };
    expect(asDecision(receipt, sent)).toEqual({ call: '3.2', decision, isKept: false });
  });

  test('by a token that the call has not given out yet is kept with it', () => {
    const sent = { output: 'x', token: 'early' };
    const receipt = { call: '3.1', n: 0, decision: 'resolve', kept: true };
    const decision = { type: 'resolve', ...sent };
    expect(asDecision(receipt, sent)).toEqual({ call: '3.1', decision, isKept: true });
  });

  test.each([undefined, '3.1', { call: '3.1', reason: 'slow' }])(
    'cancelCall with %j is for the one that runs',
    (data) => {
      const reason = typeof data === 'object' ? { reason: 'slow' } : {};
      const chosen = chooseCall([running, failed], 'cancelCall', data);
      expect(chosen).toEqual({ call: running, decision: { type: 'cancelCall', ...reason } });
    },
  );

  test('names one of several calls, also of a later agent in the workflow', () => {
    const open = [running, failed, other];
    expect(chooseCall(open, 'skip', '1/3.3').call).toBe(other);
    expect(chooseCall(open, 'skip', { call: '3.2' }).call).toBe(failed);
  });
  const fields = 'call, wait, input, output, reason, remember, token';
  const taken = 'Decisions that take it:';
  const below = '6.1/2.1 waits in the run of a sub-agent. The client and the CLI send it there;';
  const misfitToken = 'this token does not belong to the current wait';
  const unfit = 'this input does not fit';
  const long = '中'.repeat(40_000);
  test.each<[type: DecisionName, message: string, open: GateCall[], data: unknown]>([
    ['retry', 'No call is waiting.', [], undefined],
    ['skip', 'No call is waiting.', [running], undefined],
    ['cancelCall', 'No call is running.', [failed], undefined],
    ['retry', 'say which call. Now waiting: 3.2, 1/3.3.', [failed, other], { input: 'x' }],
    [
      'retry',
      'there is no open call 2.1. Now waiting: 3.2. Other open calls: 3.1 (running).',
      [running, failed],
      '2.1',
    ],
    ['cancelCall', 'there is no open call search. Now running: 3.1.', [running], 'search'],
    ['resolve', 'output is missing. Data: {"output":"…"}.', [failed], '3.2'],
    ['skip', 'data is a call id or an object.', [failed], ['3.2']],
    ['skip', 'data is a call id or an object.', [failed], true],
    ['resolve', `unknown field ouput, id. Known: ${fields}.`, [failed], { ouput: 'x', id: '3.2' }],
    ['skip', 'call is an id such as "3.1".', [failed], { call: ['3.2'] }],
    ['skip', 'wait is a number.', [failed], { wait: '1' }],
    ['resolve', `${misfitToken} of 3.2.`, [deferred], { output: 'x', token: 'stolen' }],
    ['skip', 'reason is a text.', [failed], { reason: 5 }],
    ['retry', `does not take output. ${taken} resolve.`, [failed], { output: 'x' }],
    ['resolve', `does not take input. ${taken} retry, approve.`, [failed], { output: 'x', input: 1 }],
    ['retry', `${unfit} 5.1: amount is missing; it takes customer, amount.`, [invoice], { input: '{' }],
    [
      'retry',
      `${unfit} 5.1: customer has to be a string.`,
      [invoice],
      { input: { customer: [], amount: 5 } },
    ],
    ['retry', `${unfit} 3.2: the tool takes one string.`, [failed], { input: null }],
    ['retry', `${unfit} 4: a model call takes no input.`, [model], { input: 'x' }],
    ['retry', `${below} in the Web UI, open the child workflow.`, [parent], '6.1/2.1'],
    ['resolve', 'the data is larger than 100000 bytes. Shorten it.', [failed], { output: long }],
  ])('is refused, with what would fit: %s: %s', (type, message, open, data) => {
    expect(() => chooseCall(open, type, data)).toThrow(new Error(`${type}: ${message}`));
  });

  test.each<unknown>([{ customer: 'A', amount: '5' }, '{"customer":"A","amount":5}'])(
    'lets the input %j through',
    (input) => {
      expect(chooseCall([invoice], 'retry', { input }).decision).toEqual({ type: 'retry', input });
    },
  );
});

describe('every decision', () => {
  test('says what it does to its call', () => {
    const error = { type: 'Error', message: 'oops' };
    const skipped = 'This tool call was skipped by the operator: why not';
    const cancelled = 'This tool call was cancelled before it ended; there is no result.';
    const rejected = 'This tool call was not approved by the operator and was not run: no';
    const aborted = 'Aborted by the operator: Enough. The call had failed: oops';
    expect(effectOf({ type: 'retry', input: 'x' })).toEqual({ type: 'again', input: 'x' });
    expect(effectOf({ type: 'resolve', output: 5 })).toEqual({ type: 'end', observation: 5, fromTool: true });
    expect(effectOf({ type: 'skip', reason: 'why not' })).toMatchObject({
      observation: skipped,
      fromTool: false,
    });
    expect(effectOf({ type: 'cancelCall' })).toEqual({ type: 'cancel', observation: cancelled });
    expect(effectOf({ type: 'abort', reason: 'Enough.' }, error)).toMatchObject({
      error: { message: aborted },
    });
    expect(effectOf({ type: 'approve', remember: 'tool' })).toMatchObject({
      type: 'again',
      remember: 'tool',
    });
    expect(effectOf({ type: 'reject', reason: 'no' })).toMatchObject({
      observation: rejected,
      fromTool: false,
    });
  });
});

test('a refusal can be recorded whatever was sent: half a character would end the worker', () => {
  const odd = 'run-\ud83d';
  for (const data of [odd, { call: odd }, { [odd]: 1 }]) {
    const message = String(outcomeOf(() => chooseCall([failed], 'retry', data)));
    expect(message).toBe(message.toWellFormed());
    expect(message).toMatch(/^retry: /u);
  }
  const huge = String(outcomeOf(() => chooseCall([failed], 'retry', 'x'.repeat(100_000))));
  expect(huge.length).toBeLessThan(5_000);
});
