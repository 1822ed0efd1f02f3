import { describe, expect, test } from 'vitest';
import { type Counters, freshCounters, reachedLimit } from '../../../../agent/limits/counters.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const START = 1_000_000;

describe('before each turn', () => {
  test.each<[what: string, maxIterations: number | null, iterations: number, reached: string | undefined]>([
    ['a fresh run goes on', 15, 0, undefined],
    ['the last turn is still taken', 15, 14, undefined],
    ['as many turns as allowed end the run', 15, 15, 'max_iterations'],
    ['no turn at all is allowed by 0', 0, 0, 'max_iterations'],
    ['more turns than allowed, as after a smaller limit, end it too', 3, 7, 'max_iterations'],
    ['no limit is null', null, 1_000_000, undefined],
  ])('%s', (_what, maxIterations, iterations, reached) => {
    expect(reachedLimit(sampleManifest({ maxIterations }), counters({ iterations }), START)).toBe(reached);
  });

  test.each<
    [what: string, maxMs: number | null, elapsedMs: number, waitedMs: number, reached: string | undefined]
  >([
    ['a run in time goes on', 10_000, 9_999, 0, undefined],
    ['a run whose time is over ends', 10_000, 10_000, 0, 'max_execution_time'],
    ['no time at all ends it at once', 0, 0, 0, 'max_execution_time'],
    ['waits for a person do not count', 10_000, 3_600_000, 3_599_000, undefined],
    ['what was used beside the waits does', 10_000, 3_600_000, 3_590_000, 'max_execution_time'],
    ['no limit is null', null, Number.MAX_SAFE_INTEGER, 0, undefined],
  ])('%s', (_what, maxExecutionTimeMs, elapsedMs, waitedMs, reached) => {
    const manifest = sampleManifest({ maxExecutionTimeMs });
    expect(reachedLimit(manifest, counters({ waitedMs }), START + elapsedMs)).toBe(reached);
  });

  test('the limit of turns is named where the time is over and the budget used up too', () => {
    const manifest = sampleManifest({ maxIterations: 2, maxExecutionTimeMs: 1, budget: { totalTokens: 0 } });
    expect(reachedLimit(manifest, counters({ iterations: 2 }), START + 1)).toBe('max_iterations');
  });
});

test('counting begins with nothing used and nothing waited for', () => {
  expect(freshCounters(START)).toEqual({ iterations: 0, startedAtMs: START, waitedMs: 0, usage: noUsage });
});

describe('the largest parts of a payload together stay below the 2 MB at which Temporal ends a run', () => {
  const { questionBytes, manifestBytes, replyBytes, inlineBytes, carriedBytes } = limits;

  test.each<[payload: string, bytes: number]>([
    ['the start of a run', questionBytes],
    ['the first model call', manifestBytes + questionBytes],
    // Twenty calls side by side: the reply once a call, each result in place or given by a person.
    ['a model call after a turn of twenty small results', 2 * replyBytes + 20 * inlineBytes],
    ['a reply: its text, and what was read from it', 2 * replyBytes],
    ['a tool result', limits.resultBytes],
    ['a tool call with the input of a person', limits.decisionBytes],
    // An action without result cannot be left out: its log and its input are a reply each.
    ['an unknown tool of the longest name', 3 * replyBytes],
    ['a continue-as-new', manifestBytes + carriedBytes + Math.max(limits.handOverBytes, 2 * replyBytes)],
  ])('in %s', (_payload, bytes) => {
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(1_500_000);
  });
});

function counters(fields: Partial<Counters>): Counters {
  return { ...freshCounters(START), ...fields };
}
