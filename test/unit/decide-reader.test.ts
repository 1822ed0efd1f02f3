import { describe, expect, test } from 'vitest';
import type { TurnDecision } from '../../agent/calls.ts';
import { type ReplyReader, decide } from '../../agent/reply/decide.ts';
import { type AgentKind, type ParsedReply, OutputParserError } from '../../agent/kinds/kind.ts';
import type { AgentManifest } from '../../agent/manifest.ts';
import { zeroShot } from '../../agent/kinds/zero-shot.ts';
import { sampleManifest } from '../support/manifest.ts';

const SEARCH = ' I should look.\nAction: Search\nAction Input: x';

describe('native tool calls', () => {
  const good = { tool: 'Search', toolInput: 'x', log: 'searching', toolCallId: 'a' };
  const bad = { tool: 'Calculator', toolInput: null, log: 'l', toolCallId: 'b', unreadable: 'not JSON' };
  const parse: AgentKind['parse'] = () => ({ type: 'act', actions: [good, bad] });

  test('that cannot be read are told to the model one by one, and the others run', () => {
    expect(decided('text', { parse })).toEqual({
      type: 'act',
      actions: [
        good,
        {
          tool: '_Exception',
          toolInput: 'Invalid or incomplete response',
          observation: 'Invalid or incomplete response',
          log: 'not JSON',
          toolCallId: 'b',
        },
      ],
    });
  });

  test('that cannot be read fail the run where parse errors are not handled', () => {
    expect(decided('text', { parse }, { handleParsingErrors: false })).toMatchObject({
      type: 'fail',
      error: { type: 'OutputParserError', message: expect.stringContaining('not JSON') },
    });
  });
});

describe('a parser of the user’s own', () => {
  test.each<[what: string, returned: unknown, said: string]>([
    ['nothing', undefined, "neither 'finish' nor 'act'"],
    ['a promise', Promise.resolve(), "neither 'finish' nor 'act'"],
    ['no output', { type: 'finish', log: '' }, 'its output is no JSON value'],
    ['no actions', { type: 'act', actions: [] }, 'it has no actions'],
    ['an action without a tool', { type: 'act', actions: [null] }, 'lacks its tool'],
    ['an action without an input', { type: 'act', actions: [{ tool: 'Search' }] }, 'its toolInput'],
  ])('that returns %s is told what to return, and is not asked again', (_what, returned, said) => {
    const parse = () => returned as ParsedReply;
    const error = { name: 'InvalidDecision', retryable: false, message: expect.stringContaining(said) };
    expect(() => decided('text', { parse })).toThrow(expect.objectContaining(error));
  });

  test('is not taken at its word: half characters and what is no JSON are made recordable', () => {
    const toolInput = { 'a\ud83d': ['\ude00', NaN, new Date(0)] };
    const action = { tool: 'Search', toolInput, log: 'l\ud83d' };
    const parse = () => ({ type: 'act', actions: [action] }) as unknown as ParsedReply;
    expect(decided('text', { parse })).toEqual({
      type: 'act',
      actions: [
        {
          tool: 'Search',
          toolInput: { 'a\ufffd': ['\ufffd', null, '1970-01-01T00:00:00.000Z'] },
          log: 'l\ufffd',
        },
      ],
    });
  });

  test('that makes more of a reply than can be recorded is told so', () => {
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
    expect(closing('hm')).toEqual({
      type: 'fail',
      error: {
        type: 'OutputParserError',
        message: "The model's reply could not be read: Could not parse LLM output: `hm`.",
      },
    });
  });

  test('native calls without a word are no answer: the fixed sentence is', () => {
    const parse: AgentKind['parse'] = () => ({
      type: 'act',
      actions: [{ tool: 'x', toolInput: {}, log: '' }],
    });
    expect(decided('', { closing: true, parse })).toEqual({
      type: 'finish',
      output: 'Agent stopped due to iteration limit or time limit.',
    });
  });

  test('an answer that does not fit the output schema is given as it is', () => {
    const reader = { closing: true, checkOutput: refuse };
    expect(decided('Final Answer: 5', reader)).toEqual({ type: 'finish', output: '5' });
  });
});

describe('an answer that does not fit the output schema', () => {
  test('is a step that keeps the reply and tells the model what is wrong', () => {
    expect(decided('Final Answer: 5', { checkOutput: refuse })).toEqual({
      type: 'act',
      actions: [{ tool: '_Exception', toolInput: 'no city', observation: 'no city' }],
    });
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

function decided(
  text: string,
  reader: Partial<ReplyReader> = {},
  manifest: Partial<AgentManifest> = {},
): TurnDecision {
  const reply = { text, toolCalls: [], finishReason: 'stop' };
  return decide({ parse: zeroShot.parse, ...reader }, sampleManifest(manifest), reply).decision;
}
