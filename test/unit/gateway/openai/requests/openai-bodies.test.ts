import { describe, expect, test } from 'vitest';
import { Refused } from '../../../../../gateway/http/problem.ts';
import { readChat } from '../../../../../gateway/openai/requests/read-chat.ts';
import { readResponseRequest } from '../../../../../gateway/openai/requests/read-response.ts';

const post = (body: object) =>
  new Request('http://127.0.0.1/v1', { method: 'POST', body: JSON.stringify({ model: 'a', ...body }) });
const QUESTION = { role: 'user', content: 'Which?' };
const chat = async (body: object) =>
  (await readChat(post({ messages: [QUESTION], ...body }), undefined)).question();
const response = async (body: object) =>
  (await readResponseRequest(post({ input: [QUESTION], ...body }), [{ name: 'a' }])).question();
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error: unknown) => (error instanceof Refused ? error.message : error),
  );

describe('tools of a client', () => {
  const tools = [{ type: 'function', function: { name: 'list_notes', parameters: {} } }];
  const allowed = (mode: string) => ({ type: 'allowed_tools', allowed_tools: { mode, tools: [] } });

  test.each([
    {},
    { tool_choice: null },
    { tool_choice: 'auto' },
    { tool_choice: 'none' },
    { tool_choice: allowed('auto') },
  ])('are set aside in a chat completion with %j', async (choice) => {
    expect(await chat({ tools, ...choice })).toMatchObject({ input: 'Which?' });
  });

  test.each([
    { tool_choice: 'required' },
    { tool_choice: { type: 'function', function: { name: 'list_notes' } } },
    { tool_choice: { type: 'custom', custom: { name: 'list_notes' } } },
    { tool_choice: allowed('required') },
  ])('are refused in a chat completion that demands a call: %j', async (choice) => {
    expect(await refused(chat({ tools, ...choice }))).toContain('Leave out `tools`');
  });

  test('of the first form are set aside too, unless a call is demanded', async () => {
    const functions = [{ name: 'list_notes' }];
    expect(await refused(chat({ functions, function_call: 'auto' }))).toBe('taken');
    const named = { functions, function_call: { name: 'list_notes' } };
    expect(await refused(chat(named))).toContain('Leave out `functions`');
  });

  const own = {
    type: 'mcp',
    server_label: 'agent',
    server_url: 'http://127.0.0.1/mcp',
    require_approval: 'always',
  };
  test.each([
    [[own], 'taken'],
    [[], 'taken'],
    [[own, ...tools], 'Leave out `tools`'],
    [[{ ...own, server_label: 'wiki' }], "server_label: 'agent'"],
    [[{ type: 'web_search' }], 'Leave out `tools`'],
  ])('of a response stand for the agent, or are refused: %j', async (given, said) => {
    expect(await refused(response({ tools: given }))).toContain(said);
  });
});

describe('messages of tool calls that another model made', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'price', arguments: '{}' } };

  test('are passed over in a chat', async () => {
    const messages = [
      { role: 'user', content: 'What is it?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '5' },
      { role: 'function', name: 'price', content: '5' },
      { role: 'assistant', content: 'It is 5.' },
      { role: 'assistant', content: null, refusal: 'I may not say more.' },
      QUESTION,
    ];
    expect((await chat({ messages })) as object).toHaveProperty('chatHistory', [
      { role: 'user', content: 'What is it?' },
      { role: 'assistant', content: 'It is 5.' },
      { role: 'assistant', content: 'I may not say more.' },
    ]);
  });

  test('are passed over in a response', async () => {
    const items = ['function_call', 'function_call_output', 'reasoning', 'mcp_list_tools', 'mcp_call'];
    const input = [{ role: 'user', content: 'What?' }, ...items.map((type) => ({ type, id: 'x' })), QUESTION];
    expect(await response({ input })).toMatchObject({ chatHistory: [{ content: 'What?' }] });
  });

  test('are no question', async () => {
    const result = { role: 'tool', tool_call_id: 'c1', content: '5' };
    expect(await refused(chat({ messages: [QUESTION, result] }))).toContain('has to be the question');
    const output = { type: 'function_call_output', call_id: 'c1', output: '5' };
    expect(await refused(response({ input: [QUESTION, output] }))).toContain('has to be the question');
  });

  test('do not hide a user without words', async () => {
    expect(await refused(chat({ messages: [{ role: 'user', content: null }] }))).toContain(
      'messages.0.content',
    );
  });
});

describe('a question that Open WebUI asks for itself', () => {
  const history = '<chat_history>\nUSER: Pay order A-17 back.\nASSISTANT: Done.\n</chat_history>';
  const title = `### Task:\nGenerate a concise title summarizing the chat history.\n### Output:\nJSON format: { "title": "your concise title here" }\n### Chat History:\n${history}`;
  const rest = `### Task:\nYou are an autocompletion system.\n---\n### Context:\n${history}\n<type>General</type>\n<text>Pay</text>\n#### Output:\n`;
  const user = (content: unknown) => [{ role: 'user', content }];
  const prompts: [what: string, messages: object[]][] = [
    ['a title, tags, follow-up questions, search queries', user(title)],
    ['the same as parts', user([{ type: 'text', text: title }])],
    [
      'the same below a system prompt of the front end',
      [{ role: 'system', content: 'Be kind.' }, ...user(title)],
    ],
    ['the rest of a sentence', user(rest)],
    [
      'a summary',
      user('### Task:\nSummarize the conversation history that will be compacted out of the chat.'),
    ],
    ['an emoji', user("Your task is to reflect the speaker's likely facial expression through an emoji.")],
    [
      'the choice of a tool',
      [
        {
          role: 'system',
          content: 'Available Tools: []\nconstruct a JSON response containing a "tool_calls" array',
        },
        ...user('Query: Pay order A-17 back.'),
      ],
    ],
    [
      'notes on the user',
      [
        { role: 'system', content: "You are Open WebUI's private memory reviewer. Return only valid JSON." },
        ...user('x'),
      ],
    ],
  ];

  test.each(prompts)('is refused: %s', async (_what, messages) => {
    await expect(chat({ messages })).rejects.toMatchObject({ code: 'FrontEndRequest', status: 400 });
    await expect(response({ input: messages })).rejects.toMatchObject({ code: 'FrontEndRequest' });
  });

  test.each([
    [
      'with documents',
      `### Task:\nRespond to the user query using the provided context.\n<context>\n${history}\n</context>`,
    ],
    ['of that form', '### Task:\nPay order A-17 back.\n### Output:\nA sentence.'],
  ])('is told from a question %s', async (_what, content) => {
    expect(await chat({ messages: user(content) })).toMatchObject({ input: content });
  });

  test('does not spoil the questions after it', async () => {
    const messages = [...user(title), { role: 'assistant', content: 'Refund' }, QUESTION];
    expect(await chat({ messages })).toMatchObject({ input: 'Which?' });
  });
});
