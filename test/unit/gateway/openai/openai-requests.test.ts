import { describe, expect, test } from 'vitest';
import { approvalIdOf, readApprovalId } from '../../../../gateway/openai/approval-id.ts';
import { errorBody } from '../../../../gateway/openai/error-body.ts';
import { readChat } from '../../../../gateway/openai/requests/read-chat.ts';
import { readResponseRequest } from '../../../../gateway/openai/requests/read-response.ts';

const RUN = 'acme.chairs';

describe('requests', () => {
  const chat = async (body: object) => {
    const { question, ...rest } = await readChat(requestOf({ model: 'clerk', ...body }), undefined);
    return { ...rest, asked: question() };
  };
  const response = async (body: object) => {
    const read = await readResponseRequest(requestOf({ model: 'clerk', ...body }), undefined);
    const { question, approvals, results, ...rest } = read;
    const answers = { approvals: approvals.map((approval) => approval()), results };
    return { ...rest, asked: approvals.length + results.length > 0 ? answers : question() };
  };
  const user = (content: unknown) => ({ role: 'user', content });

  test('of a chat ask the last message, and give the messages before', async () => {
    const messages = [
      { role: 'developer', content: 'Be kind.' },
      user([{ type: 'text', text: 'Hi' }]),
      { role: 'assistant', content: 'Hello' },
      user([
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ]),
    ];
    await expect(chat({ messages, temperature: 1, tools: [], n: 1 })).resolves.toMatchObject({
      asked: {
        agent: 'clerk',
        chatHistory: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
        ],
        input: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', image: 'https://example.com/a.png' },
        ],
      },
      stream: false,
    });
    const { asked } = await chat({ messages, metadata: { session: 'talk' } });
    expect(asked).toMatchObject({ session: 'talk', chatHistory: [] });
  });

  test('of a response are a text, or messages', async () => {
    await expect(response({ input: 'Hi', instructions: 'Be kind.' })).resolves.toMatchObject({
      asked: { input: 'Hi', chatHistory: [{ role: 'system', content: 'Be kind.' }] },
    });
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' };
    const items = [{ role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }, user([image])];
    await expect(response({ input: items, conversation: null })).resolves.toMatchObject({
      asked: {
        input: [{ type: 'image', image: image.image_url }],
        chatHistory: [{ role: 'assistant', content: 'Hello' }],
      },
    });
  });

  test('of a response can be answers to the approvals at the end', async () => {
    const approval = { run: RUN, call: '3.1/2.1', n: 2 };
    const id = approvalIdOf(approval);
    const item = (approve: boolean) => ({ type: 'mcp_approval_response', approval_request_id: id, approve });
    await expect(response({ input: [item(true), user('Go on'), item(false)] })).resolves.toMatchObject({
      asked: { approvals: [{ ...approval, approves: false }] },
    });
    expect(readApprovalId(id)).toEqual(approval);
    expect(readApprovalId('mcpr_x')).toBeUndefined();
  });

  const reference = (id: string) => ({ type: 'item_reference', id });

  test('of a response can refer to items of earlier ones: the last of these has all items before', async () => {
    const before = [user('Hi'), reference(`msg_a.b:1`), user('And?'), reference(`mcp_${RUN}:3.1/2.1`)];
    const last = reference(`msg_${RUN}:answer`);
    const asked = await response({ input: [...before, last, user('Go on')], instructions: 'Be kind.' });
    expect(asked).toMatchObject({
      asked: {
        input: 'Go on',
        chatHistory: [{ role: 'system', content: 'Be kind.' }],
        previous: `resp_${RUN}`,
      },
    });
    expect(asked.echo).toEqual({ background: false });
    await expect(response({ input: [last, user('Go on')], conversation: 'a' })).resolves.toMatchObject({
      session: 'a',
      asked: { previous: undefined },
    });
  });

  test('of a response can have references between approvals', async () => {
    const ids = ['1.1', '1.2'].map((call) => approvalIdOf({ run: RUN, call, n: 0 }));
    const input = ids.flatMap((id) => [
      reference(id),
      { type: 'mcp_approval_response', approval_request_id: id, approve: true },
    ]);
    await expect(response({ input: [user('Pay'), ...input] })).resolves.toMatchObject({
      asked: { approvals: [{ call: '1.1' }, { call: '1.2' }] },
    });
  });

  test.each([false, true])(
    'of a response can have approvals and results, results first: %s',
    async (first) => {
      const approval = {
        type: 'mcp_approval_response',
        approval_request_id: approvalIdOf({ run: RUN, call: '1.1', n: 0 }),
        approve: true,
      };
      const result = { type: 'function_call_output', call_id: `${RUN}:1.2:0`, output: 'red' };
      const answers = first ? [result, approval] : [approval, result];
      await expect(response({ input: [user('Pay'), ...answers] })).resolves.toMatchObject({
        asked: { approvals: [{ call: '1.1' }], results: [{ call: '1.2' }] },
      });
    },
  );

  const messages = [user('Hi')];
  const tool = { type: 'function', function: { name: 'f' } };
  test.each<[string, object, string]>([
    [
      'a demanded tool call',
      { messages, tools: [tool], tool_choice: 'required' },
      'The agent has its own tools',
    ],
    ['another form', { messages, response_format: { type: 'json_object' } }, 'The form of an answer'],
    ['two answers', { messages, n: 2 }, 'A run has one answer'],
    ['no question', { messages: [...messages, { role: 'assistant', content: 'x' }] }, 'The last message'],
    ['a result of a tool at the end', { messages: [{ role: 'tool', content: 'x' }] }, 'The last message'],
    ['an unknown role', { messages: [{ role: 'critic', content: 'x' }] }, 'messages.0.role: Send messages'],
    [
      'a file that was uploaded elsewhere',
      { messages: [user([{ type: 'file', file: { file_id: 'file-1' } }])] },
      'there is no upload here',
    ],
    [
      'an image before the question',
      { messages: [user([{ type: 'image_url', image_url: { url: 'https://x.com' } }]), user('x')] },
      'An image or a file can be in the last message only',
    ],
  ])('of a chat are refused for %s', async (_what, body, sentence) => {
    await expect(chat(body)).rejects.toThrow(sentence);
  });

  test.each<[string, object, string]>([
    [
      'two conversations',
      { input: 'x', conversation: 'a', previous_response_id: 'resp_b' },
      'give one of them',
    ],
    [
      'more than one message',
      { input: [user('a'), user('b')], conversation: 'a' },
      'A conversation has its own',
    ],
    ['instructions in a conversation', { input: 'x', conversation: 'a', instructions: 'x' }, 'has its own'],
    ['an unknown item', { input: [{ type: 'computer_call' }] }, 'input.0: Send messages'],
    [
      'an unknown approval',
      { input: [{ type: 'mcp_approval_response', approval_request_id: 'x', approve: true }] },
      'x is not the id of an mcp_approval_request',
    ],
    [
      'an item of another server',
      { input: [reference('msg_1'), user('x')] },
      'msg_1 is not the id of an item',
    ],
    ['another form', { input: 'x', text: { format: { type: 'json_schema' } } }, 'The form of an answer'],
    ['a template', { input: 'x', prompt: { id: 'p' } }, 'The prompt is that of the agent'],
  ])('of a response are refused for %s', async (_what, body, sentence) => {
    await expect(response(body)).rejects.toThrow(sentence);
  });

  function requestOf(body: object): Request {
    return new Request('http://gateway', { method: 'POST', body: JSON.stringify(body) });
  }
});

test.each([
  [401, 'authentication_error'],
  [404, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [503, 'server_error'],
])('an error with %d has the type %s', (status, type) => {
  const problem = { type: '', title: '', status, detail: 'Why', code: 'Odd' };
  expect(errorBody(problem)).toEqual({ error: { message: 'Why', type, code: 'Odd', param: null } });
});
