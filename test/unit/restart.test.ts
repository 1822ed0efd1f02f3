import { describe, expect, test } from 'vitest';
import type { Fact } from '../../history/read/fact.ts';
import { PAUSED_SUMMARY, waitingSummary } from '../../agent/rules/waiting.ts';
import { createRunClock } from '../../history/trace/run-clock.ts';
import { type RestartedEvent, inputDigest, isDropped } from '../../agent/calls/restart.ts';
import { earlierCall, repeatedError } from '../../agent/rules/repeated.ts';
import { withObservations } from '../../agent/run/transcript-edits.ts';
import { type Entry, withRunId, conversation } from '../../agent/transcript/entries.ts';
import { noUsage } from '../../agent/values/vocabulary.ts';
import { restartText } from '../../cli/print/trace/trace-words.ts';
import { RunView } from '../../agent/run/view.ts';
import { reportOf } from '../../client/report.ts';
import { sampleManifest } from '../support/manifest.ts';
import { atSeconds, decides, observes, restarted, waits, started } from '../support/run-events.ts';

describe('a run that begins again', () => {
  test.each([
    ['2.1', undefined, false],
    ['3', undefined, true],
    ['3.1', undefined, true],
    ['10.2', undefined, true],
    ['3.1', ['3.2'], false],
    ['3.2', ['3.2'], true],
    ['3.2/1.1', ['3.2'], true],
    ['4.1', ['3.2'], true],
    ['1/3.1', undefined, false],
  ])('call %s, with %j made again of step 3, is dropped: %s', (call, again, dropped) => {
    expect(isDropped(call, { step: 3, again })).toBe(dropped);
  });

  const event = restarted('rewind', 2, { runId: 'second', usage: { ...noUsage, totalTokens: 365 } });

  test('a report that was ahead of it has what is kept, and waits for nothing', () => {
    const view = new RunView('run-1');
    const before = atSeconds(
      started,
      ...decides('1', 'search', 'x'),
      observes('1.1', 'search', 'x', 'one'),
      ...decides('2', 'search', 'y'),
      observes('2.1', 'search', 'y', 'two'),
      ...decides('3', 'search', 'z'),
      ...waits('3.1', 'search', 'z'),
    );
    for (const one of [...before, { ...event, at: 0, edits: [{ call: '1.1', observation: null }] }])
      view.add(one);
    const report = reportOf(view);
    expect(report).toMatchObject({ runId: 'second', status: 'running', waiting: [], iterations: 1 });
    expect(report.usage.totalTokens).toBe(365);
    expect(report.intermediateSteps).toMatchObject([{ call: '1.1', observation: null }]);
  });

  test.each([
    [event, 'Rewound to step 2'],
    [{ ...event, by: 'fork', from: { id: 'other', runId: 'r' } }, 'Forked from run other at step 2'],
    [{ ...event, by: 'retry' }, 'Retried from step 2'],
    [{ ...event, by: 'retry', again: ['2.2', '2.3'] }, 'Retried from call 2.2, 2.3'],
  ] as [RestartedEvent, string][])('the trace says how: %#', (told, text) => {
    expect(restartText(told)).toBe(text);
  });
});

describe('entries that another run goes on with', () => {
  const step = { type: 'step', call: '1.1', action: { tool: 't', toolInput: 'x', log: '' } } as const;
  const referring: Entry = { ...step, observation: null, ref: { activityId: '1.1' } };

  test('say which run of which workflow has what they refer to', () => {
    const [placed] = withRunId([referring], 'run', 'workflow');
    expect(placed).toMatchObject({ ref: { activityId: '1.1', runId: 'run', workflowId: 'workflow' } });
    const known: Entry = { ...referring, ref: { activityId: '1.1', runId: 'earlier', workflowId: 'first' } };
    expect(withRunId([known], 'run', 'workflow')).toEqual([known]);
  });

  test('have the observation in place that a person gave', () => {
    const observation = 'other';
    expect(withObservations([referring], new Map([['1.1', observation]]))).toEqual([
      { ...step, observation },
    ]);
    expect(withObservations([referring], new Map([['2.1', 'other']]))).toEqual([referring]);
  });

  test('speak to the model that stands in them last', () => {
    const manifest = sampleManifest();
    const entries: Entry[] = [
      { type: 'agent', manifest },
      { type: 'question', input: 'why?', chatHistory: [] },
      { ...step, observation: 'one' },
      { type: 'agent', manifest: { ...manifest, model: 'other' } },
    ];
    const { manifest: last, steps } = conversation(entries);
    expect([last.model, steps.length]).toEqual(['other', 1]);
  });
});

