import { HttpAgent, type Message } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AguiClient, aguiEvents } from '../../../../gateway/ag-ui/agui-stream.ts';
import type { AguiEvent } from '../../../../gateway/ag-ui/agui-types.ts';
import { settledParts } from '../../../../gateway/replies/settled-parts.ts';
import * as reply from '../../../support/reply-events.ts';

const { RUN, caughtUp, ends, over, step, thinks, waits, writes } = reply;
const names = { threadId: 't1', runId: 'r1' };
const question: Message = { id: 'q1', role: 'user', content: 'What?' };

/** The events, each of which the schemas of AG-UI take. */
async function eventsOf(events: readonly object[], more: Partial<AguiClient> = {}): Promise<AguiEvent[]> {
  const made: AguiEvent[] = [];
  const client = { names, messages: [question], answered: [], ...more };
  for await (const event of aguiEvents(RUN, settledParts(reply.partsOf(events)), client)) {
    const { success } = EventSchemas.safeParse(event);
    expect([event, success]).toEqual([event, true]);
    made.push(structuredClone(event));
  }
  return made;
}

/** The messages as AG-UI's own client has them, which also checks the order of the events. `events` by request. */
async function messagesOf(...requests: AguiEvent[][]): Promise<unknown[]> {
  const fetch = async () => {
    const texts = (requests.shift() ?? []).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    return new Response(texts.join(''), { headers: { 'content-type': 'text/event-stream' } });
  };
  const agent = new HttpAgent({ url: 'http://gateway', fetch, threadId: 't1', initialMessages: [question] });
  while (requests.length > 0) {
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
      payload: { approved: true },
    }));
    await agent.runAgent({ runId: 'r1', resume });
  }
  return agent.messages.slice(1).map(essence);
}

function essence(message: Message): unknown {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [message.role, message.content, ...calls.map((call) => call.function)].filter(Boolean);
}

const action = (call: string) => reply.action(call, 'price', { product: 'chair' });
const turn = [ends('1', 'Let me see.', { reasoning: 'Hm' }), action('1.1')];
const answer = [ends('2', 'It is 5.'), over('completed', { output: 'It is 5.' })];
const called = { name: 'price', arguments: '{"product":"chair"}' };
const whole = [
  ['reasoning', 'Hm'],
  ['assistant', 'Let me see.', called],
  ['tool', '5'],
  ['assistant', 'It is 5.'],
];

describe('a run', () => {
  test('has steps, texts, reasoning, tool calls and their results', async () => {
    const events = await eventsOf([...turn, step('1.1', 5), ...answer]);
    await expect(messagesOf(events)).resolves.toEqual(whole);
    expect(events.map(({ type }) => type)).toMatchInlineSnapshot(`
      [
        "RUN_STARTED",
        "STEP_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "STEP_FINISHED",
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
      ]
    `);
    expect(events.at(-1)).toEqual({
      type: 'RUN_FINISHED',
      ...names,
      outcome: { type: 'success' },
      result: 'It is 5.',
    });
  });

  test.each([
    ['cancelled', { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }],
    ['failed', { type: 'RUN_ERROR', message: 'The run failed (E). Its operator can see why.', code: 'E' }],
  ])('that is %s says so', async (status, end) => {
    const events = await eventsOf([over(status, { error: { type: 'E', message: 'No money.' } })]);
    expect(events.at(-1)).toMatchObject(end);
  });

  test('reports the progress of its tools', async () => {
    const progress = { type: 'tool_progress', call: '1.1', attempt: 1, text: 'half' };
    const events = await eventsOf([...turn, progress]);
    expect(events.at(-1)).toMatchObject({ name: 'tool_progress', value: { text: 'half' } });
  });
});

describe('a wait for a person', () => {
  const waiting = [...turn, waits('1.1'), caughtUp];

  test('is an interrupt with the form of its answer, and the answer continues the messages', async () => {
    const events = await eventsOf(waiting);
    expect(events.at(-1)).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: `${RUN}:1.1:0`,
            reason: 'approval',
            message: 'price (1.1) needs your approval',
            toolCallId: `${RUN}:1.1`,
            responseSchema: { required: ['approved'] },
          },
        ],
      },
    });
    const decided = { type: 'decided', call: '1.1', decision: { type: 'approve' } };
    const known = [
      question,
      { id: `${RUN}:1:reasoning`, role: 'reasoning' },
      { id: `${RUN}:1`, role: 'assistant' },
    ];
    const record = [...turn, waits('1.1'), decided, step('1.1', 5), caughtUp, ...answer];
    const answered = [{ run: RUN, call: '1.1', n: 0 }];
    const rest = await eventsOf(record, { messages: known, answered });
    expect(rest.map(({ type }) => type)).not.toContain('MESSAGES_SNAPSHOT');
    await expect(messagesOf(events, rest)).resolves.toEqual(whole);
    // The same answer again, after the stream broke.
    const torn = [...known, { id: `${RUN}:1.1:result`, role: 'tool' }];
    const again = await eventsOf(record, { messages: torn, answered });
    await expect(messagesOf(events, rest.slice(0, 2), again)).resolves.toEqual(whole);
  });

  test('of another reason is answered by a decision', async () => {
    const events = await eventsOf([...turn, waits('1.1', 'failed'), caughtUp]);
    expect(events.at(-1)).toMatchObject({
      outcome: { interrupts: [{ metadata: { decisions: ['retry', 'resolve', 'skip', 'abort'] } }] },
    });
  });

  test('lets the other calls of its turn finish first', async () => {
    const both = [caughtUp, ...turn, action('1.2'), waits('1.1')];
    expect((await eventsOf([...both, step('1.2', 1)])).at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
    expect((await eventsOf(both)).at(-1)).toMatchObject({ type: 'TOOL_CALL_END' });
  });
});

describe('a text that is taken back', () => {
  test('leaves the messages with a snapshot', async () => {
    const events = await eventsOf([
      caughtUp,
      thinks('Oh'),
      writes('Hello'),
      writes('Good', 2),
      ends('1', 'Good', { attempt: 2 }),
      ...answer,
    ]);
    await expect(messagesOf(events)).resolves.toEqual([
      ['reasoning'],
      ['assistant', 'Good'],
      ['assistant', 'It is 5.'],
    ]);
  });

  test('is that of the record at the end, whatever came before, and wherever the stream broke', async () => {
    const letters = (maxLength: number) => fc.string({ maxLength, unit: fc.constantFrom('a', 'b') });
    const written = fc.array(fc.record({ text: letters(3), attempt: fc.integer({ min: 1, max: 3 }) }));
    const property = fc.asyncProperty(written, letters(4), fc.nat(), async (before, text, cut) => {
      const live = before.map((one) => writes(one.text, one.attempt));
      const record = [ends('1', text, { attempt: 3 }), over('completed')];
      const events = await eventsOf([caughtUp, ...live, ...record]);
      const expected = text === '' ? [] : [['assistant', text]];
      await expect(messagesOf(events)).resolves.toEqual(expected);
      const seen = events.slice(0, cut % events.length);
      const known = [question, ...(seen.length > 2 ? [{ id: `${RUN}:1`, role: 'assistant' }] : [])];
      const again = await eventsOf(record, { messages: known });
      const torn: AguiEvent[] = [...seen, { type: 'RUN_ERROR', message: 'torn', code: 'x' }];
      await expect(messagesOf(torn, again)).resolves.toEqual(expected);
    });
    await fc.assert(property, { numRuns: 50 });
  });
});
