import { describe, expect, test } from 'vitest';
import type { FailedCall } from '../../agent/calls/failures.ts';
import { afterFailure } from '../../agent/rules/call-rules.ts';
import {
  afterDoubt,
  aftermath,
  mayReschedule,
  reconcileAtMs,
  reconciledEnd,
  withIntent,
} from '../../agent/rules/doubt.ts';
import { type WaitingCall, readSummary, stateOf, waitingSummary } from '../../agent/rules/waiting.ts';
import { RunView } from '../../agent/run/view.ts';
import { waitingHelp } from '../../cli/follow/waiting-help.ts';
import { runsTable } from '../../cli/print/runs-table.ts';
import { reconciledText, waitingText } from '../../cli/print/trace/trace-words.ts';
import { toolManifest } from '../../config/options/tool-options.ts';
import { createRunClock } from '../../history/trace/run-clock.ts';
import { defineTool } from '../../tools/tool.ts';
import { sampleTool } from '../support/manifest.ts';

const pay = sampleTool('pay', 'pays', { effects: 'once', timeoutMs: 1000 });
const external = { ...pay, external: true as const };
const intent = { at: 5000, attempt: 1 };
const failed = (type: string, more: Partial<FailedCall> = {}): FailedCall => ({
  error: { type, message: 'it broke.' },
  checkpoint: undefined,
  mayPass: false,
  ...more,
});
const timedOut = failed('Timeout', { timedOut: true });

describe('a failed schedule of a call that may take effect once only', () => {
  test.each<[what: string, tool: typeof pay, failed: FailedCall, type: string]>([
    ['its error', pay, failed('Error'), 'doubt'],
    ['what its runner finds in doubt', pay, failed('InDoubt'), 'doubt'],
    ['a lost worker without an intent', pay, timedOut, 'again'],
    ['a lost worker with an intent', pay, { ...timedOut, intent }, 'doubt'],
    [
      'what its runner says to have done nothing',
      pay,
      failed('AttemptSuperseded', { notDone: 'again' }),
      'again',
    ],
    ['a failure of its own that did nothing', pay, failed('Error', { notDone: 'failed' }), 'failed'],
    ['a cancellation that its runner acknowledged', pay, failed('Cancelled'), 'failed'],
    ['any failure elsewhere', external, failed('Error', { notDone: 'again' }), 'doubt'],
    ['a time-out elsewhere', external, timedOut, 'doubt'],
    ['a cancellation elsewhere', external, failed('Cancelled'), 'doubt'],
    ['a ToolError elsewhere', external, failed('ToolError'), 'failed'],
    ['the failure of another tool', sampleTool('t', 't'), failed('Error'), 'failed'],
  ])('by %s', (_what, tool, call, type) => {
    expect(aftermath(tool, call, 0)).toMatchObject({ type });
  });

  test('says what is not known, and until when an attempt may be running', () => {
    expect(aftermath(pay, { ...timedOut, intent }, 0)).toEqual({
      type: 'doubt',
      error: { type: 'InDoubt', message: 'It is not known whether pay took effect: it broke.' },
      endsAtMs: 6000,
    });
  });

  test.each<[what: string, endsAtMs: number | undefined, gone: true | undefined, atMs: number | undefined]>([
    ['at once when no attempt can be running', undefined, undefined, undefined],
    ['at once when the attempt must have ended', 200_000, undefined, undefined],
    ['when the attempt must have ended', 400_000, undefined, 400_000],
    ['after the time-out, whatever the lost clock said', 900_000, undefined, 500_000],
    ['a few seconds after its process is known to be gone', 400_000, true, 205_000],
    ['when the attempt must have ended, its process gone or not', 201_000, true, 201_000],
    ['at once when its process is gone and no attempt can be running', 200_000, true, undefined],
  ])('is asked about %s', (_what, endsAtMs, processGone, atMs) => {
    const error = { type: 'InDoubt', message: 'lost' };
    const slow = sampleTool('pay', 'pays', { effects: 'once', timeoutMs: 300_000 });
    expect(reconcileAtMs(slow, { type: 'doubt', error, endsAtMs, processGone }, 200_000)).toBe(atMs);
  });

  test('carries on that its process is gone', () => {
    expect(aftermath(pay, { ...timedOut, intent, processGone: true }, 0)).toMatchObject({
      type: 'doubt',
      processGone: true,
    });
  });

  test('is not scheduled a sixth time by itself', () => {
    expect([3, 4].map((lost) => mayReschedule(lost))).toEqual([true, false]);
    expect(aftermath(pay, timedOut, 4)).toMatchObject({ type: 'failed', error: { type: 'WorkerDied' } });
  });

  test('has the intent that its run was told of where the heartbeat is gone', () => {
    expect(withIntent(timedOut, intent).intent).toBe(intent);
    expect(withIntent(failed('InDoubt'), intent).intent).toBeUndefined();
  });
});

