import { expect, test } from 'vitest';
import { rateLimitOf } from '../../../../../../adapters/models/openai/reply/limit-headers.ts';

const limits = (more: { [name: string]: string }) =>
  new Headers(Object.entries(more).map(([name, value]) => [`x-ratelimit-${name}`, value]));

test.each<[headers: { [name: string]: string }, limit: ReturnType<typeof rateLimitOf>]>([
  [{}, undefined],
  [{ 'remaining-requests': 'many' }, undefined],
  [
    { 'remaining-requests': '59', 'remaining-tokens': '149984' },
    { requests: 59, tokens: 149_984 },
  ],
  [{ 'remaining-requests': '59', 'reset-requests': '1s' }, { requests: 59 }],
  [
    { 'remaining-requests': '0', 'reset-requests': '1s' },
    { requests: 0, resetMs: 1_000 },
  ],
  [{ 'remaining-requests': '0', 'reset-requests': 'soon' }, { requests: 0 }],
  [
    { 'remaining-requests': '0', 'reset-requests': '26' },
    { requests: 0, resetMs: 26_000 },
  ],
  [{ 'remaining-requests': '0', 'reset-requests': '1764361200' }, { requests: 0 }],
  [
    {
      'remaining-requests': '0',
      'reset-requests': '20ms',
      'remaining-tokens': '0',
      'reset-tokens': '6m0.5s',
    },
    { requests: 0, tokens: 0, resetMs: 360_500 },
  ],
])('the headers %j are read as %j', (headers, limit) => {
  expect(rateLimitOf(limits(headers))).toEqual(limit);
});

test('the time of a reset is read through LiteLLM’s proxy (1.106)', () => {
  const headers = new Headers({
    'x-ratelimit-remaining-tokens': '0',
    'llm_provider-x-ratelimit-reset-tokens': '7s',
  });
  expect(rateLimitOf(headers)).toEqual({ tokens: 0, requests: undefined, resetMs: 7_000 });
});
