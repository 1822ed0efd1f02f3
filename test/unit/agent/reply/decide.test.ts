import { describe, expect, test } from 'vitest';
import type { TurnDecision } from '../../../../agent/calls/calls.ts';
import { type RawReply, decide } from '../../../../agent/reply/decide.ts';
import type { AgentKind } from '../../../../agent/definition/kind.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { CUT_REPLY, FILTERED_REPLY, INCOMPLETE_REPLY } from '../../../../agent/observation/observations.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const SEARCH = ' I should look.\nAction: Search\nAction Input: x';
const ANSWER = ' I now know the final answer\nFinal Answer: 55';

describe('a reply that can be read', () => {
  test('with an answer finishes the run; the log is the reply and not recorded twice', () => {
    expect(decided(ANSWER)).toEqual({ type: 'finish', output: '55' });
  });

  test('with an answer and an invented action keeps its own log', () => {
    expect(decided('Final Answer: 55\n\nAction: Search\nAction Input: x')).toEqual({
      type: 'finish',
      output: '55',
      log: 'Final Answer: 55',
    });
  });

  test('with a known tool is an action to be run', () => {
    expect(decided(SEARCH)).toEqual({ type: 'act', actions: [{ tool: 'Search', toolInput: 'x' }] });
  });

  test.each<[what: string, tool: string]>([
    ['an unknown tool', 'Browser'],
    ['a known tool in other letters', 'search'],
    ['a sentence with a known tool in it', 'Use Search to find it'],
    ['no tool', ''],
    ['the tool that stands for unreadable replies', '_Exception'],
  ])('with %s has its observation at once', (_what, tool) => {
    const observation = `${tool} is not a valid tool, try one of [Search, Calculator].`;
    expect(decided(`Action: ${tool}\nAction Input: x`)).toEqual({
      type: 'act',
      actions: [{ tool, toolInput: 'x', observation }],
    });
  });

  test('may hold several actions, each judged for itself, each with its own log', () => {
    const kind = parsing(() => ({
      type: 'act',
      actions: [
        { tool: 'Search', toolInput: { q: 'x' }, log: 'first' },
        { tool: 'Browser', toolInput: 'y', log: 'second' },
        { tool: 'Calculator', toolInput: '1', log: 'reply' },
      ],
    }));
    const observation = 'Browser is not a valid tool, try one of [Search, Calculator].';
    expect(decided('reply', { kind })).toEqual({
      type: 'act',
      actions: [
        { tool: 'Search', toolInput: { q: 'x' }, log: 'first' },
        { tool: 'Browser', toolInput: 'y', log: 'second', observation },
        { tool: 'Calculator', toolInput: '1' },
      ],
    });
  });

  test('may come with tool calls, which the kind is given as they are', () => {
    const kind = parsing(({ toolCalls: [first] }) => ({
      type: 'finish',
      output: first?.arguments ?? '',
      log: '',
    }));
    const toolCalls = [{ id: '1', name: 'Search', arguments: '{ "q": 1 }' }];
    expect(decided('', { kind, reply: { toolCalls } })).toEqual({ type: 'finish', output: '{ "q": 1 }' });
  });
});

describe('stop strings', () => {
  const invented = '\nObservation: 1\nThought: done\nFinal Answer: 1';

  test('cut the reply before it is read, whether the server did or not', () => {
    expect(outcome(SEARCH + invented)).toEqual({
      text: SEARCH,
      decision: { type: 'act', actions: [{ tool: 'Search', toolInput: 'x' }] },
    });
  });

  test('are those of the agent', () => {
    expect(outcome('Final Answer: 5#5', { manifest: { stop: ['#'] } }).text).toBe('Final Answer: 5');
    expect(outcome(SEARCH + invented, { manifest: { stop: [] } }).text).toBe(SEARCH + invented);
  });
});

