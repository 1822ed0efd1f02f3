import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../../history/read/fact.ts';
import { waitingSummary } from '../../../../agent/rules/waiting.ts';
import { createTrace } from '../../../../history/trace/trace.ts';
import { type RestartedEvent, inputDigest, isDropped, lastOfEach } from '../../../../agent/calls/restart.ts';
import { earlierCall, effectOf, repeatedError } from '../../../../agent/rules/repeated.ts';
import { withObservations } from '../../../../agent/transcript/entries.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import { type Entry, withRunId } from '../../../../agent/transcript/entries.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { restartText } from '../../../../features/render/words/run-words.ts';
import { RunView } from '../../../../agent/views/view.ts';
import { reportOf } from '../../../../client/report.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';
import { atSeconds, decides, observes, restarted, waits, started } from '../../../support/run-events.ts';

describe('the effects of dropped steps', () => {
  const effects = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      call: `${index + 1}.1`,
      tool: 'mail',
      input: inputDigest({ n: index }),
      output: '済'.repeat(300),
    }));

  test('have no outputs where the list would be too long for a payload', () => {
    const all = lastOfEach(effects(2250));
    expect(all).toHaveLength(2250);
    expect(new Set(all.map(({ output }) => output))).toEqual(new Set(['…']));
    expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThanOrEqual(limits.doneBytes);
  });

  test('refuse a restart where the list is too long even so', () => {
    expect(() => lastOfEach(effects(20_000))).toThrow(
      /20000 effects, which are more than a run can remember/u,
    );
  });
});

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

  test('is found by what was written, where a worker without the tool planned one of the two', () => {
    const written = '{"sum":3}';
    const effect = inputDigest({ sum: 3 });
    const known = { call: '3.1', tool: 'pay', ...effectOf({ toolInput: written, effect }, written) };
    const unknown = { call: '3.1', tool: 'pay', ...effectOf({ toolInput: written }, written) };
    const planned = { tool: 'pay', toolInput: written };
    expect(earlierCall([known], planned, written)).toBe(known);
    expect(earlierCall([unknown], { ...planned, effect }, written)).toBe(unknown);
    expect(earlierCall([unknown], { ...planned, effect }, '{"sum":4}')).toBeUndefined();
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
  const modelInput = { base: 0, prev: '', delta: [] };
  const activity = (ms: number, key: string, workId: string, name = 'callModel') =>
    at(ms, { type: 'scheduled', of: 'activity', key, workId, name, input: async () => modelInput });
  const succeeds = (ms: number, key: string, result: object) =>
    at(ms, { type: 'succeeded', key, result: async () => result });
  const tells = (ms: number, message: 'pause' | 'resume') =>
    at(ms, { type: 'update_completed', key: '1', updateId: 'u', result: async () => ({ message }) });
  const wait = (ms: number, timer: string, summary = waitingSummary(timer, 't', call)) =>
    at(ms, { type: 'timer_started', timer, summary: async () => summary });
  const over = (ms: number, timer: string) => at(ms, { type: 'timer_cancelled', timer });
  const call = { kind: 'tool', waiting: 'failed' } as const;

  const resolves = activity(5, '1', 'resolve', 'resolveAgent');
  const manifest = sampleManifest({ tools: [sampleTool('ask', 'Asks.', { agent: 'b' })] });
  const ask = { tool: 'ask', toolInput: 'x' };
  /** The agent is known at 5. At 10 the model makes two calls. */
  const begun = [
    start(0),
    resolves,
    succeeds(5, '1', { manifest }),
    activity(10, '2', '1'),
    succeeds(10, '2', {
      text: '',
      digest: '',
      decision: { type: 'act', actions: [ask, ask] },
      usage: noUsage,
    }),
  ];

  async function elapsedAt(ms: number, ...facts: Fact[]): Promise<number> {
    const trace = createTrace('w');
    for (const fact of facts) await trace.next(fact);
    return trace.run.elapsedMs(ms);
  }

  test('begins when the agent is known, and stands still while any call waits', async () => {
    const waits = [wait(20, '1.1'), wait(30, '1.2'), over(50, '1.1'), over(70, '1.2'), wait(80, '1.1')];
    expect(await elapsedAt(100, ...begun, ...waits)).toBe(80 - 5 - 50);
  });

  const DOUBT = waitingSummary('1.1', 'pay', { ...call, waiting: 'doubt', until: 90 });
  const LIMIT = waitingSummary('2', '2 iterations', { kind: 'model', waiting: 'limit' });
  test.each<[what: string, from: Fact, to: Fact, elapsedMs: number]>([
    ['stands still in a pause', tells(20, 'pause'), tells(50, 'resume'), 65],
    ['stands still at a limit', wait(20, 't1', LIMIT), over(50, 't1'), 65],
    ['runs on until a lost attempt is over', wait(20, 't1', DOUBT), over(50, 't1'), 95],
  ])('%s', async (_what, from, to, elapsedMs) => {
    expect(await elapsedAt(100, ...begun, from, to)).toBe(elapsedMs);
  });

  test('stands still while a sub-agent waits, and runs on when the sub-agent has ended', async () => {
    const waits = [{ call: '2.1', n: 0, tool: 't', toolInput: 'x', reason: 'failed' }];
    const signal = { type: 'signaled', name: 'childWaiting', input: async () => ({ caller: '1.1', waits }) };
    const child = { type: 'scheduled', of: 'child', key: '3', workId: 'w/1.1', name: 'agentRun' };
    const result = { stopReason: 'final_answer', output: 'y', iterations: 1, usage: noUsage };
    const asked = [...begun, at(15, { ...child, input: async () => ({ agent: 'b' }) }), at(20, signal)];
    expect(await elapsedAt(100, ...asked)).toBe(15);
    // The sub-agent has not said that its waits are over.
    expect(await elapsedAt(100, ...asked, succeeds(50, '3', result))).toBe(65);
  });

  test('has not begun where the run was paused before its agent was known', async () => {
    const paused = [start(0), resolves, tells(10, 'pause'), succeeds(30, '1', {}), tells(70, 'resume')];
    expect(await elapsedAt(100, ...paused)).toBe(30);
  });

  test('goes on from what had passed where the run was continued, or does steps again', async () => {
    const counters = { iterations: 1, startedAtMs: 100, waitedMs: 30, usage: noUsage };
    expect(await elapsedAt(300, start(200, { counters }))).toBe(170);
    const restart = { by: 'rewind', step: 2, from: { runId: 'r0' }, elapsedMs: 40 };
    const again = start(200, { counters, restart });
    expect(await elapsedAt(300, again)).toBe(40);
    expect(await elapsedAt(300, again, activity(250, '1', '2'))).toBe(90);
  });

  test('is not taken back by an activity of a later run that has the key of a rewind', async () => {
    const counters = { iterations: 1, startedAtMs: 100, waitedMs: 0, usage: noUsage };
    const point = { from: {}, pending: [], counters, elapsedMs: 20, firstN: 1 };
    const rewinds = [activity(5, '9', 'rewind', 'rewindPoint'), succeeds(10, '9', point)];
    const before = [start(0), ...rewinds, activity(30, '7', '2')];
    expect(await elapsedAt(40, ...before)).toBe(30);
    const other = succeeds(210, '9', { output: 'of a tool' });
    expect(await elapsedAt(300, ...before, start(200, { counters }), other)).toBe(200);
  });
});
