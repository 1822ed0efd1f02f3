import { expect, test } from 'vitest';
import { checkReply } from '../../activities/check-reply.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const call = { id: 'a', name: 'echo', arguments: '{}' };
const reply = { text: 'hi', toolCalls: [call], finishReason: 'stop', usage };

test('a reply is taken as it is', () => {
  expect(checkReply('mine', reply)).toBe(reply);
});

test.each<[what: string, returned: object | undefined | null, said: string]>([
  ['nothing', undefined, 'text is no string'],
  ['null', null, 'text is no string'],
  ['no text', { ...reply, text: null }, 'text is no string'],
  ['no tool calls', { ...reply, toolCalls: undefined }, 'toolCalls is no list'],
  ['a call without an id', { ...reply, toolCalls: [{ ...call, id: undefined }] }, 'toolCalls is no list'],
  ['a call that is read already', { ...reply, toolCalls: [{ ...call, arguments: {} }] }, 'toolCalls'],
  ['a call that is null', { ...reply, toolCalls: [null] }, 'toolCalls is no list'],
  ['no reason to finish', { ...reply, finishReason: null }, 'finishReason is no string'],
  ['no usage', { ...reply, usage: undefined }, 'usage lacks'],
  ['a usage that is no number', { ...reply, usage: { ...usage, totalTokens: NaN } }, 'usage lacks'],
])('a model of the user’s own that returns %s is told what to return', (_what, returned, said) => {
  const error = { type: 'ModelInvalidResponse', retryable: false, message: expect.stringContaining(said) };
  expect(() => checkReply('mine', returned)).toThrow(expect.objectContaining(error));
});