describe('a reply that cannot be read', () => {
  const both = `${SEARCH}\nFinal Answer: 1`;
  const ambiguous = `Parsing LLM output produced both a final answer and a parse-able action:: ${both}`;

  test.each<[what: string, text: string, observation: string]>([
    ['no action', ' Hm.', missing('Action:', 'Thought:')],
    ['nothing at all', '', missing('Action:', 'Thought:')],
    ['no input', 'Action: Search', missing('Action Input:', 'Action:')],
  ])('with %s shows the model its reply and what is missing', (_what, text, observation) => {
    expect(decided(text)).toEqual(toldModel(observation));
  });

  test('for another reason shows the model the error in place of its reply', () => {
    expect(decided(both)).toEqual(toldModel(INCOMPLETE_REPLY, ambiguous));
  });

  test.each<[what: string, text: string, log: string]>([
    ['a part is missing', ' Hm.', 'Could not parse LLM output: ` Hm.`'],
    ['any other reason', both, ambiguous],
  ])('is told in a text of the agent where it has one, and the log is the error: %s', (_what, text, log) => {
    for (const told of ['Keep to the format!', '']) {
      expect(decided(text, { manifest: { handleParsingErrors: told } })).toEqual(toldModel(told, log));
    }
  });

  test.each<[what: string, text: string, finishReason: string, why: string]>([
    ['cannot be read', ' Hm.', 'stop', 'Could not parse LLM output: ` Hm.`'],
    ['was cut off', SEARCH, 'length', 'It was cut off at the token limit (maxTokens)'],
    ['was filtered', '', 'content_filter', "The provider's content filter took it away (content_filter)"],
  ])(
    'that %s fails the run where the agent does not want the model to be told',
    (_, text, finishReason, why) => {
      const silent = { manifest: { handleParsingErrors: false }, reply: { finishReason } };
      expect(decided(text, silent)).toEqual(failsRun(why));
    },
  );

  test('by a mistake of the kind is no matter for the model: the error goes through', () => {
    const kind = parsing(() => {
      throw new TypeError('a mistake');
    });
    expect(() => decided('x', { kind })).toThrow(new TypeError('a mistake'));
  });
});

describe('a reply that the provider’s content filter took away', () => {
  const reply = { finishReason: 'content_filter' };
  const kind = parsing(() => ({ type: 'finish', output: '', log: '' }));

  test('is not an answer, and the model is told so', () => {
    expect(decided('', { reply, kind })).toMatchObject({
      type: 'act',
      actions: [{ tool: '_Exception', observation: FILTERED_REPLY }],
    });
  });

  test('is an answer where there is some text', () => {
    expect(decided('I must', { reply, kind: saying })).toEqual({
      type: 'finish',
      output: 'I must',
      truncated: 'content_filter',
    });
  });
});

/** A kind that takes each text for the answer. */
const saying = parsing(({ text }) => ({ type: 'finish', output: text, log: text }));

describe('a reply without text and calls', () => {
  const thoughts = { reasoning: 'I should call it.' };
  const counted = (completionTokens: number) => ({ usage: { completionTokens } });
  const again =
    'Answer again: call one of the tools [Search, Calculator] with complete arguments, or give the answer.';

  test.each<[source: string, reply: Partial<RawReply>, told: string]>([
    [
      'vLLM: nothing at all',
      { finishReason: 'stop' },
      'Your reply was empty: it had neither text nor a call',
    ],
    [
      'Ollama 0.17: a call of an unknown tool',
      { finishReason: 'stop', ...counted(8) },
      'Nothing could be read of the 8 tokens',
    ],
    [
      'DeepSeek: thoughts only',
      { finishReason: 'stop', ...thoughts, ...counted(8) },
      'Your reply had thoughts only',
    ],
    [
      'Qwen: thoughts cut at the token limit',
      { finishReason: 'length', ...thoughts },
      'cut off at the token limit before it had an answer',
    ],
    [
      'OpenAI: the legacy field function_call',
      { finishReason: 'function_call' },
      '(finish reason: function_call)',
    ],
    [
      'Gemini: a call that it could not read',
      { finishReason: 'MALFORMED_FUNCTION_CALL' },
      '(finish reason: MALFORMED_FUNCTION_CALL)',
    ],
    ['a server of any other word', { finishReason: 'whatever' }, '(finish reason: whatever)'],
  ])('is no answer, and the model is told what was seen: %s', (_source, reply, told) => {
    for (const text of ['', ' \n']) {
      const decision = decided(text, { kind: saying, reply });
      expect(decision).toMatchObject({
        type: 'act',
        actions: [{ tool: '_Exception', observation: expect.stringContaining(told) }],
      });
    }
  });

  test('names the tools that there are', () => {
    expect(JSON.stringify(decided('', { kind: saying }))).toContain(again);
  });

  test('fails the run where the agent does not want the model to be told', () => {
    const silent = { manifest: { handleParsingErrors: false as const }, kind: saying };
    expect(decided('', silent)).toEqual(failsRun('It had neither text nor a call (finish reason: stop)'));
  });

  test('is an answer where the agent’s own parser makes one of it', () => {
    const kind = parsing(() => ({ type: 'finish', output: { done: true }, log: '' }));
    expect(decided('', { kind })).toMatchObject({ type: 'finish', output: { done: true } });
  });

  test('at a limit gives the fixed sentence', () => {
    const reply = { text: '', toolCalls: [], finishReason: 'stop' };
    const { decision } = decide({ ...saying, closing: true }, sampleManifest(), reply);
    expect(decision).toMatchObject({ type: 'finish', output: expect.stringContaining('Agent stopped') });
  });
});