test('a doubt is a matter for a person, unless the run is over its time or the tool has it fail', () => {
  const lax = { ...pay, onFailure: 'observe' as const };
  const strict = { ...pay, onFailure: 'fail' as const };
  expect(afterDoubt(lax, { overdue: false })).toEqual({ type: 'ask' });
  expect(afterDoubt(strict, { overdue: false })).toEqual({ type: 'fail' });
  expect(afterDoubt(strict, { overdue: true })).toMatchObject({
    end: { observation: expect.stringContaining('may or may not have taken effect') },
  });
});

test('the result is what a tool found of its call, or there is none', () => {
  expect(reconciledEnd(pay, { output: 'paid', reconciled: 'done' })).toMatchObject({
    end: { observation: 'paid', fromTool: true, recorded: 'runner' },
  });
  expect(reconciledEnd(pay, { output: null, reconciled: 'notDone' })).toEqual({ type: 'notDone' });
  expect(reconciledEnd(pay, { output: null, reconciled: 'unknown' })).toEqual({ type: 'unknown' });
});

test('nobody is asked about a tool without effects that loses its workers', () => {
  const reads = sampleTool('reads', 'reads', { effects: 'none' });
  const died = { type: 'WorkerDied', message: 'gone' };
  const context = { cancelled: undefined, overdue: false };
  expect(afterFailure(reads, died, context)).toMatchObject({
    end: { observation: 'The tool reads failed: gone' },
  });
  expect(afterFailure(pay, died, context)).toEqual({ type: 'ask' });
});

describe('a tool that says what became of a call', () => {
  const reconcile = () => ({ status: 'unknown' as const });
  const tool = { name: 'pay', description: 'pays', run: () => 'paid' };

  test('is recorded as one that can', () => {
    expect(toolManifest(defineTool({ ...tool, effects: 'once', reconcile }))).toMatchObject({
      effects: 'once',
      reconciles: true,
    });
    expect(toolManifest(defineTool({ ...tool, effects: 'once' }))).not.toHaveProperty('reconciles');
  });

  test('is refused where a call of it would simply run again', () => {
    expect(() => toolManifest(defineTool({ ...tool, reconcile }))).toThrow(
      'Tool "pay": reconcile says what became of a call that may take effect once only, and is never asked of this one.',
    );
  });
});

const MINUTE = 60_000;
const until = Date.UTC(2026, 10, 22, 11, 10, 50, 120);
const lost: WaitingCall = {
  call: '2.1',
  n: 0,
  tool: 'refund',
  toolInput: { euros: 40 },
  reason: 'doubt',
  error: { type: 'InDoubt', message: 'its worker died' },
  until,
};
const { until: _, ...forPerson } = lost;

