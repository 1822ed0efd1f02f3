import { array, assert, constantFrom, integer, json, nat, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretHeaders, secretValues, withoutSecrets, withoutWhole } from '../../../../agent/text/secrets.ts';

const KEY = 'key/0123456789abcdefghij';

test.each([
  { what: 'the key itself', text: `you sent ${KEY}.`, shown: 'you sent ***.' },
  { what: 'the key, again and again', text: `${KEY}${KEY} ${KEY}`, shown: '****** ***' },
  { what: 'its beginning', text: `${KEY.slice(0, 15)}…`, shown: '***…' },
  { what: 'its end', text: `…${KEY.slice(-12)}!`, shown: '…***!' },
  { what: 'two of its parts', text: `${KEY.slice(0, 12)}...${KEY.slice(-12)}`, shown: '***...***' },
  { what: 'a bearer token', text: '"authorization":"Bearer abc.def"', shown: '"authorization":"Bearer ***"' },
  { what: 'a key of another', text: 'not sk-proj-1234_5678 but', shown: 'not *** but' },
])('$what is blotted out', ({ text, shown }) => {
  expect(withoutSecrets(text, [KEY])).toBe(shown);
});

test.each(['0123456', 'a risk-free-and-easy way', 'sk-8', 'the bearer', ''])('%j is not a secret', (text) => {
  expect(withoutSecrets(text, [KEY, ''])).toBe(text);
});

test('no twelve characters of a secret are left, whatever stands around them', () => {
  const around = string({ maxLength: 30 });
  const part = tuple(nat(KEY.length - 12), integer({ min: 12, max: KEY.length }));
  assert(
    property(around, part, around, (before, [from, length], after) => {
      const shown = withoutSecrets(before + KEY.slice(from, from + length) + after, [KEY]);
      for (let at = 0; at + 12 <= KEY.length; at++) expect(shown).not.toContain(KEY.slice(at, at + 12));
    }),
  );
});

test.each([
  ['as it is', 'key s/3cret!', 'key ***'],
  ['as it stands in an address', '?key=s%2F3cret!', '?key=***'],
  ['more than once', 's/3crets/3cret', '******'],
])('a short secret is taken out of a text %s', (_what, text, shown) => {
  expect(withoutSecrets(text, ['s/3cret!', 's/3cret'])).toBe(shown);
});

test('a secret that holds another one is taken out whole', () => {
  expect(withoutSecrets('abc-def', ['abc', 'abc-def', ''])).toBe('***');
});

test.each<[string, string, string[]]>([
  ['x-api-key', 'abcd', ['abcd', 'abcd']],
  ['Authorization', 'Bearer abcd', ['Bearer abcd', 'abcd']],
  ['PGPASSWORD', 'abcd', ['abcd', 'abcd']],
  ['openaiApiKey', 'abcd', ['abcd', 'abcd']],
  ['x-team', 'a-long-value-1', ['a-long-value-1', 'a-long-value-1']],
  ['x-api-key', 'abc', []],
  ['x-version', '2026-01-01', []],
  ['accept', 'application/json', []],
  ['user-agent', 'somebody/1.0 (of ours)', []],
  ['CONFIG', '/home/somebody/config.json', []],
  ['', 'servers/ticket-server.ts', []],
  ['x-include-authors', 'true', []],
  ['x-auth-required', 'true', []],
  ['HTTP-Referer', 'https://www.example2.com/', []],
  ['X-Title', 'Our own application', []],
])('the setting %s=%s is hidden in messages: %j', (name, value, secrets) => {
  expect(secretValues([[name, value]])).toEqual(secrets);
});

