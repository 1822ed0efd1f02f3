import { expect, test } from 'vitest';
import { nextCall } from '../../../../agent/run/call-next.ts';
import type { Call, CallFact } from '../../../../agent/run/call-state.ts';
import { nextAction } from '../../../../agent/run/next-action.ts';
import { calledText } from '../../../../agent/rules/waiting.ts';
import {
  asking,
  callOf,
  decided,
  during,
  human,
  plain,
  succeeded,
  waits,
} from '../../../support/call-facts.ts';

/** The call machine where a person sees a call: names, refused inputs and questions. */

const scheduled: CallFact = { type: 'scheduled', n: 0 };
const invalid = { output: 'no such field', kind: 'invalid' };
const after = (call: Call, ...facts: CallFact[]) =>
  facts.reduce((before, fact) => nextCall(before, fact).call, call);

test('an input of the model that the tool does not take is told to the model', () => {
  const call = after(callOf(plain), scheduled, succeeded(invalid));
  expect(nextAction(call, during)).toMatchObject({ do: 'end', end: { observation: 'no such field' } });
});

test('an approved input that the tool, changed since, does not take is told to a person', () => {
  const approved = [waits('approval'), decided({ type: 'approve' }), scheduled];
  const call = after(
    callOf(asking, { approval: {} }),
    ...approved,
    succeeded({ ...invalid, approved: true }),
  );
  expect(nextAction(call, during)).toEqual({ do: 'ask', reason: 'failed' });
  expect(call.last).toMatchObject({
    error: { message: expect.stringMatching(/^The tool has changed .* no such field$/u) },
  });
});

test('a question to a person is one, also in a history of 0.3.0', () => {
  for (const reason of ['answer', 'deferred'] as const) {
    const call = after(callOf(human), waits(reason));
    expect(call.wait?.reason).toBe('answer');
    expect(nextAction(after(call, decided({ type: 'retry' })), during)).toEqual({
      do: 'ask',
      reason: 'answer',
    });
  }
});

test('a call is named to a person by its tool, or as the model of a step', () => {
  expect(calledText({ call: '3.1', tool: 'pay', reason: 'approval' })).toBe('pay (3.1)');
  expect(calledText({ call: '1/3', tool: 'callModel', reason: 'failed' })).toBe('the model of step 1/3');
});
