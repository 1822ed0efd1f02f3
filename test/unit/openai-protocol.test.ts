import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { Refused } from '../../gateway/http/problem.ts';
import { approvalIdOf, readApprovalId } from '../../gateway/openai/approval-id.ts';
import { chatChunks } from '../../gateway/openai/chat-reply.ts';
import { createChatText } from '../../gateway/openai/chat-text.ts';
import { errorBody } from '../../gateway/openai/error-body.ts';
import { replyOf } from '../../gateway/openai/follow-reply.ts';
import { readChat } from '../../gateway/openai/read-chat.ts';
import { readResponseRequest } from '../../gateway/openai/read-response.ts';
import { responseStream } from '../../gateway/openai/response-stream.ts';
import type { RunPart } from '../../gateway/replies/run-parts.ts';
import { allOf } from '../support/all-of.ts';

const RUN = 'acme.chairs';

describe('requests', () => {
  const chat = (body: object) => readChat(requestOf({ model: 'clerk', ...body }));
  const response = (body: object) => readResponseRequest(requestOf({ model: 'clerk', ...body }));
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
      start: {
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
    const { start } = await chat({ messages, metadata: { session: 'talk' } });
    expect(start).toMatchObject({ session: 'talk', chatHistory: [] });
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
      asked: { approvals: [{ ...approval, approve: false }] },
    });
    expect(readApprovalId(id)).toEqual(approval);
    expect(readApprovalId('mcpr_x')).toBeUndefined();
  });

  const messages = [user('Hi')];
  const tool = { type: 'function', function: { name: 'f' } };
  test.each<[string, object, string]>([
    ['tools', { messages, tools: [tool] }, 'The agent has its own tools'],
    ['another form', { messages, response_format: { type: 'json_object' } }, 'The form of an answer'],
    ['two answers', { messages, n: 2 }, 'A run has one answer'],
    ['no question', { messages: [...messages, { role: 'assistant', content: 'x' }] }, 'The last message'],
    [
      'a result of a tool',
      { messages: [{ role: 'tool', content: 'x' }] },
      'messages.0.role: The agent makes',
    ],
    ['a file', { messages: [user([{ type: 'file' }])] }, 'messages.0.content: Write a text'],
    [
      'an image before the question',
      { messages: [user([{ type: 'image_url', image_url: { url: 'https://x.com' } }]), user('x')] },
      'An image can be in the last message only',
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
    ['an unknown item', { input: [{ type: 'function_call_output' }] }, 'input.0: Send messages'],
    [
      'an unknown approval',
      { input: [{ type: 'mcp_approval_response', approval_request_id: 'x', approve: true }] },
      'x is not the id of an mcp_approval_request',
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

describe('the text of a chat', () => {
  const text = (call: string, delta: string): RunPart => ({ type: 'text', call, delta });
  const gone: RunPart = { type: 'void', call: '1' };
  const textsOf = (parts: RunPart[]) => parts.map(createChatText(RUN));

  test('has the texts of all calls, and the answer', () => {
    const parts: RunPart[] = [
      text('1', 'Let me'),
      text('1', ' see.'),
      text('2', '5'),
      { type: 'output', text: 'V' },
    ];
    expect(textsOf(parts)).toEqual(['Let me', ' see.', '\n\n5', '\n\nV']);
  });

  test('is held back until a new attempt has written more', () => {
    expect(textsOf([text('1', 'Hello'), gone, text('1', 'He'), text('1', 'llo you')])).toEqual([
      'Hello',
      '',
      '',
      ' you',
    ]);
  });

  test('is not continued with another text', () => {
    expect(() => textsOf([text('1', 'Hello'), gone, text('1', 'Good')])).toThrow(Refused);
    const ended = { type: 'ended' } as RunPart;
    expect(() => textsOf([text('1', 'Hello'), gone, text('1', 'Hel'), ended])).toThrow('/v1/responses/resp_');
  });
});

/** A run: a turn that calls a tool, a turn whose text is written in two attempts, and the answer. */
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, modelCalls: 1 };
const ended = (call: string, text: string, attempts: number) => ({
  type: 'model_ended',
  call,
  attempts,
  durationMs: 1,
  turn: { text, usage },
});
const action = { tool: 'price', toolInput: { product: 'chair' }, log: '' };
const record: object[] = [
  { type: 'run_started', id: RUN, runId: 'r', agent: 'clerk', input: 'x' },
  { type: 'model_started', call: '1' },
  ended('1', 'Let me see.', 1),
  { type: 'action', call: '1.1', action },
  { type: 'step', step: { call: '1.1', action, observation: 5, attempts: 1, durationMs: 1 } },
  { type: 'model_started', call: '2' },
  ended('2', 'A chair costs 5.', 2),
  { type: 'finish', output: 'A chair costs 5.', log: '' },
  {
    type: 'run_ended',
    status: 'completed',
    stopReason: 'final_answer',
    output: 'A chair costs 5.',
    iterations: 2,
    usage,
    error: null,
  },
];
const recorded = record.map((event, index) => ({ at: 1000, eventId: `e${index}`, ...event }) as RunEvent);
const writes = (call: string, attempt: number, text: string) =>
  ({ at: 1000, type: 'model_text', call, attempt, text }) as RunEvent;

/** The record as a reader receives it who is there while the model writes. */
const live: RunEvent[] = recorded.flatMap((event) => {
  if (event.type !== 'model_started') return [event];
  if (event.call === '1') return [event, writes('1', 1, 'Let'), writes('1', 1, 'Let me s')];
  return [event, writes('2', 1, 'One moment'), writes('2', 2, 'A ch'), writes('2', 2, 'A chair co')];
});

interface Sent {
  type: string;
  sequence_number: number;
  item_id?: string;
  delta?: string;
  item?: { id: string };
  response?: { status: string; output: unknown[] };
}

/** The events of a response's stream. */
async function streamOf(events: readonly RunEvent[], after?: number): Promise<Sent[]> {
  const reply = replyOf(RUN, given(events), { until: 'end', agents: undefined });
  const texts = await allOf(responseStream(reply, { after, report: rethrow }));
  return texts.map((text) => JSON.parse(text.replace(/^event: .*\ndata: /u, '')) as Sent);
}

async function* given(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events;
}

function rethrow(error: unknown): never {
  throw error;
}

/** The text of each item, as a client has it that joins the pieces of an item and begins anew when the item is added again. */
function textsOf(sent: readonly Sent[]): { [item: string]: string } {
  const texts: { [item: string]: string } = {};
  for (const { type, item_id: id = '', delta = '', item } of sent) {
    if (type === 'response.output_item.added' && item?.id.startsWith('msg_') === true) texts[item.id] = '';
    if (type === 'response.output_text.delta') texts[id] += delta;
  }
  return texts;
}

describe('the stream of a response', () => {
  test('has an item for each text and each tool call, and ends with all that is recorded', async () => {
    const sent = await streamOf(recorded);
    expect(sent.map(({ type }) => type.replace('response.', ''))).toMatchInlineSnapshot(`
      [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
      ]
    `);
    expect(sent.at(-1)?.response).toMatchInlineSnapshot(`
      {
        "created_at": 1,
        "error": null,
        "id": "resp_acme.chairs",
        "incomplete_details": null,
        "instructions": null,
        "metadata": {
          "run": "acme.chairs",
          "stop_reason": "final_answer",
        },
        "model": "clerk",
        "object": "response",
        "output": [
          {
            "content": [
              {
                "annotations": [],
                "text": "Let me see.",
                "type": "output_text",
              },
            ],
            "id": "msg_acme.chairs:1",
            "role": "assistant",
            "status": "completed",
            "type": "message",
          },
          {
            "arguments": "{"product":"chair"}",
            "id": "mcp_acme.chairs:1.1",
            "name": "price",
            "output": "5",
            "server_label": "agent",
            "status": "completed",
            "type": "mcp_call",
          },
          {
            "content": [
              {
                "annotations": [],
                "text": "A chair costs 5.",
                "type": "output_text",
              },
            ],
            "id": "msg_acme.chairs:2",
            "role": "assistant",
            "status": "completed",
            "type": "message",
          },
        ],
        "parallel_tool_calls": true,
        "status": "completed",
        "temperature": null,
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "usage": {
          "input_tokens": 1,
          "input_tokens_details": {
            "cache_write_tokens": 0,
            "cached_tokens": 0,
          },
          "output_tokens": 2,
          "output_tokens_details": {
            "reasoning_tokens": 0,
          },
          "total_tokens": 3,
        },
      }
    `);
  });

  test('marks a text that another attempt replaces, and leaves the text out at the end', async () => {
    const sent = await streamOf(live);
    expect(
      sent.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item),
    ).toMatchObject([
      { id: `msg_${RUN}:1`, status: 'completed' },
      { id: `mcp_${RUN}:1.1`, status: 'completed', output: '5' },
      { id: `msg_${RUN}:2`, status: 'incomplete', content: [{ text: 'One moment' }] },
      { id: `msg_${RUN}:2`, status: 'completed', content: [{ text: 'A chair costs 5.' }] },
    ]);
    expect(sent.at(-1)?.response?.output).toEqual((await streamOf(recorded)).at(-1)?.response?.output);
  });

  test('has growing numbers', async () => {
    for (const sent of [await streamOf(recorded), await streamOf(live)]) {
      const numbers = sent.map((one) => one.sequence_number);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    }
  });

  test('continues anywhere, from the record or live, without a doubled or a torn text', async () => {
    const whole = textsOf(await streamOf(recorded));
    for (const before of [recorded, live]) {
      const all = await streamOf(before);
      for (const [index, { sequence_number: after }] of all.entries()) {
        for (const rest of [recorded, live, lateLive]) {
          const sent = [...all.slice(0, index + 1), ...(await streamOf(seenAfter(after, rest), after))];
          expect(textsOf(sent)).toEqual(whole);
        }
      }
    }
  });

  /** The reader comes when most is written. */
  const lateLive = live.filter(
    ({ type }, index) => type !== 'model_text' || live[index + 1]?.type === 'model_ended',
  );

  /** A call that is recorded already is no longer live for those who read later. */
  function seenAfter(number: number, events: readonly RunEvent[]): RunEvent[] {
    const isRecorded = (event: RunEvent) => recorded.indexOf(event) < Math.floor(number / 1e9);
    return events.filter(
      (event, index) =>
        event.type !== 'model_text' ||
        !events.some(
          (other, at) =>
            at > index && other.type === 'model_ended' && isRecorded(other) && other.call === event.call,
        ),
    );
  }
});

test('chunks of a chat have the text, the end and the usage, and an error is the last one', async () => {
  const chunks = async (events: readonly RunEvent[]) => {
    const reply = replyOf(RUN, given(events), { until: 'end', agents: undefined });
    return allOf(chatChunks(reply, { includeUsage: true, report: () => undefined }));
  };
  const written = await chunks(recorded);
  expect(written.map((text) => text.slice(6, -2).replace(/.*"(choices|usage)":/u, '')))
    .toMatchInlineSnapshot(`
    [
      "[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}",
      "[{"index":0,"delta":{"content":"Let me see."},"finish_reason":null}]}",
      "[{"index":0,"delta":{"content":"\\n\\nA chair costs 5."},"finish_reason":null}]}",
      "[{"index":0,"delta":{},"finish_reason":"stop"}]}",
      "{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}",
      "[DONE]",
    ]
  `);
  const torn = await chunks(live);
  expect(torn.at(-1)).toContain('"code":"TextReplaced"');
});
