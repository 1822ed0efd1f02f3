import { expect, test } from 'vitest';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { UncarriedMessages } from '../../../../agent/calls/uncarried-messages.ts';

const message = (text: string): Entry => ({ type: 'message', text });

test('a model call carries the messages in its new entries', () => {
  const messages = new UncarriedMessages();
  messages.receive('hurry');
  messages.receive('wait');
  messages.carry(0, { base: 2, delta: [message('hurry')] });
  expect(messages.next).toEqual(['wait']);
});

test('a message that the record has after the model call that carries it is carried', () => {
  const messages = new UncarriedMessages();
  messages.carry(0, { base: 2, delta: [message('hurry')] });
  messages.receive('hurry');
  expect(messages.unheard).toEqual([]);
});

test('the same message once more is another message', () => {
  const messages = new UncarriedMessages();
  messages.receive('hurry');
  messages.carry(0, { base: 2, delta: [message('hurry')] });
  // Another schedule of the model call has the same entries.
  messages.carry(0, { base: 2, delta: [message('hurry')] });
  messages.receive('hurry');
  expect(messages.unheard).toEqual(['hurry']);
});

test('a message that only the call of a summary has carried is carried again', () => {
  const messages = new UncarriedMessages();
  messages.receive('hurry');
  messages.carry(0, { base: 2, delta: [message('hurry')], compact: true });
  expect(messages.next).toEqual(['hurry']);
  messages.carry(0, { base: 2, delta: [message('hurry')] });
  expect(messages.next).toEqual([]);
});

test('a model has seen a message that only the call of a summary has carried', () => {
  const messages = new UncarriedMessages();
  messages.receive('hurry');
  messages.carry(0, { base: 2, delta: [message('hurry')], compact: true });
  expect(messages.unheard).toEqual([]);
});
