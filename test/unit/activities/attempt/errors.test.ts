import { ApplicationFailure } from '@temporalio/activity';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyError } from '../../../../activities/attempt/errors.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { ModelError } from '../../../../adapters/models/model.ts';

const odd = (message: string, fields: object) => Object.assign(new Error(message), fields);
const limited = new ModelError('ModelRateLimited', 'slow down', { retryable: true, retryAfterMs: 20 });
const mine = ApplicationFailure.create({ type: 'Mine', message: 'm', nonRetryable: true });

test.each<[what: string, error: unknown, type: string, retryable: boolean, retryAfterMs?: number]>([
  ['an error is retried, and its name is its type', new TypeError('no'), 'TypeError', true],
  ['an error may be final', odd('no key', { name: 'NoKey', retryable: false }), 'NoKey', false],
  ['an error may say when to come again', odd('busy', { retryAfterMs: 1500 }), 'Error', true, 1500],
  ['a model error says of itself what it is', limited, 'ModelRateLimited', true, 20],
  ["a failure of Temporal's keeps its type", mine, 'Mine', false],
  ['what is not an error is one all the same', 'oops', 'Error', true],
])('%s', (_what, error, type, retryable, retryAfterMs) => {
  expect(classifyError(error)).toMatchObject({ type, retryable, retryAfterMs });
});

describe('whatever is thrown', () => {
  test.each<[what: string, error: unknown, type: string, message: unknown]>([
    ['half of a character', new Error('no city "K\ud83d"'), 'Error', 'no city "K\ufffd"'],
    ['half of a character in its name', named('Bad\ud83d'), 'Bad\ufffd', 'x'],
    ['no message', new TypeError(), 'TypeError', 'TypeError without a message'],
    ['a message that is an object', strange({ message: { code: 1 } }), 'Error', '{"code":1}'],
    ['a message that is a number', strange({ message: 5 }), 'Error', '5'],
    ['a name that is an object', strange({ name: { a: 1 } }), 'Error', 'x'],
    ['a name that is missing', strange({ name: undefined }), 'Error', 'x'],
    ['a stack that is an object', strange({ stack: { a: 1 } }), 'Error', 'x'],
    ['a cause that is itself', circular(), 'Error', 'x'],
    ['undefined', undefined, 'Error', 'undefined'],
    ['null', null, 'Error', 'null'],
    ['a plain object', { code: 5 }, 'Error', '{"code":5}'],
    ['an object that has a message', { message: 'of my own' }, 'Error', 'of my own'],
    ['an object without a prototype', Object.create(null), 'Error', '{}'],
    ['a symbol', Symbol('s'), 'Error', 'Symbol(s)'],
    ['a proxy that refuses', refusingProxy(), 'Error', expect.stringContaining('type object')],
  ])('can be recorded: %s', (_what, error, type, message) => {
    expect(classifyError(error)).toMatchObject({ type, message, retryable: true });
  });

  test('is recorded in a bounded size, its stack without the message, its cause without the cause of that', () => {
    const cause = new TypeError('because', { cause: new Error('of this') });
    const huge = new Error('x'.repeat(3_000_000), { cause });
    const classified = classifyError(huge);
    expect(JSON.stringify(classified).length).toBeLessThan(5 * limits.errorChars);
    expect(classified.frames).toMatch(/^ {4}at /u);
    expect(classified.cause).toEqual({ type: 'TypeError', message: 'because', frames: expect.any(String) });
  });

  test('is recorded in a bounded size even if it is any value at all', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (message, name, cause) => {
        const error = strange({ message, name, cause, retryAfterMs: message, stack: name });
        for (const classified of [classifyError(error), classifyError(message)]) {
          const both = [classified, classified.cause ?? classified];
          const texts = both.flatMap(({ type, message: text, frames }) => [type, text, frames]);
          expect(texts.every((text) => text.isWellFormed())).toBe(true);
          expect(classified.type).not.toBe('');
        }
      }),
    );
  });
});

test.each([
  [86_400_000, '24 hours'],
  [10 * 86_400_000, '10 days'],
  [limits.retryAfterMs * 2, '30 minutes'],
])(
  'a wait of %s ms is too long: the failure is final, and the message says how long',
  (retryAfterMs, words) => {
    const error = new ModelError('ModelRateLimited', 'slow down', { retryable: true, retryAfterMs });
    const message = expect.stringMatching(`^slow down \\(The server asked to wait ${words} before`);
    const classified = { type: 'ModelRateLimited', retryable: false, retryAfterMs: undefined, message };
    expect(classifyError(error)).toMatchObject(classified);
  },
);

/** An error with fields that no error should have; the types forbid it, JavaScript does not. */
function strange(fields: object): Error {
  return Object.assign(new Error('x'), fields);
}

function named(name: string): Error {
  return strange({ name });
}

function circular(): Error {
  const error = new Error('x');
  error.cause = error;
  return error;
}

function refusingProxy(): unknown {
  const fail = () => {
    throw new Error('not for you');
  };
  return new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail, ownKeys: fail });
}
