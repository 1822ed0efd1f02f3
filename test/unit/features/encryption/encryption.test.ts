import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkConfig } from '../../../../config/check.ts';
import { ConfigError } from '../../../../config/define.ts';
import { PayloadDamaged, createCodec } from '../../../../features/encryption/codec.ts';
import {
  type EncryptionOptions,
  EncryptionKeyMissing,
  type KeySource,
  createKeyring,
  encryptionProblem,
  environmentKeyring,
  noKeys,
} from '../../../../features/encryption/keys.ts';
import { encryptedConverter } from '../../../../worker/encrypted-converter.ts';
import { ENCRYPTING } from '../../../../agent/values/names.ts';
import { utf8Length } from '../../../../agent/values/digest.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { agent } from '../../../support/config.ts';

const keyOf = (text: string) => Buffer.alloc(32, text).toString('base64');
const older = { id: 'older', key: keyOf('o') };
const newer = { id: 'newer', key: keyOf('n') };
const codecOf = (keys: EncryptionOptions['keys']) => createCodec(createKeyring({ keys }));
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);
const valueOf = (payload: ReturnType<typeof payloadOf> | undefined) =>
  payload && defaultPayloadConverter.fromPayload<unknown>(payload);
const textOf = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString();

afterEach(() => vi.useRealTimers());

describe('the codec', () => {
  test.each([['a text'], [{ deep: [1, null, 'ü'] }], [new Uint8Array([0, 255])], [''], [undefined]])(
    'gives back %j',
    async (value) => {
      const codec = codecOf([newer]);
      const [decoded] = await codec.decode(await codec.encode([payloadOf(value)]));
      expect(valueOf(decoded)).toEqual(value);
    },
  );

  test('writes the encoding, the cipher and the key id as the samples of Temporal do, and nothing of the content', async () => {
    const [encrypted] = await codecOf([newer]).encode([payloadOf('planted')]);
    const metadata = Object.entries(encrypted?.metadata ?? {}).map(([name, value]) => [name, textOf(value)]);
    expect(Object.fromEntries(metadata)).toEqual({
      encoding: 'binary/encrypted',
      'encryption-cipher': 'AES/GCM',
      'encryption-key-id': 'newer',
    });
    expect(textOf(encrypted?.data)).not.toContain('planted');
    expect(textOf(encrypted?.data)).not.toContain('json/plain');
  });

  test('takes another nonce for each payload', async () => {
    const codec = codecOf([newer]);
    const encrypted = await codec.encode(Array.from({ length: 100 }, () => payloadOf('same')));
    const nonces = encrypted.map(({ data }) => textOf(data?.subarray(0, 12)));
    expect(new Set(nonces).size).toBe(100);
  });

  test('encrypts with the first key, and reads what each of the others wrote', async () => {
    const before = await codecOf([older]).encode([payloadOf('x')]);
    const rotated = codecOf({ newer: newer.key, older: older.key });
    const after = await rotated.encode([payloadOf('y')]);
    expect((await rotated.decode([...before, ...after])).map(valueOf)).toEqual(['x', 'y']);
    await expect(codecOf([older]).decode(after)).rejects.toThrow(EncryptionKeyMissing);
  });

  test('leaves payloads as they are that came in clear', async () => {
    const clear = payloadOf('by hand');
    expect(await codecOf([newer]).decode([clear])).toEqual([clear]);
    expect(await createCodec(noKeys).encode([clear])).toEqual([clear]);
  });

  test('names the key id that is missing, and says where it belongs', async () => {
    const encrypted = await codecOf([older]).encode([payloadOf('x')]);
    await expect(codecOf([newer]).decode(encrypted)).rejects.toThrow(
      'This is encrypted with the key "older", and the keys here are newer. Add that key to `encryption: { keys }` or RELOOP_ENCRYPTION_KEYS, after the key that encrypts.',
    );
    await expect(createCodec(noKeys).decode(encrypted)).rejects.toThrow('there are no keys here');
  });

  test.each([
    ['a changed byte', (data: Uint8Array) => data.map((byte, at) => (at === 20 ? byte ^ 1 : byte))],
    ['a changed nonce', (data: Uint8Array) => data.map((byte, at) => (at === 0 ? byte ^ 1 : byte))],
    ['a shorter tag', (data: Uint8Array) => data.subarray(0, -1)],
    ['nothing', () => new Uint8Array()],
    ['a few bytes', () => randomBytes(10)],
  ])('refuses %s', async (_, change) => {
    const codec = codecOf([newer]);
    const [encrypted] = await codec.encode([payloadOf('x')]);
    const changed = { ...encrypted, data: change(encrypted?.data ?? new Uint8Array()) };
    const error: unknown = await codec.decode([changed]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PayloadDamaged);
    expect(String(error)).toContain('"newer"');
    expect(String(error)).not.toContain(newer.key);
  });

  test('refuses a payload whose key id belongs to another key', async () => {
    const encrypted = await codecOf([older]).encode([payloadOf('x')]);
    await expect(codecOf([{ ...newer, id: 'older' }]).decode(encrypted)).rejects.toThrow(PayloadDamaged);
  });

  // 256 calls of a turn, each with input, checkpoint, header and summary, and the longest key id: 4 MB of the server less what is counted.
  test('adds so few bytes that the payloads of a full workflow task still fit', async () => {
    const codec = codecOf([{ id: 'i'.repeat(400), key: newer.key }]);
    const clear = payloadOf('x');
    const [encrypted] = await codec.encode([clear]);
    const added = bytesOf(encrypted) - bytesOf(clear);
    expect(added).toBeLessThan(600);
    expect(limits.replyCalls * 4 * added).toBeLessThan(4 * 1024 * 1024 - limits.taskBytes);
    expect(limits.mediaBytes + limits.questionBytes + limits.questionParts * added).toBeLessThan(2_000_000);
  });
});