describe('in data', () => {
  const ordinary = [
    ['x-include-authors', 'true'],
    ['x-auth-required', 'true'],
    ['x-auth-type', 'delegated'],
    ['x-auth', 'required'],
    ['authorization', 'none'],
    ['referer', 'https://www.example.com/'],
    ['x-requested-with', 'XMLHttpRequest'],
    ['x-tenant', 'https://www.acme.com'],
    ['x-token-endpoint', 'https://www.acme.com/token'],
    ['x-session', 'https://www.acme.com/1a2b3c4d5e'],
    ['x-monkey', 'orang-utan-1a2b3c'],
    ['x-keyboard', 'qwertz-1a2b3c'],
    ['x-max-tokens', '16384000'],
    ['x-sort-key', 'created_at'],
    ['x-cache-key', 'products-2024'],
    ['x-page-token', 'next'],
    ['x-api-key-version', '2024-10-21'],
    ['x-cookie-consent', 'accepted'],
    ['cookie', 'none'],
    ['x-secretary', 'somebody-else'],
    ['x-request-id', '550e8400-e29b-41d4-a716-446655440000'],
    ['accept', 'application/json'],
    ['accept-language', 'en-US,en'],
    ['content-type', 'application/json'],
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64)'],
  ] as const;

  test.each(ordinary)('the header %s: %s is not a secret', (name, value) => {
    expect(secretHeaders([[name, value]])).toEqual([]);
  });

  test('ordinary headers never change an answer', () => {
    assert(
      property(array(constantFrom(...ordinary)), json(), (headers, body) => {
        const answer = JSON.stringify({ headers: Object.fromEntries(headers), body });
        expect(withoutWhole(answer, secretHeaders(headers), { cut: true })).toBe(answer);
      }),
    );
  });

  const KEYS = [
    't/k+9=a&b"<1',
    '550e8400-e29b-41d4-a716-446655440000',
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  ];
  const names =
    'Proxy-Authorization x-api-key apiKey api-key Ocp-Apim-Subscription-Key x-access-token x-client-secret';
  const secret = KEYS.flatMap((key) => [
    { name: 'authorization', value: `Bearer ${key}`, key },
    { name: 'x-forwarded-for-whom', value: `Bearer ${key}`, key },
    ...[...names.split(' '), 'x-password', 'cookie'].map((name) => ({ name, value: key, key })),
  ]);

  test.each(secret)('the header $name: $value never comes through, however a server writes it', (row) => {
    const { name, value, key } = row;
    const secrets = secretHeaders([[name, value]]);
    const inJson = JSON.stringify(value);
    const inAddress = encodeURIComponent(value);
    const writings = [
      value,
      key,
      inJson,
      inJson.replaceAll('/', String.raw`\/`),
      inJson.replaceAll(/[<&=]/gu, (char) => String.raw`\u00${char.charCodeAt(0).toString(16)}`),
      inAddress,
      inAddress.replaceAll('%20', '+'),
      inAddress.replaceAll(/%../gu, (hex) => hex.toLowerCase()),
    ];
    for (const written of writings) {
      const shown = withoutWhole(`you sent ${written}, thank you`, secrets);
      expect(shown).toMatch(/\*\*\*/u);
      expect(shown).not.toContain(key.slice(0, 6));
      expect(shown).toContain(', thank you');
    }
  });

  test('a cookie is found by itself, and a word of it stays', () => {
    const secrets = secretHeaders([['cookie', 'theme=darkness; sid=8f14e45fceea167a']]);
    const answer = '{"sid":"8f14e45fceea167a","theme":"darkness"}';
    expect(withoutWhole(answer, secrets)).toBe('{"sid":"***","theme":"darkness"}');
  });

  test('a part of a secret stays, as it may be a word of an address', () => {
    const secrets = secretHeaders([['x-api-key', 'https-example-1a2b3c4d']]);
    const shown = withoutWhole('https-example-1 and https-example-1a2b3c4d', secrets);
    expect(shown).toBe('https-example-1 and ***');
  });

  test.each([
    ['you sent abc-1234-d', 'you sent ***'],
    ['you sent abc-', 'you sent ***'],
    ['you sent abc', 'you sent abc'],
    ['you sent abc-1234-def', 'you sent ***'],
  ])('the beginning of a secret is hidden at the end of text that is cut: "%s"', (text, shown) => {
    expect(withoutWhole(text, ['abc-1234-def'], { cut: true })).toBe(shown);
  });

  test('nothing goes that only looks like a key', () => {
    const text = `Bearer of sk-learn-contrib: ${KEY}`;
    expect(withoutWhole(text, [KEY])).toBe('Bearer of sk-learn-contrib: ***');
  });
});
