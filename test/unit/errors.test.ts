import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { judge } from '../../activities/errors.ts';
import { ModelError } from '../../models/model.ts';

test.each<[what: string, error: unknown, judged: object]>([
  [
    'an error is retried, and its name is its type',
    new TypeError('no'),
    { type: 'TypeError', message: 'no', retryable: true },
  ],
  [
    'an error may say that trying again cannot help',
    Object.assign(new Error('no key'), { name: 'NoKey', retryable: false }),
    { type: 'NoKey', retryable: false },
  ],
  [
    'an error may say when to come again',
    Object.assign(new Error('busy'), { retryAfterMs: 1500 }),
    { retryable: true, retryAfterMs: 1500 },
  ],
  [
    'what is no number is no time',
    Object.assign(new Error('busy'), { retryAfterMs: 'soon' }),
    { retryable: true, retryAfterMs: undefined },
  ],
  [
    'a model error has judged itself',
    new ModelError('ModelRateLimited', 'slow down', { retryable: true, retryAfterMs: 20 }),
    { type: 'ModelRateLimited', retryable: true, retryAfterMs: 20 },
  ],
  [
    "a failure of Temporal's keeps its type",
    ApplicationFailure.create({ type: 'Mine', message: 'm', nonRetryable: true }),
    { type: 'Mine', retryable: false },
  ],
  ['what is no error is one all the same', 'oops', { type: 'Error', message: 'oops', retryable: true }],
])('%s', (_what, error, judged) => {
  expect(judge(error)).toMatchObject(judged);
});