describe('a reply cut off at the token limit', () => {
  const reply = { finishReason: 'length' };
  test.each<[what: string, text: string]>([
    ['an action, which may lack the end of its input', SEARCH],
    ['an unknown tool, whose name may not be whole', 'Action: Sea\nAction Input: '],
    ['an action without input', 'Action: Sea'],
    ['an action and the beginning of a stop string', `${SEARCH}\nObservat`],
  ])('is never run, and the model is told so: %s', (_what, text) => {
    expect(decided(text, { reply })).toEqual(toldModel(CUT_REPLY));
  });

  test('answers as far as it goes, and says that it is not whole', () => {
    expect(decided(ANSWER, { reply })).toEqual({ type: 'finish', output: '55', truncated: 'length' });
  });

  test('is whole if its answer is a value that was read', () => {
    const kind = parsing(() => ({ type: 'finish', output: { total: 5 }, log: '' }));
    expect(decided('{"total":5}', { kind, reply })).not.toHaveProperty('truncated');
  });

  test('is whole if a stop string comes before the end', () => {
    expect(decided(`${SEARCH}\n\tObservation:`, { reply })).toEqual(decided(SEARCH));
  });

  test('behind a stop string is unreadable for its own reason', () => {
    expect(decided(' Hm.\nObservation: 5', { reply })).toEqual(toldModel(missing('Action:', 'Thought:')));
  });

  test('is told in the words of the agent where it has some', () => {
    expect(decided(SEARCH, { reply, manifest: { handleParsingErrors: 'Again!' } })).toEqual(
      toldModel('Again!', 'It was cut off at the token limit (maxTokens)'),
    );
  });

  test.each(['stop', 'tool_calls', ''])('is not one that ended by "%s"', (finishReason) => {
    expect(decided(SEARCH, { reply: { finishReason } })).toMatchObject({ actions: [{ tool: 'Search' }] });
  });
});

interface Given {
  kind?: AgentKind;
  manifest?: Partial<AgentManifest>;
  reply?: Partial<RawReply>;
}

function outcome(text: string, { kind = zeroShot, manifest = {}, reply = {} }: Given = {}) {
  return decide(kind, sampleManifest(manifest), { text, toolCalls: [], finishReason: 'stop', ...reply });
}

function decided(text: string, given?: Given): TurnDecision {
  return outcome(text, given).decision;
}

function parsing(parse: AgentKind['parse']): AgentKind {
  return { ...zeroShot, parse };
}

/** The model is told this in place of an observation; `log` stands for a reply that is not shown to it. */
function toldModel(told: string, log?: string): TurnDecision {
  const action = { tool: '_Exception', toolInput: told, observation: told };
  return { type: 'act', actions: [log === undefined ? action : { ...action, log }] };
}

/** The run fails, since the agent does not want the model to be told. */
function failsRun(why: string): TurnDecision {
  const message = `The model's reply could not be read: ${why}. Set handleParsingErrors to tell the model and continue.`;
  return { type: 'fail', error: { type: 'OutputParserError', message } };
}

function missing(part: string, before: string): string {
  return `Invalid Format: Missing '${part}' after '${before}'`;
}
