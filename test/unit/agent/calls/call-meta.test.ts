import { assert, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { readMeta, recordedMeta } from '../../../../agent/calls/call-meta.ts';
import { type ToolCallMeta, activityId, cancelActivityId } from '../../../../agent/calls/calls.ts';

const usual: ToolCallMeta = {
  root: 'r',
  scope: 0,
  call: '3.1',
  retry: { maxAttempts: 3, initialMs: 1000, backoff: 2, maximumMs: 30_000 },
  timeoutMs: 300_000,
  maxOutputChars: 100_000,
};

test('a usual call records the first run only: its id says the rest', () => {
  expect(recordedMeta(usual, activityId(0, '3.1', 0))).toEqual({ root: 'r' });
  expect(recordedMeta({ ...usual, scope: 2 }, activityId(2, '3.1', 4))).toEqual({ root: 'r' });
});

test('a call records what is not usual, and its place where the id does not say it', () => {
  const retry = { ...usual.retry, maxAttempts: 1 };
  expect(recordedMeta({ ...usual, retry, timeoutMs: 5, once: true }, '3.1')).toEqual({
    root: 'r',
    retry,
    timeoutMs: 5,
    once: true,
  });
  expect(recordedMeta({ ...usual, cancel: true }, cancelActivityId(0, '3.1', 0))).toEqual({
    root: 'r',
    scope: 0,
    call: '3.1',
    cancel: true,
  });
});

test('what is read is what was given, whichever call it is', () => {
  const numbers = record({ scope: nat(3), n: nat(3), maxAttempts: nat(5), timeoutMs: nat(), chars: nat() });
  assert(
    property(numbers, ({ scope, n, maxAttempts, timeoutMs, chars }) => {
      const retry = { ...usual.retry, maxAttempts };
      const meta = { ...usual, scope, retry, timeoutMs, maxOutputChars: chars, checkpoint: { chars } };
      for (const id of [activityId(scope, usual.call, n), cancelActivityId(scope, usual.call, n)])
        expect(readMeta(recordedMeta(meta, id), id)).toEqual(meta);
    }),
  );
});

test('a call that recorded everything is read as before', () => {
  const recorded = { ...usual, maxOutputChars: 7, scope: 1 };
  expect(readMeta(recorded, '3.1')).toEqual(recorded);
});
