import { join } from 'node:path';
import * as ai6 from 'ai';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChunkOptions } from '../../gateway/ai-sdk/ui-chunks.ts';
import { fetchAiSdk7 } from '../support/npm-packages.ts';
import * as reader from '../support/ui-messages.ts';
import {
  RUN,
  action,
  begins,
  caughtUp,
  decided,
  ends,
  over,
  rewinds,
  says,
  step,
  waits,
  writes,
} from '../support/reply-events.ts';

/** The chunks that only pages of the AI SDK 7 are sent, read by its own reader. */
const fetched = await fetchAiSdk7();
const title = 'missing' in fetched ? ` (skipped: no AI SDK 7 here: ${fetched.missing})` : '';
const ai7 =
  'missing' in fetched
    ? ai6
    : ((await import(join(fetched.folder, 'node_modules/ai/dist/index.js'))) as reader.AiSdk);
const newer = { isNewer: true };
const chunksOf = (events: readonly object[], options: Partial<ChunkOptions> = newer) =>
  reader.chunksOf(ai7, events, options);
const messageOf = (events: readonly object[], options: Parameters<typeof reader.messageOf>[2] = {}) =>
  reader.messageOf(ai7, events, { ...newer, ...options });

const turn = [ends('1', 'Let me see.', { reasoning: 'Hm' }), action('1.1')];
const answer = [ends('2', 'It is 5.'), over('completed')];
const taken = [caughtUp, writes('Hello'), writes('Good', 2), ends('1', 'Good day'), over('completed')];
const steered = [caughtUp, ...turn, says('In euros.'), step('1.1', 5), begins('2'), ...answer];
const elsewhere = [...turn, waits('1.1'), decided('1.1', 'approve'), caughtUp];

describe.skipIf('missing' in fetched)(`a page of the AI SDK 7${title}`, () => {
  test.each([
    ['reset-step', taken],
    ['steering-message', steered],
    ['tool-approval-response', elsewhere],
    ['interrupted', [over('cancelled')]],
  ])('gets %s, which one of version 6 refuses and is never sent', async (word, events) => {
    const has = (list: readonly object[]) => list.find((chunk) => JSON.stringify(chunk).includes(word));
    const { chunks } = await chunksOf(events);
    const { success } = (await ai6.uiMessageChunkSchema().validate?.(has(chunks))) ?? {};
    expect(success).toBe(false);
    expect(has((await reader.chunksOf(ai6, events)).chunks)).toBeUndefined();
    expect(has((await chunksOf(events, {})).chunks)).toBeUndefined();
  });

  test('loses a text that is taken back, and nothing before its step', async () => {
    expect((await messageOf(taken)).parts).toEqual(['-', 'text: Good day']);
    const second = { ...writes('It', 1), call: '2' };
    const { parts, isWithdrawn } = await messageOf([
      caughtUp,
      ...turn,
      step('1.1', 5),
      second,
      { ...second, text: 'Fi', attempt: 2 },
      ends('2', 'Five', { attempt: 2 }),
      over('completed'),
    ]);
    expect(isWithdrawn).toBe(false);
    expect(parts.slice(2)).toEqual(['text: Let me see.', 'price output-available 5', '-', 'text: Five']);
  });

  test('has the text of the record at the end, whatever came before, in one stream', async () => {
    const letters = (maxLength: number) => fc.string({ maxLength, unit: fc.constantFrom('a', 'b') });
    const written = fc.array(fc.record({ text: letters(3), attempt: fc.integer({ min: 1, max: 3 }) }));
    const property = fc.asyncProperty(written, letters(4), async (before, whole) => {
      const live = before.map(({ text, attempt }) => writes(text, attempt));
      const rest = [ends('1', whole, { attempt: 3 }), over('completed')];
      const { parts, isWithdrawn, errors } = await messageOf([caughtUp, ...live, ...rest]);
      expect([isWithdrawn, errors]).toEqual([false, []]);
      expect(parts.slice(1)).toEqual(whole === '' ? [] : [`text: ${whole}`]);
    });
    await fc.assert(property, { numRuns: 50 });
  });

  test('loses the step that a rewind repeats, with its calls and waits', async () => {
    const events = [caughtUp, ...turn, action('1.2'), waits('1.1', 'failed'), waits('1.2')];
    const { parts, isWithdrawn } = await messageOf([
      ...events,
      rewinds(1),
      ends('1', 'Now', { reasoning: 'Hm' }),
      action('1.1', 'cost'),
      step('1.1', 6),
      ...answer,
    ]);
    expect(isWithdrawn).toBe(false);
    expect(parts).toEqual([
      '-',
      'reasoning: Hm',
      'text: Now',
      'cost output-available 6',
      '-',
      'text: It is 5.',
    ]);
  });

  test('has its stream broken by a rewind to an earlier step, and by one of a step with a message', async () => {
    const two = [caughtUp, ...turn, step('1.1', 5), { ...writes('It', 1), call: '2' }];
    await expect(chunksOf([...two, rewinds(1)])).resolves.toMatchObject({ isWithdrawn: true });
    const said = [caughtUp, says('Hi'), begins('1'), writes('Hello'), writes('Good', 2), rewinds(1)];
    await expect(chunksOf(said)).resolves.toMatchObject({ isWithdrawn: true });
  });

  test('shows messages to the run before the step that has them', async () => {
    const { parts } = await messageOf([...steered.slice(0, -1), says('Too late.'), over('completed')]);
    expect(parts.slice(3)).toEqual([
      'price output-available 5',
      {
        type: 'steering-message',
        id: `${RUN}:2.said1.1`,
        parts: [{ type: 'text', text: 'In euros.' }],
      },
      '-',
      'text: It is 5.',
    ]);
  });

  test('shows what somebody else has decided', async () => {
    expect((await messageOf(elsewhere)).parts.at(-1)).toBe('price approval-responded');
    const done = [...elsewhere, step('1.1', 5), ...answer];
    expect((await messageOf(done)).parts.slice(3)).toEqual([
      'price output-available 5',
      '-',
      'text: It is 5.',
    ]);
    const rejected = [...turn, waits('1.1'), decided('1.1', 'reject'), caughtUp];
    const { last } = await messageOf(rejected);
    expect(last?.parts.at(-1)).toMatchObject({ state: 'approval-responded', approval: { approved: false } });
    const denied = await messageOf([...rejected, step('1.1', 'no'), ...answer]);
    expect(denied.parts.slice(3)).toEqual(['price output-denied', '-', 'text: It is 5.']);
  });

  test('continues its message after its own approval', async () => {
    const { last: message } = await messageOf([...turn, waits('1.1'), caughtUp]);
    const { parts, errors } = await messageOf(
      [...turn, waits('1.1'), decided('1.1', 'approve'), step('1.1', 5), caughtUp, ...answer],
      { message, answered: [{ run: RUN, call: '1.1', n: 0 }] },
    );
    expect(errors).toEqual([]);
    expect(parts.slice(3)).toEqual(['price output-available 5', '-', 'text: It is 5.']);
  });
});
