import { describe, expect, test } from 'vitest';
import type { MemoryManifest } from '../../../../agent/definition/manifest.ts';
import { remembered, tokensOf } from '../../../../agent/transcript/memory.ts';
import { turnsToFold, withNotes, withTurn } from '../../../../agent/session/turns.ts';
import { type ChatMessage, type Json, asText, noUsage } from '../../../../agent/values/vocabulary.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });
const turn = (n: number) => [user(`question ${n}`), assistant(`answer ${n}`)];
const notes: ChatMessage = { role: 'system', content: 'Summary of the conversation so far: old' };
const three = [...turn(1), ...turn(2), ...turn(3)];
const bytes = (messages: Json | ChatMessage[]) => new TextEncoder().encode(JSON.stringify(messages)).length;

describe('a conversation as a run is shown it', () => {
  test.each<[string, MemoryManifest | undefined, ChatMessage[], ChatMessage[]]>([
    ['everything without a memory', undefined, three, three],
    ['everything with a buffer', { kind: 'buffer' }, three, three],
    ['the last turns of a window', { kind: 'window', turns: 2 }, three, [...turn(2), ...turn(3)]],
    ['all turns where the window is wider', { kind: 'window', turns: 9 }, three, three],
    ['the turns that fit into the tokens', { kind: 'tokens', tokens: 6 }, three, turn(3)],
    ['nothing where not even the last turn fits', { kind: 'tokens', tokens: 1 }, three, []],
    ['a summary, whatever falls out', { kind: 'window', turns: 1 }, [notes, ...three], [notes, ...turn(3)]],
    ['a summary and the turns since', { kind: 'summary', tokens: 1 }, [notes, ...three], [notes, ...three]],
  ])('is %s', (_title, memory, messages, shown) => {
    expect(remembered(messages, memory)).toEqual(shown);
  });

  test('counts four characters as a token, each message by itself', () => {
    expect(tokensOf([user('12345'), assistant('1234'), assistant('')])).toBe(3);
  });
});

describe("a session's memory", () => {
  test.each<[string, Json, string]>([
    ['a text as it is', 'fine', 'fine'],
    ['any other value as JSON text', { sum: [1, null] }, '{"sum":[1,null]}'],
  ])('is %s', (_title, output, kept) => {
    expect(withTurn(turn(1), 'q', { output }, 10_000)).toEqual([...turn(1), user('q'), assistant(kept)]);
    expect(asText(output)).toBe(kept);
  });

  test('is the latest turns when it grows too large; a summary stays', () => {
    const kept = withTurn([notes, ...three], 'question 4', { output: 'answer 4' }, bytes([notes, ...three]));
    expect(kept).toEqual([notes, ...turn(2), ...turn(3), ...turn(4)]);
  });

  test('is an answer cut with a marker when it is too large by itself', () => {
    const kept = withTurn(three, 'q', { output: '😀'.repeat(5_000) }, 4_000);
    expect(kept.at(-1)?.content).toMatch(/^(?:😀)+\n\[cut: the first \d+ of 10000 characters\]$/u);
    expect(bytes(kept)).toBeLessThanOrEqual(4_000);
  });

  test.each([0, 50, 101, 150])('ends where a question leaves %d bytes for the answer', (room) => {
    const [question, maxBytes] = ['q'.repeat(1_000), 1_000 + 132 + room];
    const kept = withTurn([], question, { output: '\u0001'.repeat(20_000) }, maxBytes);
    expect(kept[0]).toEqual(user(question));
    expect(kept[1]?.content).toMatch(/\[cut: the first \d+ of 20000 characters\]$/u);
  });

  test('is what fits to the byte, however many turns there are', () => {
    const many = Array.from({ length: 5_000 }, (_item, n) => turn(n)).flat();
    const fitting = [...many.slice(-20), user('q'), assistant('a')];
    expect(withTurn(many, 'q', { output: 'a' }, bytes(fitting))).toEqual(fitting);
    expect(withTurn(many, 'q', { output: 'a' }, bytes(fitting) - 1)).toEqual(fitting.slice(2));
  });
});

describe('a summary', () => {
  const memory: MemoryManifest = { kind: 'summary', tokens: 14 };
  const long = [{ ...notes, content: 'x'.repeat(1_000) }, ...turn(1), ...turn(2)];

  test.each<[string, ChatMessage[], MemoryManifest | undefined]>([
    ['a short conversation', turn(1), memory],
    ['one turn, however long', [user('x'.repeat(1_000)), assistant('y')], memory],
    ['another memory', three, { kind: 'tokens', tokens: 1 }],
    ['no memory at all', three, undefined],
    ['a long summary with little behind it', long, memory],
  ])('is not made of %s', (_title, messages, kind) => {
    expect(turnsToFold(messages, kind)).toBeUndefined();
  });

  test('takes in all turns but the last, and the summary before it', () => {
    const folded = [...turn(1), ...turn(2)];
    expect(turnsToFold(three, memory)).toEqual({ summary: null, turns: folded });
    expect(turnsToFold([notes, ...three], memory)).toEqual({ summary: 'old', turns: folded });
  });

  test('takes their place', () => {
    const { messages } = withNotes({ messages: [notes, ...three] }, { summary: 'new', usage: noUsage });
    expect(messages).toEqual([{ ...notes, content: 'Summary of the conversation so far: new' }, ...turn(3)]);
  });

  test('adds its usage to that of the notes before, where it is known', () => {
    const usage = { promptTokens: 90, completionTokens: 10, totalTokens: 100, modelCalls: 1, cost: 0.5 };
    const first = withNotes({ messages: three }, { summary: 'new', usage });
    expect(first.notesUsage).toEqual(usage);
    const second = withNotes({ ...first, messages: three }, { summary: 'newer', usage });
    expect(second.notesUsage).toMatchObject({ totalTokens: 200, modelCalls: 2, cost: 1 });
    const byHand = { summary: 'by hand' } as Parameters<typeof withNotes>[1];
    expect(withNotes({ ...second, messages: three }, byHand).notesUsage).toEqual(second.notesUsage);
  });
});