function bytesOf(payload: ReturnType<typeof payloadOf> | undefined): number {
  const parts = Object.entries(payload?.metadata ?? {});
  const metadata = parts.reduce((sum, [name, value]) => sum + utf8Length(name) + value.length + 6, 0);
  return metadata + (payload?.data?.length ?? 0) + 10;
}

describe("a worker's converter", () => {
  const upper = { encode: async () => [payloadOf('upper')], decode: async () => [payloadOf('lower')] };

  test('encrypts what the codecs of the user have made, and marks what the workflow code gets', async () => {
    const { payloadCodecs = [], ...paths } = encryptedConverter(createKeyring({ keys: [newer] }), {
      payloadConverterPath: '/own.cjs',
      payloadCodecs: [upper],
    });
    expect(paths).toMatchObject({ payloadConverterPath: '/own.cjs' });
    expect(existsSync(paths.failureConverterPath ?? '')).toBe(true);
    const [first, last] = payloadCodecs;
    expect(first).toBe(upper);
    const [decoded] = (await last?.decode((await last.encode([payloadOf('x')])) ?? [])) ?? [];
    expect(valueOf(decoded)).toBe('x');
    expect(Object.keys(decoded?.metadata ?? {})).toContain(ENCRYPTING);
  });

  test('is that of the user if there are no keys', () => {
    const own = { payloadCodecs: [upper] };
    expect(encryptedConverter(undefined, own)).toBe(own);
  });

  test('leaves payloads as they are if there are no keys', async () => {
    const { payloadCodecs: [codec] = [] } = encryptedConverter(undefined);
    const clear = payloadOf('x');
    expect(await codec?.encode([clear])).toEqual([clear]);
    expect((await codec?.decode([clear]))?.[0]).toBe(clear);
  });
});

