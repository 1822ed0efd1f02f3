import {
  type UIMessage,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  uiMessageChunkSchema,
} from 'ai';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../../gateway/start/approvals.ts';
import * as reader from '../../../support/ui-messages.ts';
import {
  RUN,
  action,
  caughtUp,
  decided,
  ends,
  over,
  rewinds,
  step,
  waits,
  writes,
} from '../../../support/reply-events.ts';

const ai6 = { readUIMessageStream, uiMessageChunkSchema };
const chunksOf = (events: readonly object[], answered?: Approval[], mayDecide = true) =>
  reader.chunksOf(ai6, events, { answered, mayDecide });
const messageOf = (events: readonly object[], message?: UIMessage, answered?: Approval[]) =>
  reader.messageOf(ai6, events, { message, answered });

const turn = [ends('1', 'Let me see.', { reasoning: 'Hm' }), action('1.1')];
const answer = [ends('2', 'It is 5.'), over('completed')];

describe('a message', () => {
  test('has the steps, texts, reasoning and tool calls of the run', async () => {
    const { parts, last } = await messageOf([...turn, step('1.1', 5), ...answer]);
    expect(parts).toEqual([
      '-',
      'reasoning: Hm',
      'text: Let me see.',
      'price output-available 5',
      '-',
      'text: It is 5.',
    ]);
    expect(last).toMatchObject({ id: RUN, role: 'assistant', metadata: { run: RUN } });
  });

  test('shows the progress of a tool until its result is there', async () => {
    const progress = { type: 'tool_progress', call: '1.1', attempt: 1, text: 'half' };
    const before = await messageOf([caughtUp, ...turn, progress]);
    expect(before.parts.at(-1)).toBe('price output-available "half"');
    const after = await messageOf([caughtUp, ...turn, progress, step('1.1', 5)]);
    expect(after.parts.at(-1)).toBe('price output-available 5');
  });

  test('leaves out the answer to an unreadable reply', async () => {
    const { parts } = await messageOf([action('1.1', '_Exception'), step('1.1', 'no')]);
    expect(parts).toEqual([]);
  });

  test.each([
    ['stopped', 'length'],
    ['completed', 'stop'],
    ['cancelled', 'other'],
  ])('of a run that is %s finishes with %s, and says so', async (status, finishReason) => {
    const { chunks } = await chunksOf([over(status)]);
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason, messageMetadata: { status } });
    expect((await messageOf([over(status)])).last?.metadata).toEqual({ run: RUN, status });
  });

  test.each(['cancelled', 'failed', 'stopped'])(
    'of a run that is %s leaves no call under way, and no wait',
    async (status) => {
      const two = [caughtUp, ...turn, action('1.2'), action('1.3'), waits('1.2'), waits('1.3', 'failed')];
      const error = status === 'failed' ? { type: 'E', message: '' } : null;
      const { parts } = await messageOf([...two, over(status, { error })]);
      expect(parts.slice(3)).toMatchObject([
        'price output-error',
        'price output-error',
        'price output-error',
        { type: 'data-waiting', data: null },
      ]);
    },
  );

  test('of a failed run ends with the error', async () => {
    const { errors } = await messageOf([over('failed', { error: { type: 'E', message: 'at 10.0.0.7' } })]);
    expect(String(errors)).toContain('The run failed (E).');
  });
});

