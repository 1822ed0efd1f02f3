import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { Refused } from '../../../../gateway/http/problem.ts';
import { chatChunks, createChatText } from '../../../../gateway/openai/chat-reply.ts';
import { responseStream } from '../../../../gateway/openai/response-stream.ts';
import { replyOf } from '../../../../gateway/replies/follow-reply.ts';
import type { RunPart } from '../../../../gateway/replies/run-parts.ts';
import { allOf } from '../../../support/all-of.ts';

const RUN = 'acme.chairs';

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
const action = { tool: 'price', toolInput: { product: 'chair' }, log: '' };
const finish = (text: string) => ({ type: 'finish', output: text });
const ended = (call: string, text: string, attempts: number, decision: object = finish(text)) => ({
  type: 'model_ended',
  call,
  attempts,
  durationMs: 1,
  turn: { text, usage, decision },
});
const record: object[] = [
  { type: 'run_started', id: RUN, runId: 'r', agent: 'clerk', input: 'x' },
  { type: 'model_started', call: '1' },
  ended('1', 'Let me see.', 1, { type: 'act', actions: [action] }),
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
  const open = () => replyOf(RUN, given(events), { agents: undefined });
  const texts = await allOf(responseStream(open, { after, report: rethrow }));
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
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "mcp_call.in_progress",
        "mcp_call_arguments.delta",
        "mcp_call_arguments.done",
        "mcp_call.completed",
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
    expect(sent.at(-1)?.response).toMatchObject({
      id: `resp_${RUN}`,
      status: 'completed',
      metadata: { run: RUN, stop_reason: 'final_answer' },
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      output: [
        { type: 'message', phase: 'commentary', content: [{ text: 'Let me see.\n\n' }] },
        { type: 'mcp_call', name: 'price', arguments: '{"product":"chair"}', output: '5' },
        { type: 'message', phase: 'final_answer', content: [{ text: 'A chair costs 5.' }] },
      ],
    });
  });

  test('has the events of a tool call that the server of OpenAI sends', async () => {
    const sent = await streamOf(recorded);
    const from = sent.findIndex(({ item }) => item?.id === `mcp_${RUN}:1.1`);
    expect(sent.slice(from, from + 6)).toMatchObject([
      { type: 'response.output_item.added', item: { arguments: '', status: 'in_progress' } },
      { type: 'response.mcp_call.in_progress', item_id: `mcp_${RUN}:1.1` },
      { type: 'response.mcp_call_arguments.delta', delta: '{"product":"chair"}' },
      { type: 'response.mcp_call_arguments.done', arguments: '{"product":"chair"}' },
      { type: 'response.mcp_call.completed', item_id: `mcp_${RUN}:1.1` },
      { type: 'response.output_item.done', item: { arguments: '{"product":"chair"}', output: '5' } },
    ]);
  });

  test('has one answer, though a message had the model answer again', async () => {
    const again = recorded.filter(({ type }) => type !== 'action' && type !== 'step');
    again[2] = { ...again[2], ...ended('1', 'Four.', 1) } as RunEvent;
    const output = (await streamOf(again)).at(-1)?.response?.output;
    expect(output).toMatchObject([
      { phase: 'commentary', content: [{ text: 'Four.\n\n' }] },
      { phase: 'final_answer', content: [{ text: 'A chair costs 5.' }] },
    ]);
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

  test('of a failed run, or with an error, has a code or a type after which no client starts another run', async () => {
    const error = { type: 'ModelServerError', message: 'secret' };
    const end = { ...recorded.at(-1), status: 'failed', stopReason: null, output: null, error } as RunEvent;
    const failed = await streamOf([...recorded.slice(0, 1), end]);
    expect(failed.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { code: 'invalid_prompt', type: 'ModelServerError', param: null } },
    });
    async function* brokenOff(): AsyncGenerator<RunEvent> {
      yield* recorded.slice(0, 1);
      throw new Error('secret');
    }
    const open = () => replyOf(RUN, brokenOff(), { agents: undefined });
    const texts = await allOf(responseStream(open, { report: () => undefined }));
    expect(JSON.parse(texts.at(-1)?.replace('event: error\ndata: ', '') ?? '')).toMatchObject({
      type: 'error',
      code: 'InternalError',
      error: { type: 'invalid_request_error', code: 'InternalError' },
    });
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

test('chunks of a chat have the text, the end and the usage; another text ends them with an error', async () => {
  const chunks = async (events: readonly RunEvent[]) => {
    const open = () => replyOf(RUN, given(events), { agents: undefined });
    return allOf(chatChunks(open, { includeUsage: true }));
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
  await expect(chunks(live)).rejects.toMatchObject({ code: 'TextReplaced' });
});
