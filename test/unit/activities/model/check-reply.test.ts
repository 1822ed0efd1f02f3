import { anything, array, assert, constant, double, oneof, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkReply } from '../../../../activities/model/check-reply.ts';
import type { TurnDecision } from '../../../../agent/calls/calls.ts';
import { type AgentKind, type ParsedReply, OutputParserError } from '../../../../agent/definition/kind.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { type ReplyReader, decide } from '../../../../agent/reply/decide.ts';
import { utf8Length } from '../../../../agent/values/digest.ts';
import { limits } from '../../../../agent/values/limits.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const call = { id: 'a', name: 'echo', arguments: '{}' };
const reply = { text: 'hi', toolCalls: [call], finishReason: 'stop', usage };

test('a reply is taken as it is', () => {
  expect(checkReply('mine', reply)).toEqual(reply);
});

test.each<[what: string, returned: object | undefined | null, said: string]>([
  ['nothing', undefined, 'text is not a string'],
  ['null', null, 'text is not a string'],
  ['no text', { ...reply, text: null }, 'text is not a string'],
  ['no tool calls', { ...reply, toolCalls: undefined }, 'toolCalls is not a list'],
  ['a call without an id', { ...reply, toolCalls: [{ ...call, id: undefined }] }, 'toolCalls is not a list'],
  ['a call that is read already', { ...reply, toolCalls: [{ ...call, arguments: {} }] }, 'toolCalls'],
  ['a call that is null', { ...reply, toolCalls: [null] }, 'toolCalls is not a list'],
  ['no reason to finish', { ...reply, finishReason: null }, 'finishReason is not a string'],
  ['a usage that is a text', { ...reply, usage: '12' }, 'usage lacks'],
  ['a thought that is not text', { ...reply, reasoning: ['hm'] }, 'reasoning is not text'],
  ['odd cache', { ...reply, usage: { ...usage, cachedTokens: '3' } }, 'usage.cachedTokens is not a number'],
  ['a usage that is not a number', { ...reply, usage: { ...usage, totalTokens: NaN } }, 'usage lacks'],
])('a model of the user’s own that returns %s is told what to return', (_what, returned, said) => {
  const error = { type: 'ModelInvalidResponse', retryable: false, message: expect.stringContaining(said) };
  expect(() => checkReply('mine', returned)).toThrow(expect.objectContaining(error));
});

test.each([
  { promptTokens: -500, completionTokens: 1, totalTokens: -499 },
  { promptTokens: 500, completionTokens: -1, totalTokens: 499 },
  { promptTokens: 1.5, completionTokens: 1, totalTokens: 2.5 },
  { promptTokens: 1e300, completionTokens: 1, totalTokens: 1e300 },
])('a usage with a number that is not a count is unknown: %o', (odd) => {
  expect(checkReply('mine', { ...reply, usage: odd }).usage).toBeUndefined();
});

test.each(['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'])(
  '%s that are not a count are unknown',
  (part) => {
    for (const odd of [-1, 0.5, 1e300])
      expect(checkReply('mine', { ...reply, usage: { ...usage, [part]: odd } }).usage).toEqual(usage);
  },
);

