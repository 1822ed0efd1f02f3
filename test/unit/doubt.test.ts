import { describe, expect, test } from 'vitest';
import type { FailedCall } from '../../agent/failures.ts';
import { afterFailure } from '../../agent/rules/call-rules.ts';
import { afterDoubt, aftermath, mayGoAgain, reconciledEnd, withIntent } from '../../agent/rules/doubt.ts';
import { toolManifest } from '../../config/tool-options.ts';
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
    ['what its runner says to have done nothing', pay, failed('NotOurs', { notDone: 'again' }), 'again'],
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

  test('is not scheduled a sixth time by itself', () => {
    expect([3, 4].map((lost) => mayGoAgain(lost))).toEqual([true, false]);
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

test('what a tool found of its call is the result, or that there is none', () => {
  expect(reconciledEnd(pay, { output: 'paid', reconciled: 'done' })).toMatchObject({
    end: { observation: 'paid', fromTool: true, recorded: 'runner' },
  });
  expect(reconciledEnd(pay, { output: null, reconciled: 'notDone' })).toEqual({ type: 'notDone' });
  expect(reconciledEnd(pay, { output: null, reconciled: 'unknown' })).toEqual({ type: 'unknown' });
});

test('nobody is asked about a tool without effects that loses its workers; runs of earlier versions ask', () => {
  const reads = sampleTool('reads', 'reads', { effects: 'none' });
  const died = { type: 'WorkerDied', message: 'gone' };
  const context = { cancelled: undefined, overdue: false };
  expect(afterFailure(reads, died, { ...context, tellsDeath: true })).toMatchObject({
    end: { observation: 'The tool reads failed: gone' },
  });
  expect(afterFailure(reads, died, context)).toEqual({ type: 'ask' });
  expect(afterFailure(pay, died, { ...context, tellsDeath: true })).toEqual({ type: 'ask' });
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
