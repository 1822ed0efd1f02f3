import { describe, expect, test } from 'vitest';
import { EMPTY_DIGEST, extendDigest, utf8Length } from '../../../../agent/values/digest.ts';

describe('the digest', () => {
  // The workflow computes it: another value for the same text would break the replay of every run.
  test('is computed as ever', () => {
    const long = '{"text":"天気 😀"}'.repeat(1_000);
    const digests = [['a'], ['a', 'b'], [''], [long]].map((texts) =>
      texts.reduce(extendDigest, EMPTY_DIGEST),
    );
    expect(digests.join(' ')).toBe('a520ea6ccc14949b 6d9865f0e622d206 2fbb24396af89a26 74b22c7fa8c8ef6d');
  });

  test('has 16 hex digits, always', () => {
    let digest = EMPTY_DIGEST;
    for (let i = 0; i < 5_000; i++) {
      digest = extendDigest(digest, String(i));
      expect(digest).toMatch(/^[0-9a-f]{16}$/u);
    }
  });

  test.each<[what: string, one: string[], other: string[]]>([
    ['order', ['a', 'b'], ['b', 'a']],
    ['where a text ends', ['ab', 'c'], ['a', 'bc']],
    ['how many texts there were', ['ab'], ['a', 'b']],
    ['an empty text', ['a'], ['a', '']],
    ['zeros', ['\0'], ['\0\0']],
    ['letters beyond the first 256', ['\u0141'], ['A']],
  ])('tells apart %s', (_what, one, other) => {
    expect(one.reduce(extendDigest, EMPTY_DIGEST)).not.toBe(other.reduce(extendDigest, EMPTY_DIGEST));
  });

  test('differs for texts that differ in one place', () => {
    const texts = [...Array(2_000).keys()].flatMap((i) => [
      JSON.stringify({ observation: i }),
      `${'x'.repeat(i)}y${'x'.repeat(1_999 - i)}`,
    ]);
    expect(new Set(texts.map((text) => extendDigest(EMPTY_DIGEST, text))).size).toBe(texts.length);
  });

  test('depends on all that was before', () => {
    const starts = [...Array(5_000).keys()].map((i) => extendDigest(EMPTY_DIGEST, String(i)));
    expect(new Set(starts.map((digest) => extendDigest(digest, 'same'))).size).toBe(starts.length);
  });
});

const halves = ['\ud83d', 'a\ud83d', '\ud83dé', '\ud83d中', '\ud83d\ud83d', '\ude00\ud83d'];
const whole = ['', 'abc', '\0\x7f', '\x80é߿', 'ࠀ中\uffff', '😀👩‍👩‍👧'];
test.each([...whole, ...halves])('the length of %j is counted in bytes of UTF-8', (text) => {
  expect(utf8Length(text)).toBe(Buffer.byteLength(text));
});
