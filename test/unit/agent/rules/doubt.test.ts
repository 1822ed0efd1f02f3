import { describe, expect, test } from 'vitest';
import type { FailedCall } from '../../../../agent/calls/failures.ts';
import { afterFailure } from '../../../../agent/rules/call-rules.ts';
import {
  type Doubt,
  afterDoubt,
  aftermath,
  mayTryAgain,
  reconcileAtMs,
  reconciledEnd,
  undone,
  withIntent,
} from '../../../../agent/rules/doubt.ts';
import { type WaitingCall, readSummary, stateOf, waitingSummary } from '../../../../agent/rules/waiting.ts';
import { RunView } from '../../../../agent/views/view.ts';
import { waitingHelp } from '../../../../cli/follow/waiting-help.ts';
import { reconciledText, waitingText } from '../../../../cli/print/trace/trace-words.ts';
import { toolManifest } from '../../../../config/options/tool-options.ts';
import { defineTool } from '../../../../adapters/tools/tool.ts';
import { sampleTool } from '../../../support/manifest.ts';

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
    ['what its runner says did nothing', pay, failed('AttemptSuperseded', { notDone: 'again' }), 'again'],
    ['a failure of its own that did nothing', pay, failed('Error', { notDone: 'failed' }), 'failed'],
    ['a cancellation that its runner acknowledged', pay, failed('Cancelled'), 'failed'],
    ['a cancellation without a worker', pay, failed('Cancelled', { unattended: true }), 'failed'],
    [
      'a cancellation without a worker, after an intent',
      pay,
      failed('Cancelled', { unattended: true, intent }),
      'doubt',
    ],
    ['any failure elsewhere', external, failed('Error', { notDone: 'again' }), 'doubt'],
    ['a time-out elsewhere', external, timedOut, 'doubt'],
    ['a cancellation elsewhere', external, failed('Cancelled'), 'doubt'],
    ['a ToolError elsewhere', external, failed('ToolError'), 'failed'],
    ['the failure of another tool', sampleTool('t', 't'), failed('Error'), 'failed'],
  ])('by %s', (_what, tool, call, type) => {
    expect(aftermath(tool, call, 0)).toMatchObject({ type });
  });

  test.each([undefined, true] as const)(
    'says what is not known, and until when; its process is gone: %s',
    (processGone) => {
      const error = { type: 'InDoubt', message: 'It is not known whether pay took effect: it broke.' };
      const left = aftermath(pay, { ...timedOut, intent, processGone }, 0);
      expect(left).toEqual({ type: 'doubt', error, endsAtMs: 6000, processGone, cause: 'WorkerDied' });
    },
  );

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
    expect(
      reconcileAtMs(slow, { type: 'doubt', error, endsAtMs, processGone, cause: 'WorkerDied' }, 200_000),
    ).toBe(atMs);
  });

  test.each([
    ['a few seconds after the report', 198_000, 203_000],
    ['at once when the report is older than that', 195_000, undefined],
    ['a few seconds from now, when the report is of a clock that is ahead', 900_000, 205_000],
  ])('is asked about, where its run hears of the death late, %s', (_what, goneAtMs, atMs) => {
    const error = { type: 'InDoubt', message: 'lost' };
    const gone = { processGone: true, goneAtMs, endsAtMs: 400_000 } as const;
    expect(reconcileAtMs(pay, { type: 'doubt', error, ...gone, cause: 'WorkerDied' }, 200_000)).toBe(atMs);
  });

  test('is not scheduled a sixth time by itself', () => {
    expect(aftermath(pay, timedOut, 3)).toMatchObject({ type: 'again' });
    expect(aftermath(pay, timedOut, 4)).toMatchObject({ type: 'failed', error: { type: 'WorkerDied' } });
  });

  test('is scheduled as often as the tool has attempts, if the tool itself failed and had no effect', () => {
    const twice = { ...pay, retry: { ...pay.retry, maxAttempts: 2 } };
    const doubt = aftermath(twice, failed('InDoubt', { fault: 'Timeout' }), 0) as Doubt;
    expect(doubt).toMatchObject({ cause: 'Timeout', isOwn: true });
    expect([0, 1].map((failures) => mayTryAgain(twice, doubt, { lost: 4, failures }))).toEqual([true, false]);
  });

  test('elsewhere does not say whose fault it was', () => {
    expect(aftermath(external, failed('Error', { fault: 'Timeout' }), 0)).not.toHaveProperty('isOwn');
  });

  test.each([
    ['its worker was lost', { ...timedOut, intent }, 'WorkerDied'],
    ['its tool took too long', failed('InDoubt', { fault: 'Timeout' }), 'Timeout'],
  ])('says that it did nothing, when its reconcile has said so, and %s', (_why, call, type) => {
    const error = undone(pay, aftermath(pay, call, 0) as Doubt);
    expect(error).toEqual({ type, message: 'pay did nothing, its reconcile says: it broke.' });
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
    const recorded = toolManifest(defineTool({ ...tool, effects: 'once', reconcile }));
    expect(recorded).toMatchObject({ effects: 'once', reconciles: true });
    expect(toolManifest(defineTool({ ...tool, effects: 'once' }))).not.toHaveProperty('reconciles');
  });

  test('is refused where a call of it would simply run again', () => {
    expect(() => toolManifest(defineTool({ ...tool, reconcile }))).toThrow(
      'Tool "pay": reconcile says what became of a call that may take effect once only, and is never asked of this one.',
    );
  });
});

