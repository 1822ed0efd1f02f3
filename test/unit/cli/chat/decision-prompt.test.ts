import { describe, expect, test } from 'vitest';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import { readDecision } from '../../../../cli/chat/decision-prompt.ts';

const plain: WaitingCall = { call: '1.1', n: 0, tool: 'pay', toolInput: 'x', reason: 'failed' };
const call = (fields: Partial<WaitingCall>): WaitingCall => ({ ...plain, ...fields });
const failed = call({});
const approval = call({ call: '1.2', reason: 'approval' });
const deferred = call({ reason: 'deferred' });
const limit = (type: string) => call({ call: '3', reason: 'limit', error: { type, message: '' } });

describe('a line typed about a call that waits', () => {
  test.each([
    [failed, 'retry', { type: 'retry' }],
    [failed, '/retry {"n":5}', { type: 'retry', input: { n: 5 } }],
    [failed, 'res all is well', { type: 'resolve', output: 'all is well' }],
    [failed, 'skip too slow', { type: 'skip', reason: 'too slow' }],
    [approval, 'y', { type: 'approve' }],
    [approval, 'approve remember input', { type: 'approve', remember: 'input' }],
    [approval, 'no, thanks', undefined],
    [approval, 'n too much', { type: 'reject', reason: 'too much' }],
    [call({ reason: 'answer' }), 'skip it', { type: 'resolve', output: 'skip it' }],
    [deferred, 'abort is a word', { type: 'resolve', output: 'abort is a word' }],
    [deferred, '/abort enough', { type: 'abort', reason: 'enough' }],
    [limit('MaxIterations'), 'stop', { type: 'stop' }],
    [call({ call: '3' }), 'retry', { type: 'retry' }],
  ])('%# becomes the decision that it means', (waiting, typed, decision) => {
    const read = readDecision(typed, waiting, [waiting]);
    expect(read.type === 'decide' ? read.decision : undefined).toEqual(decision);
  });

  test('may name another call that waits', () => {
    const read = readDecision('approve 1.2 5', failed, [failed, approval]);
    const decision = { type: 'approve', input: '5' };
    expect(read).toMatchObject({ type: 'decide', waiting: approval, decision });
  });

  const raises: [string, string, object][] = [
    ['MaxIterations', 'extend', { iterations: 5 }],
    ['MaxExecutionTime', 'ext 1h', { time: '1h' }],
    ['TokenBudget', 'extend 500', { tokens: 500 }],
    ['CostBudget', 'extend', { cost: 0.5 }],
  ];
  test.each(raises)('raises the limit %s that the run has come to: %s', (type, typed, by) => {
    expect(readDecision(typed, limit(type), [])).toMatchObject({ type: 'extend', by });
  });

  const AS_RESULT = 'As the result: resolve 900 euros';
  test.each([
    [approval, 'a', '"a" may be approve or abort. Type approve, reject, resolve or abort.'],
    [failed, 'approve', '"approve" does not fit. Type retry, resolve, skip or abort.'],
    [failed, '900 euros', `"900" does not fit. Type retry, resolve, skip or abort. ${AS_RESULT}`],
    [failed, 'resolve', 'Type the result after it: resolve …'],
  ])('%# is answered with what would fit', (waiting, typed, line) => {
    expect(readDecision(typed, waiting, [waiting])).toEqual({ type: 'problem', line });
  });
});