describe('the timer of a call that waits for its lost attempt', () => {
  test('says until when, and what may be sent', () => {
    expect(waitingSummary('2.1', 'refund', stateOf(lost))).toBe(
      'waiting: 2.1 refund doubt until 2026-11-22T11:10:50.120Z. reconcile | resolve | skip | abort',
    );
  });

  test.each(['refund', 'pay until 2026-01-01. Now', 'a failed. until', 'doubt until x.'])(
    'is read as it was written, whatever the tool is called: %s',
    (tool) => {
      expect(readSummary(waitingSummary('2.1', tool, stateOf(lost)))).toEqual({
        call: '2.1',
        reason: 'doubt',
        until,
      });
      expect(readSummary(waitingSummary('2.1', tool, stateOf(forPerson)))).toEqual({
        call: '2.1',
        reason: 'doubt',
      });
    },
  );

  test.each([
    ['stops no clock', lost, 5 * MINUTE],
    ['stops the clock where a person is needed', forPerson, 1 * MINUTE],
  ])('%s', async (_what, waiting, elapsedMs) => {
    const clock = createRunClock();
    const input = async () => undefined;
    await clock.next({
      id: 1,
      at: 0,
      type: 'scheduled',
      of: 'activity',
      key: '1',
      workId: '1',
      name: 'x',
      input,
    });
    const summary = async () => waitingSummary('2.1', 'refund', stateOf(waiting));
    await clock.next({ id: 2, at: 1 * MINUTE, type: 'timer_started', timer: '1', summary });
    expect(clock.elapsedMs(5 * MINUTE)).toBe(elapsedMs);
  });
});

describe('a run with such a call', () => {
  test('is running, lists the call, and does so until the wait ends', () => {
    const report = new RunView('r', 'r1');
    report.add({ at: 0, type: 'waiting', wait: lost });
    expect(report).toMatchObject({ status: 'running', waiting: [lost] });
    report.add({ at: 1, type: 'waiting', wait: { ...forPerson, call: '2.2' } });
    expect(report.status).toBe('waiting');
    report.add({ at: 2, type: 'resumed', call: '2.1' });
    expect(report).toMatchObject({ status: 'waiting', waiting: [{ call: '2.2' }] });
  });

  test('says in its trace when its tool is asked, and what the tool said', () => {
    const text = waitingText(lost, true, until - 5 * MINUTE);
    expect(text).toMatch(
      /^In doubt: refund \(2\.1\) may still be running somewhere\. Its reconcile is asked at \d\d:10:50, after 5 min$/u,
    );
    const said = { at: 0, type: 'reconciled', call: '2.1' } as const;
    const error = { type: 'Error', message: 'cannot look' };
    expect(reconciledText({ ...said, found: 'done' })).toBe('Its reconcile was asked: the call took effect');
    expect(reconciledText({ ...said, found: 'notDone' })).toBe(
      'Its reconcile was asked: the call did nothing',
    );
    expect(reconciledText({ ...said, found: 'unknown', error })).toBe(
      'Its reconcile was asked: unknown (cannot look)',
    );
  });

  test('says what to type to ask now, and how long it takes otherwise', () => {
    const options = { id: 'crash1', runId: '', flags: [], uiUrl: undefined, namespace: 'default' };
    const lines = waitingHelp(lost, [lost], options, until - 280_000).map((line) => line.trim());
    expect(lines[0]).toMatch(
      /reloop reconcile crash1 {2}\(if you know that it is dead; else it is asked in 4 min 40 s\)$/u,
    );
    expect(lines.map((line) => / (\w+) crash1/u.exec(line)?.[1])).toEqual([
      'reconcile',
      'resolve',
      'skip',
      'abort',
    ]);
  });

  test('stands in the list with the time', () => {
    const run = {
      id: 'r',
      runId: 'r1',
      agent: 'a',
      input: 'q',
      taskQueue: 'reloop',
      closedAt: null,
    } as const;
    const [, row] = runsTable([
      {
        ...run,
        status: 'running',
        startedAt: new Date(0),
        waiting: [{ call: '2.1', tool: 'refund', reason: 'doubt', until }],
      },
    ]);
    expect(row).toMatch(/2\.1 refund doubt until \d\d:10:50/u);
  });
});