const until = Date.UTC(2026, 10, 22, 11, 10, 50, 120);
const error = { type: 'InDoubt', message: 'its worker died' };
const lost: WaitingCall = { call: '2.1', n: 0, tool: 'pay', toolInput: 40, reason: 'doubt', error, until };
const { until: _, ...forPerson } = lost;

describe('the timer of a call that waits for its lost attempt', () => {
  test('says until when, and what may be sent', () => {
    expect(waitingSummary('2.1', 'pay', stateOf(lost))).toBe(
      'waiting: 2.1 pay doubt until 2026-11-22T11:10:50.120Z. reconcile | resolve | skip | abort',
    );
  });

  test.each(['refund', 'pay until 2026-01-01. Now', 'a failed. until', 'doubt until x.'])(
    'is read as it was written, whatever the tool is called: %s',
    (tool) => {
      const read = { call: '2.1', reason: 'doubt' };
      expect(readSummary(waitingSummary('2.1', tool, stateOf(lost)))).toEqual({ ...read, until });
      expect(readSummary(waitingSummary('2.1', tool, stateOf(forPerson)))).toEqual(read);
    },
  );
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
    const text = waitingText(lost, true, until - 300_000);
    expect(text).toMatch(
      /^In doubt: pay \(2\.1\) may still be running somewhere\. Reloop asks the tool at \d\d:10:50 whether it took effect, after 5 min$/u,
    );
    const said = { at: 0, type: 'reconciled', call: '2.1' } as const;
    const asked = 'Reloop asked the tool whether it took effect:';
    expect(reconciledText({ ...said, found: 'done' })).toBe(`${asked} the call took effect`);
    expect(reconciledText({ ...said, found: 'notDone' })).toBe(`${asked} the call did nothing`);
    expect(reconciledText({ ...said, found: 'unknown', error })).toBe(
      `${asked} unknown (InDoubt: its worker died)`,
    );
  });

  test('says what to type to ask now, and how long it takes otherwise', () => {
    const options = { id: 'crash1', runId: '', flags: [], uiUrl: undefined, namespace: 'default' };
    const lines = waitingHelp(lost, [lost], options, until - 280_000).map((line) => line.trim());
    expect(lines[0]).toMatch(
      /reloop reconcile crash1 {2}\(if you know that it is dead; otherwise it is asked in 4 min 40 s\)$/u,
    );
    const commands = lines.map((line) => / (\w+) crash1/u.exec(line)?.[1]);
    expect(commands.join(' ')).toBe('reconcile resolve skip abort');
  });
});
