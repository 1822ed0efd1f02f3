import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { assert, asyncProperty, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LivePiece } from '../../../../agent/live-text/live-piece.ts';
import { DELTA_CHARS } from '../../../../agent/live-text/pieces.ts';
import { createCodec } from '../../../../features/encryption/codec.ts';
import { type Keyring, createKeyring, noKeys } from '../../../../features/encryption/keys.ts';
import { environmentLive, liveProblem, nameOf } from '../../../../features/live/brokers.ts';
import type { LiveChannel } from '../../../../features/live/live-channel.ts';
import { readPiece, writePiece } from '../../../../features/live/message.ts';
import { createLivePublisher } from '../../../../features/live/publisher.ts';

const piece: LivePiece = {
  runId: '01234567-89ab-cdef-0123-456789abcdef',
  call: '1234/1234.12',
  scheduledAt: 1_795_000_000_000,
  attempt: 12_345,
  restart: 3,
  kind: 'reasoning',
  offset: 123_456,
  delta: 'the secret text',
};

describe('a message of the channel', () => {
  const keys = createKeyring({ keys: [{ id: 'k'.repeat(400), key: randomBytes(32) }] });

  test('brings the piece, encrypted with the keys of the run', async () => {
    const message = await writePiece(clientWith(keys), piece);
    expect(Buffer.from(message, 'base64').toString('latin1')).not.toContain('secret');
    expect(await readPiece(clientWith(keys), message)).toEqual(piece);
    expect(await readPiece(clientWith(noKeys), message)).toBeUndefined();
  });

  test('fits into a NOTIFY, however long its key id and its escaped text', async () => {
    const message = await writePiece(clientWith(keys), { ...piece, delta: '\u0001'.repeat(DELTA_CHARS) });
    expect(message.length).toBeLessThan(8000);
  });

  test('of another program is not a piece', async () => {
    const read = (message: string) => readPiece(clientWith(noKeys), message);
    await assert(asyncProperty(string(), async (text) => (await read(text)) === undefined));
    const others = [
      null,
      [],
      { ...piece, offset: '3' },
      { ...piece, kind: 'step' },
      { ...piece, delta: undefined },
    ];
    for (const other of others) {
      const message = await writePiece(clientWith(noKeys), other as LivePiece);
      expect(await read(message)).toBeUndefined();
    }
  });
});

describe('a worker whose channel', () => {
  test('never answers keeps a thousand messages at most, and says so once', async () => {
    const { sent, warnings, publish } = publisherOn(() => new Promise(() => undefined));
    for (let message = 0; message < 3000; message++) publish();
    await settled();
    expect(sent()).toBe(1000);
    expect(warnings).toEqual([expect.stringMatching(/^Live text: a test cannot be used .*1000 messages/u)]);
  });

  test('fails sends nothing for a while, and says so once', async () => {
    const { sent, warnings, publish } = publisherOn(() => Promise.reject(new Error('it is down')));
    publish();
    await settled();
    publish();
    await settled();
    expect(sent()).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('it is down')]);
  });

  test('is none publishes for readers of its own process only', () => {
    const publisher = createLivePublisher(undefined, () => undefined);
    expect(publisher.hasReaders('topic')).toBe(false);
  });
});

describe('the option live', () => {
  test.each([
    ['another protocol', { url: 'amqp://127.0.0.1' }, 'url does not begin with redis://'],
    ['a text that is no URL', { url: '127.0.0.1:6379' }, 'url does not begin with redis://'],
    ['a text', 'redis://127.0.0.1', 'is neither { url } nor a channel'],
    ['a channel without subscribe', { name: 'x', publish() {} }, 'is neither { url } nor a channel'],
  ])('refuses %s', (_, option, problem) => {
    expect(liveProblem(option)).toContain(problem);
  });

  test.each([
    ['a URL', { url: 'redis://127.0.0.1:6379' }],
    ['a channel', { name: 'x', publish() {}, subscribe() {} }],
  ])('takes %s', (_, option) => {
    expect(liveProblem(option)).toBeUndefined();
  });

  test('comes from the environment, and its password is in no message', () => {
    const option = environmentLive({ RELOOP_LIVE_URL: 'postgres://me:secret@127.0.0.1:5432/x' });
    expect(option && nameOf(option)).toBe('postgres://127.0.0.1:5432');
    expect(environmentLive({})).toBeUndefined();
    expect(() => environmentLive({ RELOOP_LIVE_URL: 'amqp://me:secret@x' })).toThrow(
      /^RELOOP_LIVE_URL: url does not begin with (?!.*secret)/u,
    );
  });
});

function clientWith(keys: Keyring): Pick<Client, 'options'> {
  const payloadCodecs = [createCodec(keys)];
  const payloadConverter = defaultPayloadConverter;
  const loadedDataConverter = { payloadConverter, failureConverter: defaultFailureConverter, payloadCodecs };
  return { options: { loadedDataConverter } } as unknown as Pick<Client, 'options'>; // all that is used of a client
}

/** A publisher on a channel whose `publish` does this. */
function publisherOn(answer: () => Promise<unknown>) {
  let count = 0;
  const channel: LiveChannel = {
    name: 'a test',
    publish() {
      count++;
      return answer();
    },
    subscribe: () => Promise.resolve(() => Promise.resolve()),
  };
  const warnings: string[] = [];
  const publisher = createLivePublisher(channel, (text) => warnings.push(text));
  const publish = () => publisher.publish(clientWith(noKeys), 'topic', [piece]);
  return { sent: () => count, warnings, publish };
}

/** Messages are written in some turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}
