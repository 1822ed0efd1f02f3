import { expect, test } from 'vitest';
import type { WaitingCall } from '../../agent/events.ts';
import { attemptText, decisionText, waitingText } from '../../cli/print/trace-words.ts';

const error = { type: 'ModelServerError', message: 'over-\nloaded' };

test.each([
  ['when the next attempt comes', 40_000, '; trying again in 40.0 s'],
  ['nothing of the time until one that is due', 300, '; trying again'],
  ['nothing of the time until one that runs', undefined, '; trying again'],
])('a failed attempt says %s', (_what, retryInMs, end) => {
  const failed = { type: 'attempt_failed', at: 0, call: '1.1', attempt: 2, error, retryInMs } as const;
  expect(attemptText(failed)).toBe(`attempt 2 failed: ModelServerError: over- loaded${end}`);
});

test.each<[call: string, tool: string, whyShown: boolean, text: string]>([
  ['3', 'callModel', true, 'Waiting for you: the model of step 3 failed'],
  [
    '1.1/3',
    'callModel',
    false,
    'Waiting for you: the model of step 1.1/3 failed: ModelServerError: over- loaded',
  ],
  ['1/3', 'callModel', true, 'Waiting for you: the model of step 1/3 failed'],
  ['3.1', 'search', true, 'Waiting for you: search (3.1) failed'],
  ['1.1/3.1', 'search', false, 'Waiting for you: search (1.1/3.1) failed: ModelServerError: over- loaded'],
])('the call %s that waits is named as what it is', (call, tool, whyShown, text) => {
  const waiting: WaitingCall = { call, n: 0, tool, toolInput: null, reason: 'failed', error };
  expect(waitingText(waiting, whyShown)).toBe(text);
});

test('a decision is named, with its reason where it has one', () => {
  expect(decisionText({ type: 'retry', input: 'x' })).toBe('retry');
  expect(decisionText({ type: 'cancelCall', reason: 'too\nslow' })).toBe('cancel the call (too slow)');
  expect(decisionText({ type: 'abort' })).toBe('abort');
});
