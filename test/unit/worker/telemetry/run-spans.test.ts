import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { type RunSpan, spanFold } from '../../../../agent/views/run-spans.ts';
import {
  idOf,
  newTrace,
  ownTrace,
  readTraceparent,
  traceIdOf,
  traceparent,
} from '../../../../agent/values/trace-context.ts';
import { EXCEPTION_TOOL } from '../../../../agent/values/vocabulary.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const folder = new URL('../../../fixtures/golden/', import.meta.url);
const { name, adapter, model, params, stop } = sampleManifest({});
const trace = { traceId: 'ab'.repeat(16), spanId: undefined, sampled: true };

function spansOf(events: readonly RunEvent[]): RunSpan[] {
  const agent = { name, adapter, model, params, stop, workflowId: 'w', runId: 'r' };
  let made = 0;
  const fold = spanFold({
    agent: () => agent,
    trace,
    spanId: 'run',
    startMs: 0,
    toolDescription: () => undefined,
    callId: () => `call ${made++}`,
  });
  return events.flatMap((event) => fold(event));
}

describe('the spans of a recorded run', () => {
  test.each(readdirSync(folder))('%s: one for each call and one for the run', (file) => {
    const lines = readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as RunEvent).filter(({ type }) => type !== undefined);
    const spans = spansOf(events);
    const ended = events.filter(
      (event) =>
        event.type === 'model_ended' || (event.type === 'step' && event.step.action.tool !== EXCEPTION_TOOL),
    );
    const whole = spans.filter(
      (span) =>
        (span.type === 'model' && span.turn !== undefined) ||
        (span.type === 'tool' && span.observation !== undefined),
    );
    expect(whole).toHaveLength(ended.length);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(spans.filter(({ type }) => type === 'run')).toHaveLength(
      events.filter(({ type }) => type === 'run_ended').length,
    );
    // A call without a result has the error that ended it.
    const calls = spans.filter(({ type }) => type !== 'run');
    expect(calls.filter((span) => !whole.includes(span) && span.error === undefined)).toEqual([]);
    expect(calls.filter(({ startMs, endMs }) => startMs > endMs)).toEqual([]);
    expect(spansOf(events)).toEqual(spans);
  });

  test('a wait for a person is within the span of its call', () => {
    const lines = readFileSync(new URL('retry.jsonl', folder), 'utf8').trim().split('\n');
    const spans = spansOf(lines.map((line) => JSON.parse(line) as RunEvent));
    const [call] = spans.filter(({ type }) => type === 'tool');
    expect(call?.marks.map(({ name: mark, detail }) => [mark, detail])).toEqual([
      ['failed', 'Error'],
      ['waiting', 'failed'],
      ['decided', 'retry'],
    ]);
    expect(call?.error).toBeUndefined();
  });
});

test('a traceparent is read as it was written', () => {
  for (const context of [trace, { ...trace, spanId: 'cd'.repeat(8), sampled: false }]) {
    expect(readTraceparent(traceparent(context))).toEqual(context);
  }
  expect(readTraceparent('00-ab-cd-01')).toBeUndefined();
  expect(readTraceparent(`ff-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`)).toBeUndefined();
});

test('a trace of its own has the id of the run', () => {
  const runId = '01a207dc-2ec8-7748-b18b-efb4d46e35a5';
  const given = readTraceparent(newTrace(true));
  expect(given && ownTrace(given, runId)).toEqual({
    traceId: '01a207dc2ec87748b18befb4d46e35a5',
    spanId: undefined,
    sampled: true,
  });
  expect(traceIdOf('not a UUID')).toMatch(/^[\da-f]{32}$/u);
});

test('ids of calls differ by run, call and rewind', () => {
  const ids = ['a', 'b'].flatMap((run) =>
    ['1', '1.1', '2'].flatMap((call) => [0, 1].map((firstN) => idOf([run, call, firstN]))),
  );
  expect(new Set(ids).size).toBe(12);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{16}$/u);
});
