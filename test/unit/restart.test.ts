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
import { atSeconds, decides, observes, waits, started } from '../support/run-events.ts';

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

  const event: RestartedEvent = {
    type: 'restarted',
    by: 'rewind',
    step: 2,
    id: 'run-1',
    runId: 'second',
    from: { id: 'run-1', runId: 'first' },
    iterations: 1,
    usage: { ...noUsage, totalTokens: 365 },
  };

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
    expect(withRunId([referring], 'run', 'workflow')).toMatchObject([
      { ref: { activityId: '1.1', runId: 'run', workflowId: 'workflow' } },
    ]);
    const known: Entry = { ...referring, ref: { activityId: '1.1', runId: 'earlier', workflowId: 'first' } };
    expect(withRunId([known], 'run', 'workflow')).toEqual([known]);
  });

  test('have the observation in place that a person gave', () => {
    expect(withObservations([referring], new Map([['1.1', 'other']]))).toEqual([
      { ...step, observation: 'other' },
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
    expect(conversation(entries)).toMatchObject({
      manifest: { model: 'other' },
      steps: [{ observation: 'one' }],
    });
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
    expect(done.map(repeatedError)).toMatchInlineSnapshot(`
      [
        {
          "message": "Call 3.1 of pay had the same input and returned: receipt",
          "type": "Repeated",
        },
      ]
    `);
    expect(repeatedError({ call: '3.1', tool: 'pay', input: '' }).message).toMatchInlineSnapshot(
      `"Call 3.1 of pay had the same input; it is not known whether the call took effect"`,
    );
  });
});

describe('the clock of a time limit, as the record has it', () => {
  const at = (ms: number, fact: object) => ({ id: 1, at: ms, ...fact }) as Fact; // what the clock reads of one
  const start = (input: object) => ({
    type: 'started',
    workflowType: 'agentRun',
    workflowId: 'w',
    runId: 'r',
    input: async () => input,
  });
  const wait = (timer: string) => ({
    type: 'timer_started',
    timer,
    summary: async () => 'waiting: 1.1 t failed. retry',
  });

  async function clockAfter(...facts: Fact[]) {
    const clock = createRunClock();
    for (const fact of facts) await clock.next(fact);
    return clock;
  }

  test('begins with the first call, and stands still while anything waits', async () => {
    const clock = await clockAfter(
      at(0, start({ agent: 'a' })),
      at(5, { type: 'scheduled', of: 'activity', key: '1', workId: 'resolve', name: 'resolveAgent' }),
      at(10, { type: 'scheduled', of: 'activity', key: '2', workId: '1', name: 'callModel' }),
      at(20, wait('t1')),
      at(30, wait('t2')),
      at(50, { type: 'timer_cancelled', timer: 't1' }),
      at(70, { type: 'timer_cancelled', timer: 't2' }),
      at(80, wait('t3')),
    );
    expect(clock.elapsedMs(100)).toBe(80 - 10 - 50);
  });

  test('stands still in a pause, and at a limit', async () => {
    const summaries = [
      PAUSED_SUMMARY,
      waitingSummary('3', '2 iterations', { kind: 'model', waiting: 'limit' }),
    ];
    for (const summary of summaries) {
      const clock = await clockAfter(
        at(0, start({ agent: 'a' })),
        at(10, { type: 'scheduled', of: 'activity', key: '2', workId: '1', name: 'callModel' }),
        at(20, { type: 'timer_started', timer: 't1', summary: async () => summary }),
        at(50, { type: 'timer_cancelled', timer: 't1' }),
      );
      expect(clock.elapsedMs(100)).toBe(60);
    }
  });

  test('has not begun where the run was paused before its agent was known', async () => {
    const clock = await clockAfter(
      at(0, start({ agent: 'a' })),
      at(5, { type: 'scheduled', of: 'activity', key: '1', workId: 'resolve', name: 'resolveAgent' }),
      at(10, { type: 'timer_started', timer: 't1', summary: async () => PAUSED_SUMMARY }),
      at(30, { type: 'succeeded', of: 'activity', key: '1', result: async () => ({}) }),
      at(70, { type: 'timer_cancelled', timer: 't1' }),
    );
    expect(clock.elapsedMs(100)).toBe(30);
  });

  test('goes on from what had passed where the run was continued, or does steps again', async () => {
    const counters = { iterations: 1, startedAtMs: 100, waitedMs: 30, usage: noUsage };
    const continued = await clockAfter(at(200, start({ agent: 'a', counters })));
    expect(continued.elapsedMs(300)).toBe(170);
    const again = start({ agent: 'a', counters, restart: { elapsedMs: 40 } });
    const begun = { type: 'scheduled', of: 'activity', key: '1', workId: '2', name: 'callModel' } as const;
    expect((await clockAfter(at(200, again))).elapsedMs(300)).toBe(40);
    expect((await clockAfter(at(200, again), at(250, begun))).elapsedMs(300)).toBe(90);
  });

  test('is not taken back by an activity of a later run that has the key of a rewind', async () => {
    const counters = { iterations: 1, startedAtMs: 100, waitedMs: 0, usage: noUsage };
    const rewinds = {
      type: 'scheduled',
      of: 'activity',
      key: '9',
      workId: 'rewind',
      name: 'rewindPoint',
    } as const;
    const result = async () => ({ from: {}, pending: [], counters, elapsedMs: 20, firstN: 1 });
    const rewound = { type: 'succeeded', of: 'activity', key: '9', result } as const;
    const call = { type: 'scheduled', of: 'activity', key: '7', workId: '2', name: 'callModel' } as const;
    const before = [at(0, start({ agent: 'a' })), at(5, rewinds), at(10, rewound), at(30, call)];
    expect((await clockAfter(...before)).elapsedMs(40)).toBe(30);
    const other = { ...rewound, result: async () => ({ output: 'of a tool' }) };
    const after = [at(200, start({ agent: 'a', counters })), at(210, other)];
    expect((await clockAfter(...before, ...after)).elapsedMs(300)).toBe(200);
  });
});
