import { assert, integer, nat, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { secretValues, withoutKnown, withoutSecrets } from '../../agent/secrets.ts';

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

test.each(['0123456', 'a risk-free-and-easy way', 'sk-8', 'the bearer', ''])('%j is no secret', (text) => {
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

test('a secret of several lines is found as JSON writes it', () => {
  expect(withoutKnown('{"key":"a\\nb"}', ['a\nb'])).toBe('{"key":"***"}');
});

test('a secret that holds another one is taken out whole', () => {
  expect(withoutSecrets('abc-def', ['abc', 'abc-def', ''])).toBe('***');
});

test('data loses what is known, and nothing that only looks like a key', () => {
  const text = `Bearer of sk-learn-contrib: ${KEY}`;
  expect(withoutKnown(text, [KEY])).toBe('Bearer of sk-learn-contrib: ***');
});

test.each<[string, string, string[]]>([
  ['x-api-key', 'abcd', ['abcd', 'abcd']],
  ['Authorization', 'Bearer abcd', ['Bearer abcd', 'abcd']],
  ['x-team', 'a-long-value-1', ['a-long-value-1', 'a-long-value-1']],
  ['x-api-key', 'abc', []],
  ['x-version', '2026-01-01', []],
  ['accept', 'application/json', []],
  ['user-agent', 'somebody/1.0 (of ours)', []],
  ['CONFIG', '/home/somebody/config.json', []],
  ['', 'servers/ticket-server.ts', []],
])('of the setting %s=%s, these are secrets: %j', (name, value, secrets) => {
  expect(secretValues([[name, value]])).toEqual(secrets);
});