test('a call without a name is given one, because providers refuse to be shown an empty one', () => {
  const { toolCalls } = checkReply('mine', { ...reply, toolCalls: [{ ...call, name: '' }] });
  expect(toolCalls).toEqual([{ ...call, name: 'unnamed_tool' }]);
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
  const anyReply = { text, toolCalls: oneof(calls, anything()), finishReason: odd, warnings: odd };
  const returned = record({ ...anyReply, usage: oneof(counted, anything()) }, { requiredKeys: ['text'] });
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
  {
    what: 'tool calls',
    odd: { ...reply, toolCalls: Array.from({ length: 200_000 }, (_, at) => ({ ...call, id: `${at}` })) },
  },
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

describe("a model's thought", () => {
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

const SEARCH = ' I should look.\nAction: Search\nAction Input: x';

describe('native tool calls', () => {
  const good = { tool: 'Search', toolInput: 'x', log: 'searching', toolCallId: 'a' };
  const bad = { tool: 'Calculator', toolInput: null, log: 'l', toolCallId: 'b', unreadable: 'not JSON' };
  const parse: AgentKind['parse'] = () => ({ type: 'act', actions: [good, bad] });

  test('run, except for unreadable ones, each of which is told to the model', () => {
    const told = 'Invalid or incomplete response';
    const unread = {
      tool: '_Exception',
      toolInput: told,
      observation: told,
      log: 'not JSON',
      toolCallId: 'b',
    };
    expect(decided('text', { parse })).toEqual({ type: 'act', actions: [good, unread] });
  });

  test('fail the run where one is unreadable and parse errors are not handled', () => {
    const failed = decided('text', { parse }, { handleParsingErrors: false });
    const message = expect.stringContaining('not JSON');
    expect(failed).toMatchObject({ type: 'fail', error: { type: 'OutputParserError', message } });
  });
});

describe('a parser of the user’s own', () => {
  test.each<[what: string, returned: unknown, said: string]>([
    ['nothing', undefined, "neither 'finish' nor 'act'"],
    ['a promise', Promise.resolve(), "neither 'finish' nor 'act'"],
    ['no output', { type: 'finish', log: '' }, 'its output is not a JSON value'],
    ['no actions', { type: 'act', actions: [] }, 'it has no actions'],
    ['an action without a tool', { type: 'act', actions: [null] }, 'lacks its tool'],
    ['an action without an input', { type: 'act', actions: [{ tool: 'Search' }] }, 'its toolInput'],
  ])('is told what to return, and is not asked again, where it returns %s', (_what, returned, said) => {
    const parse = () => returned as ParsedReply;
    const error = { name: 'InvalidDecision', retryable: false, message: expect.stringContaining(said) };
    expect(() => decided('text', { parse })).toThrow(expect.objectContaining(error));
  });

  test('is not taken at its word: half characters and what is not JSON are made recordable', () => {
    const toolInput = { 'a\ud83d': ['\ude00', NaN, new Date(0)] };
    const action = { tool: 'Search', toolInput, log: 'l\ud83d' };
    const parse = () => ({ type: 'act', actions: [action] }) as unknown as ParsedReply;
    const recordable = { 'a\ufffd': ['\ufffd', null, '1970-01-01T00:00:00.000Z'] };
    const made = { tool: 'Search', toolInput: recordable, log: 'l\ufffd' };
    expect(decided('text', { parse })).toEqual({ type: 'act', actions: [made] });
  });

  test('is refused where its decision is too large to be recorded', () => {
    const parse = (): ParsedReply => ({ type: 'finish', output: 'x'.repeat(2_000_000), log: '' });
    expect(() => decided('text', { parse })).toThrow(expect.objectContaining({ name: 'InvalidDecision' }));
  });
});

describe('the closing call', () => {
  const closing = (text: string) => decided(text, { closing: true });

  test.each<[what: string, text: string, decision: TurnDecision]>([
    ['an answer is the answer', 'Final Answer: 5', { type: 'finish', output: '5' }],
    ['an action is not run: the whole reply is the answer', SEARCH, { type: 'finish', output: SEARCH }],
  ])('%s', (_what, text, decision) => {
    expect(closing(text)).toEqual(decision);
  });

  test('a reply that cannot be read fails the run, whatever handleParsingErrors says, and advises nothing', () => {
    const message = "The model's reply could not be read: Could not parse LLM output: `hm`.";
    expect(closing('hm')).toEqual({ type: 'fail', error: { type: 'OutputParserError', message } });
  });

  test('native calls without a word are no answer: the fixed sentence is', () => {
    const action = { tool: 'x', toolInput: {}, log: '' };
    const parse: AgentKind['parse'] = () => ({ type: 'act', actions: [action] });
    const output = 'Agent stopped due to iteration limit or time limit.';
    expect(decided('', { closing: true, parse })).toEqual({ type: 'finish', output });
  });

  test('an answer that does not fit the output schema is given as it is', () => {
    const reader = { closing: true, checkOutput: refuse };
    expect(decided('Final Answer: 5', reader)).toEqual({ type: 'finish', output: '5' });
  });
});

describe('an answer that does not fit the output schema', () => {
  test('is a step that keeps the reply and tells the model what is wrong', () => {
    const told = { tool: '_Exception', toolInput: 'no city', observation: 'no city' };
    expect(decided('Final Answer: 5', { checkOutput: refuse })).toEqual({ type: 'act', actions: [told] });
  });

  test('is what the schema makes of it where it fits', () => {
    const reader = { checkOutput: () => ({ city: 'Oslo' }) };
    expect(decided('Final Answer: Oslo', reader)).toMatchObject({ output: { city: 'Oslo' } });
  });
});

test('a parse error of another copy of the package is one too', () => {
  const parse = () => {
    throw Object.assign(new Error('odd'), { name: 'OutputParserError' });
  };
  expect(decided('x', { parse })).toMatchObject({ actions: [{ tool: '_Exception', log: 'odd' }] });
});

function refuse(): never {
  throw new OutputParserError('The answer does not fit', 'no city');
}

type Reader = Partial<ReplyReader>;
function decided(text: string, reader: Reader = {}, manifest: Partial<AgentManifest> = {}): TurnDecision {
  const reply = { text, toolCalls: [], finishReason: 'stop' };
  return decide({ parse: zeroShot.parse, ...reader }, sampleManifest(manifest), reply).decision;
}
