import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addPiece, asReply, emptyDraft } from '../../../../../../adapters/models/openai/reply/reply-draft.ts';

/** A reply that was read from these pieces, or what is wrong with one of them. */
function read(pieces: readonly object[]) {
  const draft = emptyDraft();
  for (const piece of pieces) {
    const added = addPiece(draft, piece);
    if ('problem' in added) return added.problem;
  }
  return asReply(draft, '3', true);
}

const whole = (message: object) => [{ choices: [{ index: 0, message }] }];
const delta = (part: object) => ({ choices: [{ index: 0, delta: part }] });

const call = fc.record({
  name: fc.string({ minLength: 1 }),
  arguments: fc.array(fc.string(), { maxLength: 5 }),
});

describe('a reply', () => {
  test('has the same calls in one piece, in a stream, and in a stream that mixes them', () => {
    const calls = fc.array(call, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(calls, fc.infiniteStream(fc.nat(11)), (made, order) => {
        const inOne = made.map((one, at) => {
          return { id: `id${at}`, function: { name: one.name, arguments: one.arguments.join('') } };
        });
        const lists = made.map((one, index) => [
          { index, id: `id${index}`, function: { name: one.name } }, // without arguments
          ...one.arguments.map((text) => ({ index, function: { arguments: text } })),
        ]);
        const inOrder = lists.flat();
        const mixed = mix(lists, order);
        const expected = read(whole({ tool_calls: inOne }));
        expect(read(inOrder.map((piece) => delta({ tool_calls: [piece] })))).toEqual(expected);
        expect(read(mixed.map((piece) => delta({ tool_calls: [piece] })))).toEqual(expected);
      }),
    );
  });

  test.each([
    ['in one piece', whole({ tool_calls: Array.from({ length: 100_000 }, () => ({})) })],
    ['as new ones', pieces(100_000, () => ({ function: { name: 'again' } }))],
    ['as new of one index', pieces(100_000, (at) => ({ index: 0, id: `${at}`, function: { name: 'a' } }))],
    ['each with its index', pieces(100_000, (index) => ({ index, function: { name: 'a' } }))],
  ])('is refused where it has 100,000 calls %s', (_how, given) => {
    expect(read(given)).toBe('more than 256 tool calls');
  });

  test('is read with 256 calls, and with one call in 10,000 pieces', () => {
    const most = pieces(256, () => ({ function: { name: 'again' } }));
    expect(read(most)).toMatchObject({ toolCalls: expect.objectContaining({ length: 256 }) });
    const begun = (at: number) => ({ name: 'a', arguments: at === 0 ? '{' : ' ' });
    const many = pieces(10_000, (at) => ({ index: 0, function: begun(at) }));
    expect(read(many)).toMatchObject({ toolCalls: [{ name: 'a', arguments: `{${' '.repeat(9_999)}` }] });
  });

  test('is refused where lists are too long, before any item is looked at', () => {
    const odd = Array.from({ length: 100_000 }, () => 1);
    expect(read([{ choices: odd }])).toContain('field choices is');
    expect(read(whole({ content: odd }))).toContain('field choices.0.message.content is');
    expect(read(whole({ content: [{ text: 'hi', thinking: odd }] }))).toMatchObject({ text: 'hi' });
  });
});

const counted = { prompt_tokens: 5, completion_tokens: 2 };
const known = { promptTokens: 5, completionTokens: 2, totalTokens: 7 };