describe('a call that waits for approval', () => {
  const events = [...turn, waits('1.1'), caughtUp];

  test('ends the stream, and the answer continues the message', async () => {
    const { parts, last } = await messageOf(events);
    expect(parts.at(-1)).toBe('price approval-requested');
    const { parts: continued } = await messageOf(
      [...turn, waits('1.1'), decided('1.1', 'approve'), step('1.1', 5), caughtUp, ...answer],
      last,
      [{ run: RUN, call: '1.1', n: 0 }],
    );
    expect(continued.slice(2)).toEqual([
      'text: Let me see.',
      'price output-available 5',
      '-',
      'text: It is 5.',
    ]);
  });

  test('is a wait without buttons for a caller who may not decide, and the stream goes on', async () => {
    const all = [...turn, waits('1.1'), caughtUp, decided('1.1', 'approve'), step('1.1', 5), ...answer];
    const { chunks } = await chunksOf(all, undefined, false);
    expect(chunks.filter(({ type }) => type === 'tool-approval-request')).toEqual([]);
    expect(chunks.filter(({ type }) => type === 'data-waiting')).toMatchObject([
      { data: { call: '1.1', reason: 'approval', text: 'waits for approval', decisions: [] } },
      { data: null },
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  test('is denied', async () => {
    const { parts } = await messageOf(
      [...events, decided('1.1', 'reject'), step('1.1', 'no')].toSpliced(3, 1),
    );
    expect(parts.at(-1)).toBe('price output-denied');
  });

  test('can be approved elsewhere, and then waits no longer', async () => {
    const { parts } = await messageOf([...turn, waits('1.1'), decided('1.1', 'approve'), caughtUp]);
    expect(parts.at(-1)).toBe('price input-available');
  });

  test('lets the other calls of its turn finish first', async () => {
    const both = [caughtUp, ...turn, action('1.2'), waits('1.1')];
    expect((await chunksOf([...both, step('1.2', 1), step('1.1', 1)])).chunks.at(-1)).toEqual({
      type: 'finish',
      finishReason: 'tool-calls',
    });
    expect((await chunksOf(both)).chunks.at(-1)).toMatchObject({ type: 'tool-approval-request' });
  });
});

describe('a call of a tool of the page', () => {
  const asked = [ends('1', ''), { ...action('1.1'), client: true }, waits('1.1', 'client_tool')];

  test.each([
    ['has its result', [decided('1.1', 'resolve'), step('1.1', 'red')]],
    ['has none', []],
  ])('that %s is not answered by the page once more when the run ends after it', async (_, rest) => {
    const endings = [
      [over('cancelled')],
      [over('stopped')],
      [{ type: 'finish', output: 'Done.', log: '' }, over('stopped')],
    ];
    for (const ending of endings) {
      const { last } = await messageOf([...asked, ...rest, ...ending]);
      expect(last?.parts).toContainEqual(expect.objectContaining({ type: 'tool-price' }));
      expect(lastAssistantMessageIsCompleteWithToolCalls({ messages: last ? [last] : [] })).toBe(false);
    }
  });

  test('ends the stream, and the result continues the message', async () => {
    const { chunks, last } = {
      ...(await chunksOf([...asked, caughtUp])),
      ...(await messageOf([...asked, caughtUp])),
    };
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' });
    const events = [...asked, decided('1.1', 'resolve'), step('1.1', 'red'), caughtUp, ...answer];
    const { parts } = await messageOf(events, last, [{ run: RUN, call: '1.1', n: 0 }]);
    expect(parts.slice(2)).toEqual(['-', 'text: It is 5.']);
  });
});

test('another wait is a data part with the decisions, until the wait ends', async () => {
  const events = [caughtUp, ...turn, waits('1.1', 'failed')];
  const { parts } = await messageOf(events);
  expect(parts.at(-1)).toMatchObject({
    type: 'data-waiting',
    data: { run: RUN, call: '1.1', n: 0, text: 'failed', decisions: ['retry', 'resolve', 'skip', 'abort'] },
  });
  const after = await messageOf([...events, decided('1.1', 'retry')]);
  expect(after.parts.at(-1)).toMatchObject({ type: 'data-waiting', data: null });
});

describe('a text that is taken back', () => {
  test('breaks the connection, and the resumed stream does not have the text', async () => {
    const live = [caughtUp, writes('Hello'), writes('Good', 2)];
    await expect(chunksOf(live)).resolves.toMatchObject({ isWithdrawn: true });
    const { parts } = await messageOf([caughtUp, writes('Good', 2), ends('1', 'Good day')]);
    expect(parts).toEqual(['-', 'text: Good day']);
  });

  test('before the reader came is left out', async () => {
    const restarted = rewinds(1);
    const { parts } = await messageOf([
      ...turn,
      step('1.1', 5),
      restarted,
      ends('1', 'Now'),
      over('completed'),
    ]);
    expect(parts).toEqual(['-', 'text: Now']);
  });

  test('is that of the record at the end, whatever came before', async () => {
    const letters = (maxLength: number) => fc.string({ maxLength, unit: fc.constantFrom('a', 'b') });
    const written = fc.array(fc.record({ text: letters(3), attempt: fc.integer({ min: 1, max: 3 }) }));
    const property = fc.asyncProperty(written, letters(4), async (before, whole) => {
      let live = before.map(({ text, attempt }) => writes(text, attempt));
      const rest = [ends('1', whole, { attempt: 3 }), over('completed')];
      // Each broken stream is resumed, by a reader who comes later.
      while ((await chunksOf([caughtUp, ...live, ...rest])).isWithdrawn) live = live.slice(1);
      const { parts } = await messageOf([caughtUp, ...live, ...rest]);
      expect(parts.slice(1)).toEqual(whole === '' ? [] : [`text: ${whole}`]);
    });
    await fc.assert(property, { numRuns: 50 });
  });
});