describe('an earlier call with the same effect', () => {
  const done = [{ call: '3.1', tool: 'pay', input: inputDigest({ to: 'Ann', sum: 3 }), output: 'receipt' }];

  const action = { tool: 'pay', toolInput: { sum: '3', to: 'Ann' } };

  test('is found by its tool and its input, in whatever order its fields stand', () => {
    expect(earlierCall(done, action, { sum: 3, to: 'Ann' })).toBe(done[0]);
    expect(earlierCall(done, action, { sum: 4, to: 'Ann' })).toBeUndefined();
    expect(earlierCall(done, { ...action, tool: 'refund' }, { sum: 3, to: 'Ann' })).toBeUndefined();
  });

  test('is found by the input as the tool reads it', () => {
    const { toolInput } = action;
    const effect = inputDigest({ to: 'Ann', sum: 3 });
    expect(earlierCall(done, action, toolInput)).toBeUndefined();
    expect(earlierCall(done, { ...action, effect }, toolInput)).toBe(done[0]);
    expect(earlierCall(done, { ...action, effect }, { sum: 4, to: 'Ann' })).toBeUndefined();
  });

  test('is told with what it returned, or that nobody knows', () => {
    const [made] = done;
    expect(made && repeatedError(made)).toEqual({
      type: 'Repeated',
      message: 'Call 3.1 of pay had the same input and returned: receipt',
    });
    expect(repeatedError({ call: '3.1', tool: 'pay', input: '' }).message).toBe(
      'Call 3.1 of pay had the same input; it is not known whether the call took effect',
    );
  });
});

describe('the clock of a time limit, as the record has it', () => {
  const at = (ms: number, fact: object) => ({ id: 1, at: ms, ...fact }) as Fact; // what the clock reads of one
  const ids = { workflowType: 'agentRun', workflowId: 'w', runId: 'r' };
  const start = (ms: number, more: object = {}) =>
    at(ms, { type: 'started', ...ids, input: async () => ({ agent: 'a', ...more }) });
  const activity = (ms: number, key: string, workId: string, name = 'callModel') =>
    at(ms, { type: 'scheduled', of: 'activity', key, workId, name });
  const resolves = activity(5, '1', 'resolve', 'resolveAgent');
  const call = { kind: 'tool', waiting: 'failed' } as const;
  const waits = (ms: number, timer: string, summary = waitingSummary('1.1', 't', call)) =>
    at(ms, { type: 'timer_started', timer, summary: async () => summary });
  const over = (ms: number, timer: string) => at(ms, { type: 'timer_cancelled', timer });

  async function clockAfter(...facts: Fact[]) {
    const clock = createRunClock();
    for (const fact of facts) await clock.next(fact);
    return clock;
  }

  test('begins with the first call, and stands still while anything waits', async () => {
    const waitsAtOnce = [waits(20, 't1'), waits(30, 't2'), over(50, 't1'), over(70, 't2'), waits(80, 't3')];
    const clock = await clockAfter(start(0), resolves, activity(10, '2', '1'), ...waitsAtOnce);
    expect(clock.elapsedMs(100)).toBe(80 - 10 - 50);
  });

  const DOUBT = waitingSummary('2.1', 'pay', { ...call, waiting: 'doubt', until: 90 });
  test.each<[what: string, summary: string, elapsedMs: number]>([
    ['stands still in a pause', PAUSED_SUMMARY, 60],
    ['stands still at a limit', waitingSummary('3', '2 iterations', { kind: 'model', waiting: 'limit' }), 60],
    ['runs on until a lost attempt is over', DOUBT, 90],
  ])('%s', async (_what, summary, elapsedMs) => {
    const clock = await clockAfter(
      start(0),
      activity(10, '2', '1'),
      waits(20, 't1', summary),
      over(50, 't1'),
    );
    expect(clock.elapsedMs(100)).toBe(elapsedMs);
  });

  test('has not begun where the run was paused before its agent was known', async () => {
    const known = at(30, { type: 'succeeded', of: 'activity', key: '1', result: async () => ({}) });
    const clock = await clockAfter(
      start(0),
      resolves,
      waits(10, 't1', PAUSED_SUMMARY),
      known,
      over(70, 't1'),
    );
    expect(clock.elapsedMs(100)).toBe(30);
  });

  test('goes on from what had passed where the run was continued, or does steps again', async () => {
    const counters = { iterations: 1, startedAtMs: 100, waitedMs: 30, usage: noUsage };
    const continued = await clockAfter(start(200, { counters }));
    expect(continued.elapsedMs(300)).toBe(170);
    const again = start(200, { counters, restart: { elapsedMs: 40 } });
    expect((await clockAfter(again)).elapsedMs(300)).toBe(40);
    expect((await clockAfter(again, activity(250, '1', '2'))).elapsedMs(300)).toBe(90);
  });

  test('is not taken back by an activity of a later run that has the key of a rewind', async () => {
    const counters = { iterations: 1, startedAtMs: 100, waitedMs: 0, usage: noUsage };
    const rewinds = activity(5, '9', 'rewind', 'rewindPoint');
    const result = async () => ({ from: {}, pending: [], counters, elapsedMs: 20, firstN: 1 });
    const rewound = { type: 'succeeded', of: 'activity', key: '9', result } as const;
    const before = [start(0), rewinds, at(10, rewound), activity(30, '7', '2')];
    expect((await clockAfter(...before)).elapsedMs(40)).toBe(30);
    const other = { ...rewound, result: async () => ({ output: 'of a tool' }) };
    expect((await clockAfter(...before, start(200, { counters }), at(210, other))).elapsedMs(300)).toBe(200);
  });
});