describe('a reply of odd types', () => {
  test.each<[what: string, usage: unknown, wanted: object | undefined]>([
    ['texts', { prompt_tokens: '12', completion_tokens: '3' }, undefined],
    ['a text', 'n/a', undefined],
    ['a list', [], undefined],
    ['below 0', { prompt_tokens: -5, completion_tokens: 2, total_tokens: -3 }, undefined],
    ['in part below 0', { prompt_tokens: -500, completion_tokens: 20 }, undefined],
    ['a fraction', { prompt_tokens: 1.5, completion_tokens: 2 }, undefined],
    ['more than there can be', { prompt_tokens: 1, completion_tokens: 1e300 }, undefined],
    ['known but for the cache', { ...counted, prompt_cache_hit_tokens: -1 }, known],
    ['known but for a wordy cache', { ...counted, prompt_tokens_details: { cached_tokens: 'many' } }, known],
    ['known, with a cache of null', { ...counted, prompt_tokens_details: { cached_tokens: null } }, known],
    ['known, with a list on the cache', { ...counted, prompt_tokens_details: [] }, known],
    ['known, with a text on the cache', { ...counted, prompt_tokens_details: 'none' }, known],
  ])('with a usage that is %s is read, and what is not a count is unknown', (_what, usage, wanted) => {
    const reply = read([{ choices: [{ message: { content: 'fine' } }], usage }]);
    expect(reply).toMatchObject({ text: 'fine', usage: wanted });
  });

  test('with numbers and texts in each other’s place is read', () => {
    const tool_calls = [{ index: '0', id: 7, function: { name: 'x', arguments: '{}' } }];
    const choices = [
      { index: '1', message: { content: 'other' } },
      { index: '0', message: { content: 'hi', tool_calls }, finish_reason: 1 },
    ];
    const toolCalls = [{ id: '7', name: 'x', arguments: '{}' }];
    expect(read([{ choices }])).toMatchObject({ text: 'hi', toolCalls, finishReason: 'unknown' });
  });

  const named = { message: { tool_calls: [{ function: { name: 1 } }] } };
  test.each([
    ['choices', 5],
    ['choices.0.message.content', [{ message: { content: { text: 'hi' } } }]],
    ['choices.0.message.tool_calls', [{ message: { tool_calls: {} } }]],
    ['choices.0.message.tool_calls.0.function.name', [named]],
  ])('is refused with the name of the field that cannot be read: %s', (field, choices) => {
    expect(read([{ choices }])).toContain(`a reply whose field ${field} is not as`);
  });
});

describe('reasoning details', () => {
  const called = { tool_calls: [{ id: 'a', function: { name: 'x', arguments: '{}' } }] };
  const detailsOf = (...details: object[]) => {
    const given = details.map((detail) => delta({ reasoning_details: [detail] }));
    return read([...given, delta(called)]);
  };
  const kept = (details: object[]) => ({ providerData: { openai: { details } } });

  test('are joined where they are of one block, and all else that they say is kept in its order', () => {
    const block = { type: 'reasoning.text', format: 'f', index: 0 };
    const thinks = ['Let ', 'me ', 'look.'].map((text) => ({ ...block, text }));
    const signed = { type: 'reasoning.text', signature: 'sig', text: null, index: 0 };
    const other = { type: 'reasoning.encrypted', data: 'x', index: 1 };
    const joined = { ...block, text: 'Let me look.', signature: 'sig' };
    expect(detailsOf(...thinks, signed, other, other)).toMatchObject(kept([joined, other, other]));
    const fields = detailsOf({ b: 1, type: 't', a: 2 }, { type: 't', c: 3 });
    expect(JSON.stringify(fields)).toContain('[{"b":1,"type":"t","a":2,"c":3}]');
  });

  test('are joined to one where their block comes in many pieces', () => {
    const block = { type: 'reasoning.text', index: 0 };
    const many = Array.from({ length: 1_000 }, () => ({ ...block, text: 'owl ' }));
    expect(detailsOf(...many)).toMatchObject(kept([{ ...block, text: 'owl '.repeat(1_000) }]));
  });

  const owls = (count: number, detail: (at: number) => unknown) =>
    Array.from({ length: count }, (_, at) => delta({ reasoning_details: [detail(at)] }));
  test.each([
    ['in one piece', [delta({ reasoning_details: Array.from({ length: 100_000 }, () => 'owl') })]],
    ['one by one', owls(30_000, () => 'owl')],
    ['as fields of one block', owls(20_000, (at) => ({ type: 't', [`f${at}`]: 'owl' }))],
  ])('are not kept where they are more than can be recorded: %s', (_how, given) => {
    const reply = read([...given, delta(called)]);
    expect(reply).toMatchObject({ toolCalls: [{ name: 'x' }] });
    expect(JSON.stringify(reply).length).toBeLessThan(300_000);
  });
});

function pieces(count: number, piece: (at: number) => object): object[] {
  return Array.from({ length: count }, (_, at) => delta({ tool_calls: [piece(at)] }));
}

/** The items of all lists, those of one list in their order. */
function mix<T>(lists: readonly (readonly T[])[], order: Iterable<number>): T[] {
  const left = lists.map((list) => [...list]);
  const mixed: T[] = [];
  for (const at of order) {
    const open = left.filter((list) => list.length > 0);
    const next = open[at % open.length]?.shift();
    if (next === undefined) return mixed;
    mixed.push(next);
  }
  return mixed;
}
