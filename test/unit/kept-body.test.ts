import { describe, expect, test } from 'vitest';
import type { Json } from '../../agent/vocabulary.ts';
import { writeBody } from '../../models/openai/kept-body.ts';
import type { WireBody } from '../../models/openai/wire-body.ts';

const HEAD = { model: 'm', temperature: 0, stop: ['\nObservation:'] };

function readable(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

function chat(...messages: Json[]): WireBody {
  return { ...HEAD, messages };
}

const user = (content: string) => ({ role: 'user', content });

describe('each of the requests of a run is the body that was given', () => {
  const smile = '\u{1F600}';
  const [half = '', otherHalf = ''] = smile;
  test.each<[what: string, bodies: WireBody[]]>([
    ['messages behind those before', [chat(user('a')), chat(user('a'), user('b')), chat(user('a'))]],
    ['the first of them dropped', [chat(user('a'), user('b')), chat(user('b'), user('c'))]],
    [
      'one in the middle changed',
      [chat(user('a'), user('b'), user('c')), chat(user('a'), user('x'), user('c'))],
    ],
    ['no messages', [chat(), chat(user('a')), chat()]],
    ['another parameter', [chat(user('a')), { ...chat(user('a'), user('b')), temperature: 1 }]],
    ['a text that goes on', [chat(user('a "b"\n')), chat(user('a "b"\nc')), chat(user('a "b"\nc "d" ä'))]],
    ['a text that is cut', [chat(user('ä "b" c')), chat(user('ä "b'))]],
    ['a text with another end', [chat(user('ä\n1\n (end)')), chat(user('ä\n1\n2\n (end)'))]],
    ['another text', [chat(user('ä')), chat(user('ö'))]],
    ['another role', [chat(user('a')), chat({ role: 'system', content: 'ab' })]],
    [
      'a text and then parts',
      [chat(user('a')), chat({ role: 'user', content: [{ type: 'text', text: 'a' }] })],
    ],
    [
      'further fields',
      [chat(user('a')), chat({ ...user('a'), name: 'b' }), chat({ name: 'b', ...user('a') })],
    ],
    ['half characters', [chat(user(`a${half}`)), chat(user(`a${smile}`)), chat(user(`a${half}${half}`))]],
    ['whole characters', [chat(user(`a${smile}`)), chat(user(`a${half}x`)), chat(user(`a${smile}${smile}`))]],
    [
      'other halves',
      [chat(user(`a${otherHalf}`)), chat(user(`a${otherHalf}${half}`)), chat(user(`a${smile}`))],
    ],
    [
      'a text of completions',
      [
        { ...HEAD, prompt: 'a\n' },
        { ...HEAD, prompt: 'a\nb' },
        { ...HEAD, prompt: '' },
      ],
    ],
    ['a text, then messages', [{ ...HEAD, prompt: 'a' }, chat(user('a')), { prompt: 'a' }, { messages: [] }]],
    [
      'tool calls',
      [
        chat(user('a'), { role: 'assistant', content: null, tool_calls: [{ id: '1' }] }),
        chat(user('a'), { role: 'assistant', content: null, tool_calls: [{ id: '2' }] }),
        chat(user('a'), { role: 'assistant', content: null, tool_calls: [{ id: '2' }, { id: '3' }] }),
      ],
    ],
  ])('with %s', (what, bodies) => {
    for (const body of [...bodies, ...bodies.toReversed()]) {
      expect(readable(writeBody(body, what))).toEqual(body);
    }
  });
});

test('the next request begins with the bytes of the one before', () => {
  const messages: Json[] = [{ role: 'system', content: 'größe' }];
  let before = writeBody(chat(...messages), 'grows');
  for (let n = 0; n < 20; n++) {
    messages.push({ role: 'assistant', content: `"${n}"` }, user(`ß${n}`));
    const next = writeBody(chat(...messages), 'grows');
    const shared = before.subarray(0, -']}'.length);
    expect(next.subarray(0, shared.length).equals(shared)).toBe(true);
    before = next;
  }
});

test('a message is written once for all requests of a run, and again for another run', () => {
  let written = 0;
  const message = { role: 'tool', toJSON: () => ({ role: 'tool', written: ++written }) } as unknown as Json; // counts
  for (let n = 0; n < 5; n++) writeBody(chat(message, user(String(n))), 'one');
  expect(written).toBe(1);
  writeBody(chat(message), 'other');
  expect(written).toBe(2);
});
