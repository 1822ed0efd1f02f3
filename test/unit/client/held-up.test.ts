import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../agent/views/view.ts';
import {
  atSeconds,
  modelEnded,
  observes,
  restarted,
  started,
  type Timeless,
  waits,
} from '../../support/run-events.ts';

const bake = { tool: 'bake', toolInput: 'lemon' };
const acts: Timeless[] = [modelEnded('1', '', { type: 'act', actions: [bake] })];
const call = (id: string, more: object = {}): Timeless => ({
  type: 'action',
  call: id,
  action: { ...bake, log: '' },
  ...more,
});
const inBackground = (id: string) => call(id, { background: true });
const waitsFor = (id: string) => waits(id, 'bake', 'lemon');
const ends = (id: string) => observes(id, 'bake', 'lemon', 'ready');
const asks = (id: string): Timeless => ({ type: 'model_started', call: id });
const answers = (id: string) => modelEnded(id, '', { type: 'finish', output: 'y' });
const fails = { type: 'fail', error: { type: 'ModelReplyInvalid', message: 'no action' } } as const;
const modelFailed: Timeless = {
  type: 'model_failed',
  call: '2',
  error: { type: 'BudgetUsedUp', message: 'used up' },
  attempts: 1,
};
const pauses: Timeless = { type: 'steered', message: { type: 'pause' } };
const says: Timeless = { type: 'steered', message: { type: 'say', text: 'And?' } };

/** The calls that hold the run up, now and after some seconds. */
function heldUpBy(events: readonly Timeless[]): [now: string[], later: string[]] {
  const view = viewOf('run-1', atSeconds(started, ...events));
  const [now, later] = [view.heldUpBy(), view.heldUpBy({ isStill: true })];
  return [now.map((wait) => wait.call), later.map((wait) => wait.call)];
}

describe('a run with a background call that waits for a person is held up by', () => {
  const beside = [...acts, inBackground('1.1'), ...waitsFor('1.1')];
  test.each<[what: string, events: Timeless[], now: string[], later?: string[]]>([
    ['nothing, while the model works', [...beside, asks('2')], []],
    ['nothing, between two turns', [...beside, call('1.2'), ends('1.2')], [], ['1.1']],
    ['nothing, while another call runs', [...beside, call('1.2')], []],
    [
      'nothing, while a background call of the answer runs',
      [...beside, inBackground('1.2'), answers('2')],
      [],
    ],
    ['the other call, when that waits too', [...beside, call('1.2'), ...waitsFor('1.2')], ['1.2']],
    ['the call, after the answer', [...beside, answers('2')], ['1.1']],
    ['nothing, after a message to the answer', [...beside, answers('2'), says], [], ['1.1']],
    ['the model call that waits', [...beside, asks('2'), ...waitsFor('2')], ['2']],
    [
      'nothing, after a message that the answer did not see',
      [...beside, asks('2'), says, answers('2')],
      [],
      ['1.1'],
    ],
    ['the call, when the model has seen a message', [...beside, says, asks('2'), answers('2')], ['1.1']],
    ['nothing, after a reply that fails the run', [...beside, modelEnded('2', '', fails)], []],
    [
      'nothing, right after the model repeats itself',
      [...beside, modelEnded('2', '', { type: 'stop' })],
      [],
      ['1.1'],
    ],
    ['nothing, right after a model call that failed', [...beside, asks('2'), modelFailed], [], ['1.1']],
    ['nothing, while it is paused', [...beside, call('1.2'), ends('1.2'), pauses], []],
  ])('%s', (_what, events, now, later = now) => {
    expect(heldUpBy(events)).toEqual([now, later]);
  });

  test.each<[what: string, event: Timeless]>([
    ['nobody decided about it in time', { type: 'unanswered', call: '1.2' }],
    [
      'a person cancelled it while it waited',
      { type: 'decided', call: '1.2', decision: { type: 'cancelCall' } },
    ],
  ])('the call, and not by another one: %s', (_what, event) => {
    expect(heldUpBy([...beside, inBackground('1.2'), ...waitsFor('1.2'), answers('2'), event])[0]).toEqual([
      '1.1',
    ]);
  });

  test('the call, and not by another one that the model has cancelled', () => {
    const cancelled: Timeless = { type: 'decided', call: '1.2', decision: { type: 'cancelCall' } };
    const answered = [...beside, inBackground('1.2'), asks('2'), answers('2')];
    expect(heldUpBy(answered)[0]).toEqual([]);
    expect(heldUpBy([...answered, cancelled])[0]).toEqual(['1.1']);
    expect(heldUpBy([...answered, cancelled, ...waitsFor('1.2')])[0]).toEqual(['1.1', '1.2']);
  });

  test('the call that a retry of the ended run makes again', () => {
    const retried: Timeless = { ...restarted('retry', 1), again: ['1.1'] };
    expect(heldUpBy([retried, ...waitsFor('1.1')])[0]).toEqual(['1.1']);
  });
});

test('a run is held up by a call of the turn, beside a background call that runs', () => {
  expect(heldUpBy([...acts, inBackground('1.1'), call('1.2'), ...waitsFor('1.2')])[0]).toEqual(['1.2']);
});

test('a run is held up by no call while another one of the turn runs', () => {
  const two = [...acts, call('1.1'), call('1.2'), ...waitsFor('1.2')];
  expect([heldUpBy(two)[1], heldUpBy([...two, ends('1.1')])[1]]).toEqual([[], ['1.2']]);
});

test("a run is held up by a sub-agent's call", () => {
  expect(heldUpBy([...acts, call('1.1'), ...waitsFor('1.1/2.1')])[0]).toEqual(['1.1/2.1']);
});

test('a fork is not held up by a background call of the other run', () => {
  const events = [...acts, inBackground('1.1'), restarted('fork', 3), asks('3')];
  const resumed = [modelEnded('3', '', { type: 'act', actions: [bake] }), call('3.1'), ...waitsFor('3.1')];
  expect(heldUpBy([...events, answers('3')])[0]).toEqual([]);
  expect(heldUpBy([...events, ...resumed])[0]).toEqual(['3.1']);
});
