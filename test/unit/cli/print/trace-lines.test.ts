import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import { createAttempts, waitingText } from '../../../../cli/print/trace/trace-words.ts';
import { decisionText } from '../../../../features/render/words/run-words.ts';
import { trace } from '../../../support/printed-trace.ts';
import { answers, atSeconds, decides, observes, restarted, started } from '../../../support/run-events.ts';

test('counts the attempts that no event was for', () => {
  const error = { type: 'Error', message: 'overloaded.' };
  const failed = (attempt: number) => ({ type: 'attempt_failed', call: '1.1', attempt, error }) as const;
  const [, , , again] = decides('1', 'search', 'cats');
  if (again === undefined) throw new Error('A tool is started.');
  const events = atSeconds(
    started,
    ...decides('1', 'search', 'cats'),
    failed(2),
    failed(3),
    again,
    failed(1),
  );
  expect(trace(events).match(/^ +attempt.*$/gmu)).toEqual([
    '    attempts 1 to 2 failed: overloaded; trying again',
    '    attempt 3 failed: overloaded; trying again',
    '    attempt 1 failed: overloaded; trying again',
  ]);
});

test('shows no empty line below an observation that ends in a line break', () => {
  const observed = observes('1.1', 'cat', 'file', 'a\n\nb\n');
  const events = atSeconds(started, ...decides('1', 'cat', 'file'), observed);
  expect(trace(events)).toContain('    Observation: a\n\n    b\n    250 ms\n');
});

test('says of a fork what it took itself, and what it keeps of the other run', () => {
  const usage = { promptTokens: 300, completionTokens: 20, totalTokens: 320, modelCalls: 1 };
  const forked = restarted('fork', 2, { usage });
  const events = atSeconds(started, ...decides('1', 'weather', 'Ravenna'), forked, ...answers('2', 'Sunny'));
  expect(trace(events)).toMatch(
    /\ncompleted · 1 step · 1 model call · 900 \+ 14 tokens · \d\.0 s\nkept of run run-1: 1 step · 1 model call · 300 \+ 20 tokens\n$/u,
  );
});

test.each([60, 80])(
  'breaks lines on a terminal of %i columns between words, with a hanging indent',
  (width) => {
    const link = `https://shop.example.com/orders/${'1004'.repeat(20)}`;
    const words = 'Order 1004 was placed by a customer who has ordered fourteen times before, '.repeat(3);
    const text = `${words}${link} is its page.\n${'晴'.repeat(50)}`;
    const events = atSeconds(started, ...decides('1', 'look', 'x'), observes('1.1', 'look', 'x', text));
    const lines = trace(events, { width: () => width, wraps: true, rows: Infinity }).split('\n');
    expect(lines.filter((line) => stringWidth(line) > width)).toEqual([`      ${link}`]);
    const first = lines.findIndex((line) => line.includes('Observation'));
    const observed = lines.slice(first, -2);
    expect(observed.filter((line) => !line.startsWith('    '))).toEqual([]);
    expect(observed.join('').replaceAll(/\s+/gu, '')).toBe(`Observation:${text}`.replaceAll(/\s+/gu, ''));
  },
);

const error = { type: 'ModelServerError', message: 'over-\nloaded' };

test.each([
  ['when the next attempt comes', 40_000, '; trying again in 40.0 s'],
  ['nothing of the time until one that is due', 300, '; trying again'],
  ['nothing of the time until one that runs', undefined, '; trying again'],
])('a failed attempt says %s', (_what, retryInMs, end) => {
  const failed = { type: 'attempt_failed', at: 0, call: '1.1', attempt: 1, error, retryInMs } as const;
  expect(createAttempts().text(failed)).toBe(`attempt 1 failed: ModelServerError: over- loaded${end}`);
});

const WHY = ': ModelServerError: over- loaded';
test.each<[call: string, tool: string, whyShown: boolean, text: string]>([
  ['3', 'callModel', true, 'the model of step 3 failed'],
  ['1.1/3', 'callModel', false, `the model of step 1.1/3 failed${WHY}`],
  ['1/3', 'callModel', true, 'the model of step 1/3 failed'],
  ['3.1', 'search', true, 'search (3.1) failed'],
  ['1.1/3.1', 'search', false, `search (1.1/3.1) failed${WHY}`],
])('the call %s that waits is named as what it is', (call, tool, whyShown, text) => {
  const waiting: WaitingCall = { call, n: 0, tool, toolInput: null, reason: 'failed', error };
  expect(waitingText(waiting, whyShown)).toBe(`Waiting for you: ${text}`);
});

test('a decision is named, with its reason where it has one', () => {
  expect(decisionText({ type: 'retry', input: 'x' })).toBe('retry');
  expect(decisionText({ type: 'cancelCall', reason: 'too\nslow' })).toBe('cancel the call (too slow)');
  expect(decisionText({ type: 'abort' })).toBe('abort');
});
