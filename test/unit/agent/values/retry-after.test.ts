import { ApplicationFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { nextWait, runAttempt } from '../../../../activities/attempt/attempt.ts';
import { classifyError } from '../../../../activities/attempt/errors.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { retryAfter } from '../../../../agent/values/retry-after.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import { fromVercelModel } from '../../../../adapters/models/vercel/from-vercel-model.ts';
import { http } from '../../../../adapters/tools/http/http.ts';
import { search } from '../../../../adapters/tools/search/search.ts';
import { loopback } from '../../../support/loopback.ts';
import { callContext, modelRequest } from '../../../support/model-calls.ts';
import { apiCallError, sdkModel } from '../../../support/sdk-model.ts';
import { toolContext } from '../../../support/tool-context.ts';

const NOW = Date.UTC(2026, 10, 22, 12, 0, 0);
const MINUTE = 60_000;

test.each<[header: string, ms: number]>([
  ['0', 0],
  ['7', 7000],
  [' 7 ', 7000],
  ['0.5', 500],
  ['99999999999', 99_999_999_999_000],
  ['Sun, 22 Nov 2026 12:01:00 GMT', MINUTE],
  ['Sunday, 22-Nov-26 12:01:00 GMT', MINUTE],
  ['Sun Nov 22 12:01:00 2026', MINUTE],
  ['Wed Nov  4 12:01:00 2026', 0],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['Wednesday, 21-Oct-94 07:28:00 GMT', 0],
])('Retry-After: %s is a wait of %s ms', (header, ms) => {
  expect(retryAfter(new Headers({ 'retry-after': header }), NOW)).toBe(ms);
});

const words =
  '-1 +10 10s 10;jitter=5 1e3 0x10 5.5.5 .5 NaN Infinity soon 2026-11-22 2026-11-22T12:01:00Z'.split(' ');
const dates = ['22 Nov 2026 12:01:00', '22 Now 2026 12:01:00 GMT', '22 Nov 2026 25:01:00 GMT'];
const notWaits = [...words, ...dates.map((date) => `Sun, ${date}`), '30 seconds', 'next tuesday 3'];
test.each(['', '9'.repeat(400), ...notWaits])('Retry-After: %s is not a wait', (header) => {
  expect(retryAfter(new Headers({ 'retry-after': header }), NOW)).toBeUndefined();
});

/** Whoever asks a server, and is told to come again after `value`. */
const askers: { [name: string]: (value: string) => Promise<unknown> } = {
  async openai(value) {
    const { url } = await busy(value);
    return openai({ baseURL: url, apiKey: 'sk-1' }).call(modelRequest(), callContext());
  },
  fromVercelModel(value) {
    const responseHeaders = { 'retry-after': value, 'x-model': '通义千问' };
    const error = apiCallError('busy', { statusCode: 503, isRetryable: true, responseHeaders });
    return fromVercelModel(sdkModel('v3', [error])).call(modelRequest(), callContext());
  },
  async http(value) {
    const { url, host } = await busy(value);
    const tool = http({ allow: [host] });
    return tool.run(tool.parseInput(url) as never, toolContext());
  },
  async search(value) {
    const { url } = await busy(value);
    const tool = search({ apiKey: 'SERP-KEY-0001', baseURL: url });
    return tool.run('owls' as never, toolContext());
  },
};

function busy(value: string) {
  return loopback({ status: 503, headers: { 'retry-after': value }, body: { error: { message: 'busy' } } });
}

describe.each(Object.keys(askers))('%s', (name) => {
  test.each([
    ['0', 500],
    ['next tuesday 3', 500],
    ['7', 7000],
  ])('a call that is told Retry-After: %s is tried again after %s ms', async (value, delay) => {
    const asked = await askers[name]?.(value).catch((error: unknown) => error);
    expect(await delayAfter(asked)).toBe(delay);
  });
});

test.each<[retryAfterMs: unknown, delay: number | undefined]>([
  [0, 500],
  [0.2, 500],
  [-1, 500],
  [Number.NaN, 500],
  [Infinity, 500],
  ['soon', 500],
  [undefined, 500],
  [501, 501],
  [limits.retryAfterMs, limits.retryAfterMs],
  [limits.retryAfterMs + 1, undefined],
])('a tool that throws retryAfterMs %s is tried again after %s ms', async (wish, delay) => {
  expect(await delayAfter(Object.assign(new Error('busy'), { retryAfterMs: wish }))).toBe(delay);
});

test('a wait is never 0, and never longer than a timer can count', () => {
  const none = { maxAttempts: 3, initialMs: 0, backoff: 1, maximumMs: 0 };
  expect(nextWait(none, 1)).toBe(1);
  expect(nextWait(none, 1, Number.MAX_VALUE)).toBe(limits.timerMs);
  expect(nextWait({ ...none, initialMs: 100, backoff: 10, maximumMs: 5000 }, 400)).toBe(5000);
});

/** How long Temporal is told to wait after a first attempt that threw `error`; undefined: there is no next one. */
async function delayAfter(error: unknown): Promise<unknown> {
  const retry = { maxAttempts: 3, initialMs: 500, backoff: 2, maximumMs: 10_000 };
  const policy = () => ({ retry, timeoutMs: 10_000, classify: classifyError });
  const attempt = () => runAttempt(policy, () => Promise.reject(error as Error));
  const failure = await new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') })
    .run(attempt)
    .catch((reason: unknown) => reason);
  if (!(failure instanceof ApplicationFailure)) throw new Error('the attempt has not failed as it should');
  expect(failure.nonRetryable).toBe(failure.nextRetryDelay === undefined);
  return failure.nextRetryDelay;
}
