import { assert, integer, nat, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { withoutSecrets } from '../../models/openai/secrets.ts';

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
