import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { ModelTurn } from '../../../../agent/calls/calls.ts';
import { readFailure } from '../../../../agent/calls/failures.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { freshCounters } from '../../../../agent/limits/counters.ts';
import { cancelledTool } from '../../../../agent/observation/observations.ts';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { type Json, noUsage } from '../../../../agent/values/vocabulary.ts';
import type { Fact } from '../../../../history/read/fact.ts';
import { createFactReader } from '../../../../history/read/facts.ts';
import type { HistoryEvent } from '../../../../history/read/pages.ts';
import { createTrace } from '../../../../history/trace/trace.ts';
import { numbered, payloads, updateEvents, activityEvents } from '../../../support/history-events.ts';
import { sampleManifest } from '../../../support/manifest.ts';
import { reportFrom } from '../../../support/report.ts';

/** Counts what is decoded. */
let decoded = 0;
const payloadConverter = {
  toPayload: (value: unknown) => defaultPayloadConverter.toPayload(value),
  fromPayload(payload: Parameters<typeof defaultPayloadConverter.fromPayload>[0]) {
    decoded++;
    return defaultPayloadConverter.fromPayload<unknown>(payload);
  },
};
const loadedDataConverter = {
  payloadConverter,
  failureConverter: defaultFailureConverter,
  payloadCodecs: [],
};
const client = { options: { loadedDataConverter } } as unknown as Parameters<typeof createFactReader>[0]; // reading needs no more

describe('a fact', () => {
  test('of a timer has the summary that the workflow gave it, decoded when it is asked for', async () => {
    decoded = 0;
    const [fact] = factsOf({
      eventId: numbered(7),
      timerStartedEventAttributes: { timerId: '3' },
      userMetadata: { summary: defaultPayloadConverter.toPayload('waiting: 1.1') },
    });
    expect(fact).toMatchObject({ id: 7, type: 'timer_started', timer: '3' });
    expect(decoded).toBe(0);
    expect(fact?.type === 'timer_started' && (await fact.summary())).toBe('waiting: 1.1');
    expect(decoded).toBe(1);
  });

  test('of an update that is done has the name and the input of its acceptance', async () => {
    const [accepted, completed] = factsOf(...updateEvents(5, 'skip', { reason: 'no' }, 'whatever', 'u'));
    expect(accepted).toMatchObject({ type: 'update_accepted', name: 'skip', updateId: 'u' });
    expect(completed).toMatchObject({ type: 'update_completed', name: 'skip', updateId: 'u' });
    expect(completed?.type === 'update_completed' && (await completed.input?.())).toEqual({ reason: 'no' });
  });

  test('of a failed workflow task is there for a reset alone', () => {
    const failed = { workflowTaskFailedEventAttributes: { baseRunId: '', newRunId: '' } };
    const reset = { workflowTaskFailedEventAttributes: { baseRunId: 'old', newRunId: 'new' } };
    expect(factsOf(failed, reset)).toMatchObject([{ type: 'reset', fromRunId: 'old', runId: 'new' }]);
  });
});

describe("a workflow that is not Reloop's", () => {
  const nothing = { input: undefined, result: undefined };
  test.each<[what: string, event: HistoryEvent, output: unknown]>([
    ['nothing', { workflowExecutionCompletedEventAttributes: {} }, null],
    ['a text', { workflowExecutionCompletedEventAttributes: { result: payloads('done') } }, 'done'],
    ['an object', { workflowExecutionCompletedEventAttributes: { result: payloads({ a: 1 }) } }, { a: 1 }],
  ])('is completed with what it returned: %s', async (_, event, output) => {
    const [ended] = await eventsOf(event);
    expect(ended).toMatchObject({ type: 'run_ended', status: 'completed', stopReason: null, output });
  });

  test.each<[what: string, events: HistoryEvent[]]>([
    ['an update that answers with nothing', updateEvents(5, 'rename', { to: 'x' }, undefined)],
    ['an update that answers in its own way', updateEvents(5, 'rename', null, { call: 1 })],
    ['updates named as a decision', updateEvents(5, 'retry', 'x', { call: '1.1', n: 0, decision: 'sing' })],
    ['a signal called like ours', [signal(undefined), signal({ caller: '1.1' })]],
    ['a child workflow', child('another-workflow', 'x')],
    ['activities called like ours', activityEvents(6, '1', 'callModel', { input: null, result: null })],
    ['activities without result', activityEvents(6, 'setup', 'resolveAgent', nothing)],
  ])('says nothing of a run by %s', async (_, events) => {
    expect((await eventsOf(...events)).filter(({ type }) => type !== 'model_started')).toEqual([]);
  });
});

