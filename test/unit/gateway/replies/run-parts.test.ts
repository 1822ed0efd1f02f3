import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { RunView } from '../../../../agent/views/view.ts';
import { type RunPart, runParts } from '../../../../gateway/replies/run-parts.ts';
import { thinks, writes } from '../../../support/reply-events.ts';

async function partsOf(events: object[], isPlain = true): Promise<RunPart[]> {
  async function* given() {
    yield* events.map((event) => ({ at: 0, ...event }) as RunEvent);
  }
  const parts: RunPart[] = [];
  for await (const part of runParts(given(), { isPlain, view: new RunView('run') })) parts.push(part);
  return parts;
}

const ends = (text: string, more: object = {}) => ({
  type: 'model_ended',
  call: '1',
  attempts: 1,
  turn: { text, decision: { type: 'finish', output: text }, ...more },
});
const text = (delta: string) => ({ type: 'text', call: '1', delta });
const reasoning = (delta: string) => ({ type: 'reasoning', call: '1', delta });
const turn = { type: 'turn', call: '1', isAnswer: true };
const gone = { type: 'void', call: '1' };

describe('a text', () => {
  test('comes in pieces, and its rest with the end of the call', async () => {
    const parts = await partsOf([writes('Hel'), writes('Hello'), ends('Hello, you')]);
    expect(parts).toEqual([text('Hel'), text('lo'), text(', you'), turn]);
  });

  test('of another attempt takes the place of the text before, unless it continues it', async () => {
    const parts = await partsOf([writes('Hello'), writes('Good', 2), ends('Good day', { attempt: 2 })]);
    expect(parts).toEqual([text('Hello'), gone, text('Good'), text(' day'), turn]);
    await expect(partsOf([writes('Hel'), writes('Hello', 2), ends('Hello')])).resolves.toEqual([
      text('Hel'),
      text('lo'),
      turn,
    ]);
  });

  test('of a text format is left out, and the answer comes as the output', async () => {
    const events = [
      writes('Thought: I'),
      ends('Thought: I know\nFinal Answer: 5'),
      { type: 'finish', output: '5' },
    ];
    await expect(partsOf(events, false)).resolves.toEqual([turn, { type: 'output', text: '5' }]);
  });

  test('that is the output comes once', async () => {
    await expect(partsOf([ends('5'), { type: 'finish', output: '5' }])).resolves.toEqual([text('5'), turn]);
  });

  test.each(['{"total":7}', '{"total": 7}', '{\n  "total": 7\n}\n'])(
    'that is the JSON of the output comes once: %j',
    async (written) => {
      const events = [ends(written), { type: 'finish', output: { total: 7 } }];
      await expect(partsOf(events)).resolves.toEqual([text(written), turn]);
    },
  );

  test('before a tool call is not the answer', async () => {
    const parts = await partsOf([ends('Let me see.', { decision: { type: 'act', actions: [] } })]);
    expect(parts.at(-1)).toEqual({ ...turn, isAnswer: false });
  });

  test('is that of the record, whatever came before', async () => {
    const live = fc.array(
      fc.record({
        text: fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b') }),
        attempt: fc.integer({ min: 1, max: 3 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        live,
        fc.string({ maxLength: 4, unit: fc.constantFrom('a', 'b') }),
        async (written, whole) => {
          const parts = await partsOf([...written.map((one) => writes(one.text, one.attempt)), ends(whole)]);
          let shown = '';
          for (const part of parts) {
            if (part.type === 'void') shown = '';
            if (part.type === 'text') shown += part.delta;
          }
          expect(shown).toBe(whole);
        },
      ),
    );
  });
});

describe('reasoning', () => {
  test('comes before the text', async () => {
    const parts = await partsOf([thinks('Hm'), ends('5', { reasoning: 'Hm, five' })]);
    expect(parts).toEqual([reasoning('Hm'), reasoning(', five'), text('5'), turn]);
  });

  test('of which only the end is live is given when it is whole', async () => {
    const parts = await partsOf([thinks('abc'), thinks('bcd'), ends('5', { reasoning: 'abcd' })]);
    expect(parts).toEqual([reasoning('abc'), reasoning('d'), text('5'), turn]);
  });
});

test('a restart takes back the calls that it drops', async () => {
  const action = { type: 'action', call: '1.1', action: { tool: 'price', toolInput: '', log: '' } };
  const parts = await partsOf([ends('a'), action, { type: 'restarted', by: 'rewind', step: 1 }]);
  expect(parts.slice(-2)).toEqual([gone, { type: 'void', call: '1.1' }]);
});

test('parts of recorded events have the cursor of their event, and sub-agents have no parts', async () => {
  const parts = await partsOf([
    writes('a'),
    { ...ends('ab'), eventId: 'e7' },
    { ...writes('x'), within: '1.1' },
  ]);
  expect(parts.map(({ eventId }) => eventId)).toEqual([undefined, 'e7', 'e7']);
});

describe('a message to the run', () => {
  const says = (said: string) => ({ type: 'steered', message: { type: 'say', text: said } });
  const begins = (call: string) => ({ type: 'model_started', call });

  test('comes with the model call that has it, and not without one', async () => {
    const events = [begins('1'), says('Short.'), says('In euros.'), begins('2'), says('Now.')];
    await expect(partsOf(events)).resolves.toEqual([
      { type: 'said', call: '2.said1', texts: ['Short.', 'In euros.'] },
    ]);
    await expect(partsOf([{ type: 'steered', message: { type: 'pause' } }, begins('1')])).resolves.toEqual(
      [],
    );
  });

  test('is taken back with a step that is dropped, and comes again with the message that is said again', async () => {
    const rewind = { type: 'restarted', by: 'rewind', step: 1 };
    const events = [says('Short.'), begins('1'), says('Lost.'), rewind, says('Short.'), begins('1')];
    await expect(partsOf(events)).resolves.toEqual([
      { type: 'said', call: '1.said1', texts: ['Short.'] },
      { type: 'void', call: '1.said1' },
      { type: 'said', call: '1.said2', texts: ['Short.'] },
    ]);
  });
});

describe('calls of the client', () => {
  const asks = (call: string) => ({
    type: 'action',
    call,
    client: true,
    action: { tool: 'pick', toolInput: {}, log: '' },
  });
  const waits = (call: string, reason = 'client_tool') => ({
    type: 'waiting',
    wait: { call, n: 0, tool: 'pick', toolInput: {}, reason },
  });
  const done = (call: string) => ({ type: 'step', step: { call, observation: 'red' } });
  const typesOf = (parts: RunPart[]) => parts.map((part) => [part.type, 'call' in part ? part.call : '']);
  const asked = (call: string) => [
    ['tool_call', call],
    ['waiting', ''],
  ];

  test('come when all of the turn wait, and before their waits', async () => {
    const both = [asks('1.1'), asks('1.2'), waits('1.1')];
    expect(await partsOf(both)).toEqual([]);
    expect(typesOf(await partsOf([...both, { type: 'caught_up' }, waits('1.2')]))).toEqual([
      ['caught_up', ''],
      ['tool_call', '1.1'],
      ['tool_call', '1.2'],
      ['waiting', ''],
      ['waiting', ''],
    ]);
  });

  test('do not come later than their results, or than the end', async () => {
    const both = [asks('1.1'), asks('1.2'), waits('1.1')];
    expect(typesOf(await partsOf([...both, done('1.2')]))).toEqual([...asked('1.1'), ['tool_result', '1.2']]);
    expect(typesOf(await partsOf([...both, done('1.1')]))).toEqual([...asked('1.1'), ['tool_result', '1.1']]);
    const over = { type: 'run_ended', status: 'cancelled' };
    expect(typesOf(await partsOf([...both, over]))).toEqual([...asked('1.1'), ['ended', '']]);
    expect(typesOf(await partsOf([...both, waits('1.2', 'repeated')]))).toEqual([
      ['waiting', ''],
      ...asked('1.1'),
    ]);
  });

  test('do not come if they are dropped meanwhile', async () => {
    const both = [asks('1.1'), asks('1.2'), waits('1.1')];
    const rewind = { type: 'restarted', by: 'rewind', step: 1 };
    const parts = await partsOf([...both, rewind, asks('1.1'), waits('1.1')]);
    expect(typesOf(parts)).toEqual([['void', '1.1'], ['void', '1.2'], ...asked('1.1')]);
  });
});
