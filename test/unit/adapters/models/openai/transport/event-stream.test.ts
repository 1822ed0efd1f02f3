import * as fc from 'fast-check';
import { Request as OtherRequest } from 'undici';
import { expect, test, vi } from 'vitest';
import type { RunEvent } from '../../../../../../agent/run/events.ts';
import { eventResponse } from '../../../../../../client/read/event-response.ts';
import type { EventsOptions } from '../../../../../../client/read/follow-events.ts';
import { EVENT_BYTES, eventStream } from '../../../../../../adapters/models/openai/transport/event-stream.ts';
import { allOf } from '../../../../../support/all-of.ts';

async function* packetsOf(packets: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const packet of packets) yield await Promise.resolve(Buffer.from(packet));
}

/** What the client's reader gets of these packets. A server that stays leaves the connection open. */
async function read(packets: readonly string[], stays = false) {
  const cut = vi.fn<() => void>();
  const left = packetsOf(packets);
  const never = { next: () => new Promise<IteratorResult<Uint8Array>>(() => {}) };
  const next = async () => {
    const packet = await left.next();
    return packet.done === true && stays ? never.next() : packet;
  };
  const body = { [Symbol.asyncIterator]: () => ({ next }) };
  const stream = eventStream({ body } as unknown as Response, { cut, tooLong: () => new Error('too long') });
  const pieces = (await allOf(stream.pieces)).map((piece) => Buffer.from(piece).toString());
  return { pieces: pieces.filter((piece) => piece !== ''), done: stream.done(), cuts: cut.mock.calls.length };
}

const DONE = 'data: [DONE]\n\n';

test.each([
  ['in a packet of its own', ['data: 1\n\n', DONE]],
  ['with the last event', [`data: 1\n\n${DONE}`]],
  ['in two packets', ['data: 1\n\ndata: [DO', 'NE]\n\n']],
  ['one byte at a time', `data: 1\n\n${DONE}`.split('')],
  ['without a space', ['data: 1\n\n', 'data:[DONE]\n\n']],
  ['with other line breaks', ['data: 1\r\n\r\n', 'data: [DONE]\r\n\r\n']],
  ['without an empty line', ['data: 1\n\n', 'data: [DONE]']],
  ['and nothing else', [DONE]],
])('[DONE] ends a stream whose connection stays open: %s', async (_how, packets) => {
  const { pieces, done, cuts } = await read(packets, true);
  expect(pieces.join('')).toContain(packets.join('').includes('1') ? 'data: 1' : 'DONE');
  expect({ done, cuts }).toEqual({ done: true, cuts: 1 });
});

test('a stream that ends after [DONE] keeps its connection', async () => {
  expect(await read(['data: 1\n\n', DONE])).toMatchObject({ done: true, cuts: 0 });
});

const within = ['data: {"content":"data: [DONE]"}\n\n', ': data: [DONE]\n\n', 'xdata: [DONE]\n\n'];
test.each(within)('the words within a line end nothing: %j', async (line) => {
  const packets = line.repeat(3).split('');
  expect(await read(packets)).toMatchObject({ done: false, cuts: 0 });
  expect((await read(packets)).pieces.join('')).toBe(line.repeat(3));
});

test('whatever the packets, all bytes are passed on, in whole events', async () => {
  const line = fc.constantFrom('data: a', ': b', 'event: c', '');
  const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')).map((parts) => parts.join('')));
  const cuts = fc.array(fc.nat(100));
  await fc.assert(
    fc.asyncProperty(text, cuts, async (lines, at) => {
      const whole = `data: 0${lines.join('')}`;
      const ends = [...new Set(at.map((end) => Math.min(end, whole.length)))].sort((a, b) => a - b);
      const packets = [...ends, whole.length].map((end, index) => whole.slice(ends[index - 1] ?? 0, end));
      const { pieces } = await read(packets);
      expect(pieces.join('')).toBe(whole);
      let sent = '';
      for (const piece of pieces.slice(0, -1)) expect((sent += piece)).toMatch(/(\n\n|\r\r|\r\n\r\n)$/u);
    }),
  );
});

test.each([
  ['a line', 'x'],
  ['lines without an empty one', 'data: x\n'],
])('%s without end is too long, and the connection is closed', async (_what, words) => {
  const packet = words.repeat(10_000);
  const packets = Array.from({ length: Math.ceil(EVENT_BYTES / packet.length) + 1 }, () => packet);
  await expect(read(packets)).rejects.toThrow('too long');
});

const headers = { authorization: 'Bearer SECRET', cookie: 'session=SECRET', 'last-event-id': 'seen' };
const address = 'http://127.0.0.1/events';
const left = new AbortController();

const plain = { method: 'GET', headers: new Map(Object.entries(headers)), signal: left.signal };
test.each<[of: string, request: () => Request]>([
  ["this program's class", () => new Request(address, { headers, signal: left.signal })],
  ['another class', () => new OtherRequest(address, { headers, signal: left.signal })],
  ['no class at all', () => plain as unknown as Request],
])('a request of %s brings its place, and nothing of it comes back', async (_, request) => {
  const asked: (string | undefined)[] = [];
  const source = {
    open: true,
    check: async (after: string | undefined) => void asked.push(after),
    async *events({ after }: EventsOptions): AsyncGenerator<RunEvent> {
      asked.push(after);
      yield* [];
    },
  };
  const response = await eventResponse(source, request());
  await response.text();
  expect(asked).toEqual(['seen', 'seen']);
  const names = Object.keys(Object.fromEntries(response.headers));
  expect(names).toEqual(['cache-control', 'content-type', 'x-accel-buffering']);
});