describe('a function for keys', () => {
  const source = (keys: { [id: string]: string }) =>
    vi.fn<KeySource>(async (id = Object.keys(keys)[0]) =>
      id === undefined || keys[id] === undefined ? undefined : { id, key: keys[id] },
    );

  test('is asked once for a key, and again after five minutes for the one that encrypts', async () => {
    vi.useFakeTimers();
    const keys = source({ newer: newer.key, older: older.key });
    const codec = codecOf(keys);
    const before = await codecOf([older]).encode([payloadOf('x')]);
    await codec.encode([payloadOf('y')]);
    await codec.decode([...before, ...before, ...(await codec.encode([payloadOf('z')]))]);
    expect(keys.mock.calls).toEqual([[], ['older']]);
    vi.advanceTimersByTime(5 * 60_000 + 1);
    await codec.encode([payloadOf('y')]);
    expect(keys.mock.calls).toEqual([[], ['older'], []]);
  });

  test('is asked again after a failure', async () => {
    const keys = source({ newer: newer.key }).mockRejectedValueOnce(new Error('no KMS'));
    const codec = codecOf(keys);
    await expect(codec.encode([payloadOf('x')])).rejects.toThrow('no KMS');
    await expect(codec.encode([payloadOf('x')])).resolves.toHaveLength(1);
  });

  test.each<[string, KeySource, string]>([
    ['nothing', () => undefined, 'encryption.keys("older") gave nothing'],
    ['another key', () => newer, 'encryption.keys("older") gave the key "newer"'],
    ['an error', () => Promise.reject(new Error('no KMS')), 'encryption.keys("older") failed: no KMS'],
    ['a short key', () => ({ id: 'older', key: 'AAAA' }), 'the key "older" has 3 bytes'],
  ])('that gives %s is named with the key id', async (_, keys, sentence) => {
    const before = await codecOf([older]).encode([payloadOf('x')]);
    await expect(codecOf(keys).decode(before)).rejects.toThrow(sentence);
  });
});

describe('keys that cannot be used', () => {
  const rows: [unknown, string][] = [
    [undefined, 'is not an object { keys }'],
    [{ keys: [] }, 'keys is empty'],
    [{ keys: {} }, 'keys is empty'],
    [{ keys: 'AAAA' }, 'keys is not a list'],
    [{ keys: [newer], more: 1 }, 'unknown option more'],
    [{ keys: ['AAAA'] }, 'a key of the list is not { id, key }'],
    [{ keys: [{ key: newer.key }] }, 'a key has no id'],
    [{ keys: [{ id: 'i'.repeat(401), key: newer.key }] }, 'a key id has 401 characters'],
    [{ keys: [newer, older, newer] }, 'two keys have the id "newer"'],
    [{ keys: { short: 'AAAA' } }, 'the key "short" has 3 bytes, and AES-256 takes 32'],
    [{ keys: { odd: 'not base64!' } }, 'the key "odd" is not base64'],
    [{ keys: { 2: newer.key, 1: older.key } }, 'JavaScript sorts the key id "1"'],
  ];
  test.each(rows.map(([options, problem]) => [problem, options] as const))('%s', (problem, options) => {
    expect(encryptionProblem(options)).toContain(problem);
    if (options === undefined) return;
    const config = { agents: [agent()], encryption: options };
    expect(() => checkConfig(config, 'reloop.config.ts')).toThrow(ConfigError);
    expect(() => checkConfig(config, 'reloop.config.ts')).toThrow(`encryption: ${problem}`);
  });

  test.each([
    ['newer', 'write ID:KEY,ID:KEY'],
    ['a:b:c', 'write ID:KEY,ID:KEY'],
    [`newer:${newer.key},newer:${newer.key}`, 'two keys have the id "newer"'],
    [`:${newer.key}`, 'a key has no id'],
    ['newer:AAAA', 'has 3 bytes'],
  ])('in the variable, row %#', (value, problem) => {
    expect(() => environmentKeyring({ RELOOP_ENCRYPTION_KEYS: value })).toThrow(problem);
  });

  test('are not quoted', () => {
    const secret = randomBytes(31).toString('base64');
    expect(encryptionProblem({ keys: { a: secret } })).not.toContain(secret);
  });
});

test('the variable gives keys, the newest first', async () => {
  const keys = environmentKeyring({
    RELOOP_ENCRYPTION_KEYS: ` newer:${newer.key} , older:${older.key} `,
  });
  expect((await keys?.current())?.id).toBe('newer');
  expect((await keys?.find('older'))?.id).toBe('older');
});
