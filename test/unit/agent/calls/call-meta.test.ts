import { assert, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { readMeta, recordedMeta } from '../../../../agent/calls/call-meta.ts';
import type { ToolCallMeta } from '../../../../agent/calls/calls.ts';

const place = { root: 'r', scope: 0, call: '3.1' };
const usual: ToolCallMeta = {
  ...place,
  retry: { maxAttempts: 3, initialMs: 1000, backoff: 2, maximumMs: 30_000 },
  timeoutMs: 300_000,
  maxOutputChars: 100_000,
};

test('a call records its place, and what is not usual', () => {
  expect(recordedMeta(usual)).toEqual(place);
  const retry = { ...usual.retry, maxAttempts: 1 };
  const unusual = { retry, timeoutMs: 5, once: true } as const;
  expect(recordedMeta({ ...usual, ...unusual })).toEqual({ ...place, ...unusual });
});

test('what is read is what was given, whichever call it is', () => {
  const numbers = record({ scope: nat(3), maxAttempts: nat(5), timeoutMs: nat(), chars: nat() });
  assert(
    property(numbers, ({ scope, maxAttempts, timeoutMs, chars }) => {
      const retry = { ...usual.retry, maxAttempts };
      const meta = { ...usual, scope, retry, timeoutMs, maxOutputChars: chars, checkpoint: { chars } };
      expect(readMeta(recordedMeta(meta))).toEqual(meta);
    }),
  );
});

test('a call that recorded everything is read as before', () => {
  const recorded = { ...usual, maxOutputChars: 7, scope: 1 };
  expect(readMeta(recorded)).toEqual(recorded);
});
