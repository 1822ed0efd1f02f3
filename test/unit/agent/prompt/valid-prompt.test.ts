import { describe, expect, test } from 'vitest';
import type { ModelPrompt } from '../../../../agent/definition/kind.ts';
import { validPrompt } from '../../../../agent/prompt/valid-prompt.ts';
import type { ChatMessage } from '../../../../agent/values/vocabulary.ts';

const question: ChatMessage = { role: 'user', content: 'Weather?' };
const tools = [{ name: 'find', description: 'Finds.', parameters: { type: 'object', properties: {} } }];

describe('a prompt that goes to a model', () => {
  test('stays as it is where every server takes it', () => {
    const prompt = promptOf([
      { role: 'system', content: 'Help.' },
      question,
      calling('c1', 'find', '{ "a":1.0 }'),
      result('c1'),
    ]);
    expect(validPrompt(prompt)).toEqual(prompt);
    expect(validPrompt({ type: 'text', text: '' })).toEqual({ type: 'text', text: '' });
  });

  test.each([
    ['', '{}'],
    [' ', '{}'],
    ['null', '{}'],
    ['[]', '{}'],
    ['{"text": "two\nlines"}', '{"text": "two\\u000alines"}'],
    ['{"n": 1234567890123456789, "t": "a\tb"}', '{"n": 1234567890123456789, "t": "a\\u0009b"}'],
    ['{"a": "unterminated', '{"unreadable":"{\\"a\\": \\"unterminated"}'],
    ['["ann"]', '{"unreadable":"[\\"ann\\"]"}'],
    ['"{\\"a\\":1}"', '{"unreadable":"\\"{\\\\\\"a\\\\\\":1}\\""}'],
    ['{"a":1}{"a":1}', '{"unreadable":"{\\"a\\":1}{\\"a\\":1}"}'],
    ['7', '{"unreadable":"7"}'],
  ])('has a JSON object for the arguments %j', (written, sent) => {
    expect(callsOf([question, calling('c1', 'find', written), result('c1')])[0]?.arguments).toBe(sent);
  });

  test.each([
    ['multi_tool_use.parallel', 'multi_tool_use_parallel'],
    ['“find”', 'find'],
    ['**find**', 'find'],
    ['functions.find', 'find'],
    ['functions.find:0', 'find'],
    ['find\n', 'find'],
    [' find', 'find'],
    ['`find`()', 'find'],
    ['find<|channel|>commentary', 'find'],
    ['orders/find', 'orders_find'],
    ['', 'unnamed_tool'],
    ['погода', '_'],
    ['x'.repeat(75), 'x'.repeat(64)],
  ])('has a name that every provider takes for %j', (written, sent) => {
    expect(callsOf([question, calling('c1', written, '{}'), result('c1')])[0]?.name).toBe(sent);
  });

  test.each([
    ['an OpenAI id', 'call_PTLP8xhu3uwZk4l3nlnrrJha'],
    ["Kimi's id", 'functions.look:0'],
    ['a long id', `tool_${'x'.repeat(60)}`],
    ['no id', ''],
  ])('has ids of nine letters and digits where several models are asked: %s', (_what, id) => {
    const { messages } = valid(promptOf([question, calling(id), result(id)]), true);
    const [, called, answered] = messages;
    expect(called?.toolCalls?.[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/u);
    expect(called?.toolCalls?.[0]?.providerId).toBe(id);
    expect(answered?.toolCallId).toBe(called?.toolCalls?.[0]?.id);
  });

  test('has each id once, also where a server numbers the calls of each reply from the start', () => {
    const turn = [calling('c1'), result('c1')];
    const ids = callsOf([question, ...turn, ...turn, ...turn]).map(({ id }) => id);
    expect(ids[0]).toBe('c1');
    expect(new Set(ids).size).toBe(3);
    // The beginning of the conversation stays the same, for the provider's cache.
    expect(callsOf([question, ...turn, ...turn]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });

  test('has one system message, and it comes first', () => {
    const system = (content: string): ChatMessage => ({ role: 'system', content });
    const { messages } = valid(promptOf([system('Help.'), question, system('Notes.'), system(' ')]));
    expect(messages).toEqual([system('Help.\n\nNotes.'), question]);
  });

  test('has no message without a text', () => {
    const empty = (role: ChatMessage['role']): ChatMessage => ({ role, content: '' });
    const { messages } = valid(promptOf([empty('system'), question, empty('assistant'), empty('user')]));
    expect(messages).toEqual([
      question,
      { role: 'assistant', content: '(a reply without text)' },
      { role: 'user', content: '(a message without text)' },
    ]);
  });

  test('has one result for each call, right after it, and no others', () => {
    const messages = [question, calling('c1'), question, result('c1'), calling('c2'), result('c3')];
    expect(valid(promptOf(messages)).messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Weather?'],
      ['assistant', null],
      ['tool', 'There is no result of this call.'],
      ['user', 'Weather?'],
      ['user', 'Result of an earlier tool call: Sunny.'],
      ['assistant', null],
      ['tool', 'There is no result of this call.'],
      ['user', 'Result of an earlier tool call: Sunny.'],
    ]);
  });

  test('declares the tools of earlier calls where the agent has none, and forbids them', () => {
    const prompt = valid({ type: 'messages', messages: [question, calling('c1'), result('c1')] });
    expect(prompt.tools?.map(({ name, parameters }) => [name, parameters])).toEqual([
      ['find', { type: 'object', properties: {} }],
    ]);
    expect(prompt.toolChoice).toBe('none');
    expect(valid({ type: 'messages', messages: [question], toolChoice: 'none' })).toEqual({
      type: 'messages',
      messages: [question],
    });
  });

  test('does not change what it made itself', () => {
    const odd = [
      question,
      calling('', 'a b', '['),
      result(''),
      calling('c:1'),
      result('c:1'),
      calling('c:1'),
    ];
    for (const portable of [true, false]) {
      const once = valid(promptOf(odd), portable);
      expect(valid(structuredClone(once))).toEqual(once);
      expect(valid(structuredClone(once), portable)).toEqual(once);
    }
  });
});

type Messages = Extract<ModelPrompt, { type: 'messages' }>;

function valid(prompt: ModelPrompt, portableIds = false): Messages {
  const made = validPrompt(prompt, { portableIds });
  if (made.type === 'text') throw new Error('a text');
  return made;
}

function callsOf(messages: ChatMessage[]) {
  return valid(promptOf(messages)).messages.flatMap(({ toolCalls = [] }) => toolCalls);
}

function promptOf(messages: ChatMessage[]): Messages {
  return { type: 'messages', messages, tools };
}

function calling(id: string, name = 'find', text = '{}'): ChatMessage {
  return { role: 'assistant', content: null, toolCalls: [{ id, name, arguments: text }] };
}

function result(toolCallId: string): ChatMessage {
  return { role: 'tool', content: 'Sunny.', toolCallId };
}