function factsOf(...events: HistoryEvent[]): Fact[] {
  const factOf = createFactReader(client, { workflowId: 'w', runId: 'run' });
  return events.flatMap((event) => factOf(event) ?? []);
}

async function eventsOf(...events: HistoryEvent[]): Promise<RunEvent[]> {
  const trace = createTrace('w');
  const all: RunEvent[] = [];
  for (const fact of factsOf(...events)) all.push(...(await trace.next(fact)));
  return all;
}

function signal(sent: unknown): HistoryEvent {
  return { workflowExecutionSignaledEventAttributes: { signalName: 'childWaiting', input: payloads(sent) } };
}

function child(workflowId: string, result: unknown): HistoryEvent[] {
  const eventId = numbered(6);
  const initiated = { workflowId, workflowType: { name: 'other' } };
  const completed = { initiatedEventId: eventId, result: payloads(result) };
  return [
    { eventId, startChildWorkflowExecutionInitiatedEventAttributes: initiated },
    { childWorkflowExecutionCompletedEventAttributes: completed },
  ];
}

/** A fact before its place in a history. */
type Said = Fact extends infer F ? (F extends Fact ? Omit<F, 'id' | 'at'> : never) : never;

const value = (given: unknown) => () => Promise.resolve(given);

describe('a call that failed as a person cancelled it', () => {
  const cancel = updateFact('cancelCall', { call: '1.1' });

  test('is cancelled, as the next model call says', async () => {
    const observation = cancelledTool(undefined);
    const action = { tool: 'Search', toolInput: 'x', log: '' };
    const entry = { type: 'step', call: '1.1', action, observation };
    const next = scheduled('callModel', '2', { base: 2, prev: '', delta: [entry] });
    expect(await reportOf(failed, cancel, next)).toMatchObject({
      status: 'running',
      waiting: [],
      intermediateSteps: [{ call: '1.1', observation }],
    });
  });
});

test.each(['before', 'after'])('a reply %s the rewind that drops it shows its calls', async (order) => {
  const rewind = updateFact('rewind', { step: 1 }, { message: 'rewind' });
  const [asked, replied] = [
    scheduled('callModel', '2', { base: 0, prev: '', delta: [] }),
    succeeded('2', turn),
  ];
  const inline = [scheduled('Search', '2.1', 'x'), succeeded('2.1', 'found')];
  const reply = order === 'before' ? [replied, ...inline, rewind] : [rewind, replied, ...inline];
  const events = await eventsAfterStart(failed, asked, ...reply);
  const types = events.flatMap((event) => ('call' in event && event.call === '2.1' ? [event.type] : []));
  expect(types).toEqual(['action', 'tool_started']);
});

