import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { viewOf } from '../../../../agent/views/view.ts';

const pause = { at: 1, type: 'steered', message: { type: 'pause' } } as const;
const resume = { at: 1, type: 'steered', message: { type: 'resume' } } as const;
const above = { above: true } as const;
const restarted = (runId: string) =>
  ({
    at: 1,
    type: 'restarted',
    by: 'rewind',
    step: 1,
    id: 'trip/1.1',
    runId,
    from: { id: 'trip/1.1', runId: 'first' },
    iterations: 0,
    usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0, modelCalls: 0 },
  }) as RunEvent; // the fields that a view reads

test.each<[string, RunEvent[], string]>([
  [
    'paused by a person and with its parent stays paused when the person resumes it',
    [pause, { ...pause, ...above }, resume],
    'paused',
  ],
  [
    'stays paused when the parent is resumed',
    [pause, { ...pause, ...above }, { ...resume, ...above }],
    'paused',
  ],
  [
    'runs when both have resumed it',
    [pause, { ...pause, ...above }, resume, { ...resume, ...above }],
    'running',
  ],
  [
    'that rewinds itself stays paused with its parent',
    [{ ...pause, ...above }, restarted('first')],
    'paused',
  ],
  ['that is paused after its rewind stays paused', [pause, restarted('first')], 'paused'],
  ['that begins again is not paused', [pause, { ...pause, ...above }, restarted('second')], 'running'],
])('a run %s', (_, events, status) => {
  const started = {
    at: 0,
    type: 'run_started',
    id: 'trip/1.1',
    runId: 'first',
    agent: 'a',
    input: 'q',
  } as const;
  expect(viewOf('trip/1.1', [started, ...events]).status).toBe(status);
});
