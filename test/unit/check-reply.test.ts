import { anything, array, assert, constant, double, oneof, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkReply } from '../../activities/check-reply.ts';
import { limits } from '../../agent/limits.ts';
import { utf8Length } from '../../agent/transcript/digest.ts';
import type { Json } from '../../agent/vocabulary.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const call = { id: 'a', name: 'echo', arguments: '{}' };
const reply = { text: 'hi', toolCalls: [call], finishReason: 'stop', usage };

test('a reply is taken as it is', () => {
  expect(checkReply('mine', reply)).toEqual(reply);
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
  ['a usage that is a text', { ...reply, usage: '12' }, 'usage lacks'],
  ['a thought that is no text', { ...reply, reasoning: ['hm'] }, 'reasoning is no text'],
  [
    'cached tokens that are no number',
    { ...reply, usage: { ...usage, cachedTokens: '3' } },
    'usage.cachedTokens is no number',
  ],
  ['a usage that is no number', { ...reply, usage: { ...usage, totalTokens: NaN } }, 'usage lacks'],
])('a model of the user’s own that returns %s is told what to return', (_what, returned, said) => {
  const error = { type: 'ModelInvalidResponse', retryable: false, message: expect.stringContaining(said) };
  expect(() => checkReply('mine', returned)).toThrow(expect.objectContaining(error));
});

/** Texts of single UTF-16 units: half characters are among them. */
const text = string({ unit: oneof(string({ maxLength: 3 }), constant('\ud83d'), constant('\ude00')) });

const calls = array(record({ id: text, name: text, arguments: text }));

test('a reply of whatever texts becomes one that can be recorded', () => {
  const tokens = double({ noNaN: true, noDefaultInfinity: true }).map(withoutMinusZero);
  const usage = record({ promptTokens: tokens, completionTokens: tokens, totalTokens: tokens });
  const warnings = array(anything());
  const returned = record({ text, toolCalls: calls, finishReason: text, usage, warnings });
  assert(property(returned, (value) => isRecorded(checkReply('mine', value as never)))); // warnings may be anything
});

test('whatever a model returns is either refused as no reply, or becomes one that can be recorded', () => {
  const odd = oneof(text, anything());
  const tokens = oneof(double().map(withoutMinusZero), constant(1));
  const counted = record({ promptTokens: tokens, completionTokens: tokens, totalTokens: tokens });
  const returned = record(
    {
      text,
      toolCalls: oneof(calls, anything()),
      finishReason: odd,
      usage: oneof(counted, anything()),
      warnings: odd,
    },
    { requiredKeys: ['text'] },
  );
  assert(
    property(returned, (value) => {
      const checked = attempt(value);
      expect(checked).not.toBeNull();
      if (checked !== undefined) isRecorded(checked);
    }),
  );
});

/** JSON has none. */
function withoutMinusZero(number: number): number {
  return number + 0;
}

function isRecorded(checked: object): void {
  const json = JSON.stringify(checked);
  expect(json).not.toMatch(/\\ud[89a-f]|:null/u);
  expect(JSON.parse(json)).toEqual(checked);
  expect(json.isWellFormed()).toBe(true);
}

test.each([
  { what: 'text', odd: { ...reply, text: '\u0001'.repeat(3_000_000) } },
  { what: 'arguments', odd: { ...reply, toolCalls: [{ ...call, arguments: '"'.repeat(3_000_000) }] } },
  { what: 'tool calls', odd: { ...reply, toolCalls: Array.from({ length: 200_000 }, () => call) } },
])('too much $what is cut, and counts as cut by the provider', ({ odd }) => {
  const { finishReason, warnings, ...rest } = checkReply('mine', odd);
  expect(finishReason).toBe('length');
  expect(warnings).toEqual([expect.stringContaining('the reply was cut')]);
  expect(JSON.stringify(rest).length).toBeLessThan(600_000);
});

test('words beside the reply are cut, and it still counts as whole', () => {
  const long = 'x'.repeat(3_000_000);
  const odd = { ...reply, finishReason: long, warnings: Array.from({ length: 1_000 }, () => long) };
  const { text: said, ...rest } = checkReply('mine', odd);
  expect(said).toBe('hi');
  expect(JSON.stringify(rest).length).toBeLessThan(30_000);
});

/** undefined where it is refused. */
function attempt(value: object): object | undefined {
  try {
    return checkReply('mine', value);
  } catch (error) {
    if ((error as { type?: unknown }).type !== 'ModelInvalidResponse') throw error; // an error's field
    return undefined;
  }
}

describe('what a model thought', () => {
  const thought = (reasoning: string, providerData?: Json) =>
    checkReply('mine', { ...reply, reasoning, providerData });

  test('loses its end where it is too long, and the reply loses nothing', () => {
    const kept = thought('é'.repeat(limits.reasoningBytes), { field: 'x' });
    expect(utf8Length(JSON.stringify(kept.reasoning))).toBeLessThanOrEqual(limits.reasoningBytes);
    expect(kept).toMatchObject({ text: 'hi', finishReason: 'stop', providerData: { field: 'x' } });
  });

  test('is not kept where there is none, nor is more than fits of what the provider wants back', () => {
    expect(thought('').reasoning).toBeUndefined();
    const { providerData, warnings } = thought('hm', { signature: 'x'.repeat(limits.reasoningBytes) });
    expect(providerData).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('wants back was not kept')]);
  });
});
