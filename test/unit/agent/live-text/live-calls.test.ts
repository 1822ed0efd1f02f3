import { type Arbitrary, array, assert, constant, nat, oneof, property, record, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { type Heartbeat, patchHeartbeat } from '../../../../agent/calls/heartbeat-record.ts';
import type { LiveEvent } from '../../../../agent/live-text/attempt-texts.ts';
import { createLiveCalls } from '../../../../agent/live-text/live-calls.ts';
import type { LivePiece } from '../../../../agent/live-text/live-piece.ts';
import { createPieces } from '../../../../agent/live-text/pieces.ts';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { limits } from '../../../../agent/values/limits.ts';

const CALL = '3';
const SCHEDULED_AT = 100;
const started: RunEvent = { type: 'model_started', call: CALL, at: SCHEDULED_AT };
const failed: RunEvent = {
  type: 'model_failed',
  call: CALL,
  at: 900,
  attempts: 1,
  error: { type: 'Error', message: 'no' },
};

/** One thing that the worker, the network or the reader does. `of` chooses among the pieces under way. */
type Step =
  | { do: 'write' | 'think'; chars: number }
  | { do: 'report' | 'send' | 'beat' | 'poll' | 'other model' | 'other attempt' | 'begin' }
  | { do: 'deliver' | 'double' | 'lose'; of: number };

const simple = (name: 'report' | 'beat' | 'poll' | 'other model' | 'other attempt' | 'begin') =>
  constant<Step>({ do: name });
const sent: Arbitrary<Step[]> = tuple(
  record({ do: oneof(constant('write' as const), constant('think' as const)), chars: nat(1500) }),
  constant<Step>({ do: 'send' }),
);
const moved: Arbitrary<Step[]> = array(
  record({
    do: oneof(
      constant('deliver' as const),
      constant('deliver' as const),
      constant('double' as const),
      constant('lose' as const),
    ),
    of: nat(30),
  }),
  { maxLength: 4 },
);
const rare = oneof(simple('other model'), simple('other attempt'), simple('begin'));
const steps = array(
  oneof(
    { weight: 6, arbitrary: sent },
    { weight: 6, arbitrary: moved },
    { weight: 4, arbitrary: oneof(simple('report'), simple('beat'), simple('poll')).map((step) => [step]) },
    { weight: 1, arbitrary: rare.map((step) => [step]) },
  ),
  { maxLength: 60 },
).map((list) => list.flat());

test('a reader shows what one attempt has written so far, whatever the channel loses, doubles and reorders', () => {
  assert(
    property(steps, (list) => {
      const world = createWorld();
      for (const step of list) world.take(step);
      world.end();
    }),
    { numRuns: 500 },
  );
});

test('pieces that come before the beginning of their call are shown after it', () => {
  const calls = createLiveCalls();
  expect(calls.pieces([piece({ delta: 'ab' })])).toEqual([]);
  expect(calls.recorded(started, 'run')).toMatchObject([{ type: 'model_text', text: 'ab' }]);
});

test.each([
  ['an earlier schedule of the call', { scheduledAt: SCHEDULED_AT - 1 }],
  ['another run of the same id', { runId: 'other' }],
  ['another call', { call: '4' }],
])('pieces of %s are not shown', (_, other) => {
  const calls = createLiveCalls();
  calls.recorded(started, 'run');
  expect(calls.pieces([piece({ delta: 'ab', ...other })])).toEqual([]);
});

test('the heartbeats of a worker that does not count its reports are shown where they differ', () => {
  const calls = createLiveCalls();
  calls.recorded({ type: 'tool_started', call: '3.1', tool: 'x', toolInput: '', at: 1 }, 'run');
  const reported = (progress: string) =>
    calls.heartbeat('3.1', { ...noTexts, scheduledAt: 1, attempt: 1, progress }).map(({ text }) => text);
  expect(['a', 'a', 'b', 'a'].flatMap(reported)).toEqual(['a', 'b', 'a']);
});

const noTexts = { restart: 0, text: '', reasoning: '', reasoningFrom: 0, progress: '', reports: undefined };

function piece(fields: Partial<LivePiece>): LivePiece {
  const place = { scheduledAt: SCHEDULED_AT, attempt: 1, restart: 0 };
  return { runId: 'run', call: CALL, ...place, kind: 'text', offset: 0, delta: '', ...fields };
}

/** A worker, a network and a reader of one call. Each event is checked against what the worker has written. */
function createWorld() {
  const calls = createLiveCalls();
  const shown = { attempt: 0, length: { model_text: 0, model_reasoning: 0, tool_progress: 0 } };
  const written = new Map<string, string>();
  let hasBegun = false;
  let worker = newAttempt(1);
  let network: LivePiece[] = [];

  function newAttempt(attempt: number) {
    const next = createPieces({ runId: 'run', call: CALL, scheduledAt: SCHEDULED_AT, attempt });
    return { attempt, model: 0, record: {} as Heartbeat, stored: {} as Heartbeat, next };
  }
  function patch(change: Partial<Heartbeat>) {
    worker.record = patchHeartbeat(worker.record, change);
  }
  /** Characters that are the same nowhere else, so that a torn or doubled text shows. */
  function more(kind: string, chars: number): string {
    const key = `${worker.attempt} ${worker.model} ${kind}`;
    const before = written.get(key) ?? '';
    let text = before;
    while (text.length < before.length + chars) text += `${key} ${text.length},`;
    written.set(key, text);
    return text;
  }

  function take(step: Step): void {
    switch (step.do) {
      case 'write':
        return patch({ text: more('model_text', step.chars) });
      case 'think': {
        const text = more('model_reasoning', step.chars);
        const from = Math.max(0, text.length - limits.shownReasoningChars);
        return patch({ reasoning: text.slice(from), ...(from > 0 && { reasoningFrom: from }) });
      }
      case 'report':
        return patch({ progress: more('tool_progress', 1).slice(-12) });
      case 'send':
        network.push(...worker.next(worker.record));
        return;
      case 'beat':
        worker.stored = worker.record;
        return;
      case 'poll':
        return shows(calls.heartbeat(CALL, textsOf(worker.stored)));
      case 'other model':
        worker.model++;
        return patch({ text: '', reasoning: '', reasoningFrom: undefined });
      case 'other attempt':
        worker = newAttempt(worker.attempt + 1);
        return;
      case 'begin':
        if (!hasBegun) shows(calls.recorded(started, 'run'));
        hasBegun = true;
        return;
      case 'deliver':
      case 'double':
      case 'lose': {
        const chosen = network[step.of % network.length];
        if (chosen === undefined) return;
        if (step.do !== 'double') network = network.filter((one) => one !== chosen);
        if (step.do !== 'lose') shows(calls.pieces([chosen]));
      }
    }
  }

  function textsOf({ text = '', reasoning = '', reasoningFrom = 0, progress = '', ...rest }: Heartbeat) {
    const { restart = 0, reports } = rest;
    const place = { scheduledAt: SCHEDULED_AT, attempt: worker.attempt, restart };
    return { ...place, text, reasoning, reasoningFrom, progress, reports };
  }

  function shows(events: readonly LiveEvent[]): void {
    for (const { type, attempt, text } of events) {
      expect(hasBegun || calls.underWay.has(CALL)).toBe(true);
      expect(attempt).toBeGreaterThanOrEqual(shown.attempt);
      if (attempt > shown.attempt) Object.assign(shown, { attempt, length: { ...noLengths } });
      const model = Number(/^\d+ (\d+) /u.exec(text)?.[1] ?? -1);
      if (type === 'tool_progress' || model < 0) continue;
      const whole = written.get(`${attempt} ${model} ${type}`) ?? '';
      expect(whole.startsWith(text)).toBe(true);
      const length = model * 1e9 + text.length;
      expect(length).toBeGreaterThan(shown.length[type]);
      shown.length[type] = length;
    }
  }

  /** The last heartbeat has all of the text. After the record of the call's end comes nothing. */
  function end(): void {
    take({ do: 'begin' });
    take({ do: 'beat' });
    const { text = '' } = worker.record;
    const before = calls.pieces([]);
    expect(before).toEqual([]);
    const last = calls.heartbeat(CALL, textsOf(worker.stored)).find(({ type }) => type === 'model_text');
    if (last !== undefined) expect(last.text).toBe(text);
    else if (text !== '') expect(shown.length.model_text % 1e9).toBe(text.length);
    calls.recorded(failed, 'run');
    expect(calls.pieces(network)).toEqual([]);
    expect(calls.heartbeat(CALL, textsOf(worker.stored))).toEqual([]);
  }

  return { take, end };
}

const noLengths = { model_text: 0, model_reasoning: 0, tool_progress: 0 };