describe('a run that ended at a wait', () => {
  const waits: Said = {
    type: 'timer_started',
    timer: 't',
    summary: value('waiting: 1.1 Search approval. approve | reject'),
  };
  const retried = (): Said => ({
    ...start,
    runId: 'r2',
    input: value({
      agent: 'sample',
      manifest: sampleManifest(),
      firstN: 7,
      counters: { ...freshCounters(0), iterations: 1 },
      restart: {
        by: 'retry',
        step: 1,
        from: { runId: 'r' },
        latest: { runId: 'r' },
        elapsedMs: 0,
        turn: { turn, ends: [] },
      },
    }),
  });

  test('waits for nobody from its cancellation on', async () => {
    const over: Said[] = [{ type: 'cancel_requested' }, { type: 'timer_cancelled', timer: 't' }];
    expect(await reportOf(failed, waits)).toMatchObject({ status: 'waiting' });
    expect(await reportOf(failed, waits, ...over)).toMatchObject({ status: 'running', waiting: [] });
  });

  test('counts the waits of its retry from the number in the input', async () => {
    expect(await reportOf(failed, waits, { type: 'run_cancelled' }, retried(), waits)).toMatchObject({
      waiting: [{ call: '1.1', n: 7 }],
    });
  });

  test('has a clock that runs again after its rewind', async () => {
    const trace = createTrace('w');
    const input = {
      agent: 'sample',
      manifest: sampleManifest(),
      counters: freshCounters(0),
      restart: { by: 'rewind', step: 1, from: { runId: 'r' }, latest: { runId: 'r' }, elapsedMs: 500 },
    };
    // Terminated: the timer of the wait has no end.
    const rewound: Said = { ...start, runId: 'r2', input: value(input) };
    const next = scheduled('callModel', '1', { base: 0, prev: '', delta: [] });
    for (const said of [...beginning(sampleManifest()), failed, waits, rewound, next])
      await trace.next({ ...said, id: 1, at: 1000 });
    expect(trace.run.elapsedMs(4000)).toBe(3500);
  });

  test('shows the calls of its retry, even if a rewind was accepted before the end', async () => {
    const rewind = updateFact('rewind', { step: 1 }, { message: 'rewind' });
    const next = [scheduled('callModel', '2', { base: 0, prev: '', delta: [] }), succeeded('2', turn)];
    const wait: Said = { ...waits, summary: value('waiting: 2.1 Search approval. approve | reject') };
    const facts = [failed, waits, rewind, { type: 'run_cancelled' } as const, retried(), ...next, wait];
    expect(await reportOf(...facts)).toMatchObject({ waiting: [{ call: '2.1', n: 7 }] });
  });
});

const turn: ModelTurn = {
  digest: '',
  text: 'Action: Search',
  decision: { type: 'act', actions: [{ tool: 'Search', toolInput: 'x' }] },
  finishReason: 'stop',
  usage: noUsage,
  request: '',
};
const failed: Said = {
  type: 'failed',
  of: 'activity',
  key: '1.1',
  failure: () => Promise.resolve(readFailure(new Error('boom'))),
};

const start = {
  type: 'started',
  workflowType: 'agentRun',
  workflowId: 'w',
  runId: 'r',
  firstRunId: 'r',
  originalRunId: 'r',
  previousRunId: undefined,
  laterArguments: () => Promise.resolve(undefined),
} as const;

function beginning(manifest: AgentManifest): Said[] {
  const run = { agent: manifest.name, question: { input: 'what?', chatHistory: [] } };
  return [
    { ...start, input: value(run) },
    scheduled('resolveAgent', 'resolve', { agent: manifest.name }),
    succeeded('resolve', { manifest, searchAttributes: false }),
    scheduled('callModel', '1', { base: 0, prev: '', delta: [] }),
    succeeded('1', turn),
    scheduled('Search', '1.1', 'x'),
  ];
}

function scheduled(name: string, workId: string, input: unknown): Said {
  return { type: 'scheduled', of: 'activity', key: workId, workId, name, input: value(input) };
}

function succeeded(key: string, result: unknown): Said {
  return { type: 'succeeded', of: 'activity', key, result: value(result) };
}

function updateFact(
  name: string,
  sent: { [field: string]: Json },
  receipt: object = { call: sent['call'], n: 0, decision: name },
): Said {
  return {
    type: 'update_completed',
    key: name,
    updateId: name,
    name,
    input: value(sent),
    result: value(receipt),
  };
}

async function reportOf(...rest: Said[]) {
  return reportFrom('w', '', await eventsAfterStart(...rest));
}

async function eventsAfterStart(...rest: Said[]): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const trace = createTrace('w');
  const facts = [...beginning(sampleManifest()), ...rest];
  for (const [index, said] of facts.entries()) {
    const fact = { ...said, id: index + 1, at: index * 1_000 };
    events.push(...(await trace.next(fact)));
  }
  return events;
}
