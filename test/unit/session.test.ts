import { describe, expect, test } from 'vitest';
import { summaryPrompt } from '../../activities/summarize.ts';
import {
  checkQueue,
  checkSessionMessage,
  checkSessionName,
  sessionId,
  sessionLimits,
} from '../../agent/session/session.ts';
import { agent, loadedConfig, tool } from '../support/config.ts';

const message = { id: 'run-1', agent: 'assistant', input: 'Who am I?' };

describe('the name of a session', () => {
  test.each([['names'], ['我们'], ['a b/c:d'], ['x'.repeat(200)]])('may be %j', (name) => {
    expect(() => checkSessionName(name)).not.toThrow();
    expect(sessionId(name)).toBe(`session:${name}`);
  });

  test.each([
    [''],
    ['  '],
    ['a\nb'],
    ['a\u0000'],
    ['a\u009fb'],
    ['a\ud83d'],
    ['x'.repeat(201)],
    [undefined],
    [7],
  ])('may not be %j', (name) => {
    expect(() => checkSessionName(name)).toThrow('1 to 200 characters');
  });
});

describe('a message to a session', () => {
  test.each([
    ['id, agent and question', message],
    [
      'what a run may change of its agent',
      {
        ...message,
        overrides: { model: 'm', maxIterations: null, maxExecutionTimeMs: 5 },
        variables: { a: 'b' },
      },
    ],
  ])('has %s', (_title, value) => {
    expect(checkSessionMessage(value)).toEqual(value);
  });

  test.each<[string, unknown, string]>([
    ['no object', 'hello', 'data is an object'],
    ['a list', [message], 'data is an object'],
    ['nothing', null, 'data is an object'],
    ['no id', { ...message, id: undefined }, 'id is a text'],
    ['an id of control characters', { ...message, id: '\t\t' }, 'id is a text'],
    ['no agent', { ...message, agent: '' }, 'agent is the name'],
    ['no question', { ...message, input: ' \n' }, 'no question'],
    ['a question that is no text', { ...message, input: 7 }, 'no question'],
    ['an unknown field', { ...message, session: 'x' }, 'unknown field session'],
    ['an unknown override', { ...message, overrides: { temperature: 1 } }, 'send: A run cannot override'],
    ['an override of another type', { ...message, overrides: { model: null } }, 'send: model has to be'],
    ['variables that are no texts', { ...message, variables: { a: 1 } }, 'variables are texts'],
    [
      'more than can be recorded',
      { ...message, input: 'x'.repeat(sessionLimits.messageBytes) },
      'at most 160000',
    ],
  ])('is refused with %s', (_title, value, part) => {
    expect(() => checkSessionMessage(value)).toThrow(part);
  });

  test('is refused when too many wait already', () => {
    const large = { ...message, input: 'x'.repeat(150_000) };
    expect(() =>
      checkQueue(
        Array.from({ length: 4 }, () => large),
        large,
      ),
    ).not.toThrow();
    expect(() =>
      checkQueue(
        Array.from({ length: 5 }, () => large),
        large,
      ),
    ).toThrow('5 messages wait already');
  });
});

describe('the memory of an agent in a config', () => {
  test.each([
    ['nothing', undefined, undefined],
    ['a name', 'buffer', { kind: 'buffer' }],
    ['a window', { kind: 'window', turns: 3 }, { kind: 'window', turns: 3 }],
    ['tokens', { kind: 'tokens', tokens: 500 }, { kind: 'tokens', tokens: 500 }],
    ['a summary', { kind: 'summary', tokens: 500 }, { kind: 'summary', tokens: 500 }],
  ])('may be %s', (_title, memory, recorded) => {
    const agents = [agent(memory === undefined ? {} : { memory })];
    expect(loadedConfig({ agents }).manifest('a', {})?.memory).toEqual(recorded);
  });

  test.each([
    ['another name', 'window'],
    ['another kind', { kind: 'vector' }],
    ['a window of nothing', { kind: 'window', turns: 0 }],
    ['a window in tokens', { kind: 'window', tokens: 3 }],
    ['a summary without its size', { kind: 'summary' }],
  ])('may not be %s', (_title, memory) => {
    expect(() => loadedConfig({ agents: [agent({ memory })] })).toThrow('agent "a": memory');
  });
});

test('a tool cannot have the name of the activity that makes summaries', () => {
  const tools = [tool({ name: 'summarizeConversation' })];
  expect(() => loadedConfig({ agents: [agent()], tools })).toThrow('the name is reserved');
});

test('what a model is asked for a summary', () => {
  const turns = [
    { role: 'user' as const, content: '我是赖赖' },
    { role: 'assistant' as const, content: '你好，赖赖。' },
  ];
  expect(summaryPrompt({ summary: 'They met today.', turns })).toMatchInlineSnapshot(`
    "You keep the notes of a conversation between a person and an assistant. Write down what has to be known to go on with it: names, facts, wishes, decisions, what is still open. Use the language of the conversation. Be brief, invent nothing, and write the notes only.

    The notes so far, which yours replace:
    They met today.

    What was said since:
    Person: 我是赖赖
    Assistant: 你好，赖赖。

    The new notes:"
  `);
  expect(summaryPrompt({ summary: null, turns })).not.toContain('so far');
});
