import type { Client } from '@temporalio/client';
import type { Context } from '@temporalio/activity';
import { beforeEach, describe, expect, test } from 'vitest';
import { earlierCalls } from '../../../../activities/tool/earlier-calls.ts';
import { type EndedCalls, readEndedCalls } from '../../../../history/views/earlier-calls.ts';
import type { HistoryEvent } from '../../../../history/read/pages.ts';
import { historyClient } from '../../../support/history-client.ts';
import { notFound } from '../../../simulation/service-error.ts';
import { activityEvents, numbered, payloads, updateEvents } from '../../../support/history-events.ts';

/** Events that were asked for, by the run they are of. */
let asked: { [runId: string]: number } = {};
beforeEach(() => (asked = {}));

describe('the calls of a tool that have ended', () => {
  const of = { tool: 'count', scope: 0 };
  const first = [started(), ...call(2, '1.1', 'count', 'a'), ...call(4, '1/1.1', 'count', 'other agent')];
  const later = [...call(6, '2.1', 'search', 'other tool'), ...call(8, '3.1', 'count', 'b')];
  const read = (run: HistoryEvent[], known = nothing) =>
    readEndedCalls(clientOf({ run }), runOf('run'), of, known);

  test('are those of one agent of the workflow, oldest first', async () => {
    const { calls } = await read([...first, ...later]);
    expect(calls).toEqual([
      { call: '1.1', toolInput: 'in 1.1', output: 'a' },
      { call: '3.1', toolInput: 'in 3.1', output: 'b' },
    ]);
  });

  test('are read on from what is known, however much that is', async () => {
    const calls = Array.from({ length: 300 }, (_, n) => call(2 + 2 * n, `${n}.1`, 'count', n)).flat();
    const long = [started(), ...calls];
    const known = await read(long);
    asked = {};
    const ended = await read([...long, ...call(602, '300.1', 'count', 300)], () => known);
    expect(ended.calls).toHaveLength(301);
    expect(ended.calls.at(-1)).toMatchObject({ call: '300.1', output: 300 });
    expect(known.calls).toHaveLength(300);
    expect(asked['run']).toBeLessThan(50);
  });

  test('include one that had begun, and not ended, when the others were read', async () => {
    const [begun, over] = call(2, '1.1', 'count', 'a');
    const known = await read([started(), begun]);
    expect(known.calls).toEqual([]);
    const ended = await read([started(), begun, over], () => known);
    expect(ended.calls).toMatchObject([{ call: '1.1', output: 'a' }]);
  });

  test('begin in the runs before, of which only what is not known is read', async () => {
    const from = { runId: 'run', length: 0, digest: '' };
    const next = [started({ agent: 'a', from }), ...call(2, '9.1', 'count', 'z')];
    const rest = Array.from({ length: 30 }, (_, n) => call(10 + 2 * n, `${4 + n}.1`, 'search', n)).flat();
    const run = [...first, ...later, ...rest];
    const client = clientOf({ run, next });
    const all = await readEndedCalls(client, runOf('next'), of, nothing);
    expect(all.calls.map(({ output }) => output)).toEqual(['a', 'b', 'z']);
    const known = await read(run);
    asked = {};
    const knownOf = ({ runId }: { runId: string }) => (runId === 'run' ? known : undefined);
    const again = await readEndedCalls(client, runOf('next'), of, knownOf);
    expect(again).toEqual(all);
    expect(asked['run']).toBeLessThan(run.length);
  });

  const note = { output: 'handed on', kind: 'deferred', token: 't' };
  const deferred = [started(), ...called(2, '1.1', 'count', note)];
  const given = { call: '1.1', output: { rows: 17 } };
  const again = [...update(4, 'retry', { call: '1.1' }), ...call(6, '1.1~1', 'count', 'at once')];
  test.each([
    ['waits', [], []],
    ['has its result', update(4, 'resolve', given), [{ rows: 17 }]],
    ['was skipped', update(4, 'skip', { call: '1.1' }), []],
    ['is run again', again, ['at once']],
  ])('give of a deferred one that %s the result, and not its note', async (_, more, outputs) => {
    const known = await read(deferred);
    for (const before of [nothing, () => known]) {
      const { calls } = await read([...deferred, ...more], before);
      expect(calls.map(({ output }) => output)).toEqual(outputs);
    }
  });

  const early = (id: number, token: string, output: unknown, of = '1.1') =>
    update(id, 'resolve', { call: of, output, token }, { kept: true });
  const [begun, over] = called(2, '1.1', 'count', note);
  const own = { ...call(2, '1.1', 'count', 'own')[1], eventId: numbered(7) };
  const handedOver = { ...over, eventId: numbered(7) };
  const wrong = early(3, 'x', 'no');

  test.each([
    ['before the call deferred', [begun, ...early(3, 't', 'early'), handedOver], ['early']],
    ['after one with a wrong token', [begun, ...wrong, ...early(5, 't', 'yes'), handedOver], ['yes']],
    ['with a wrong token', [begun, ...wrong, handedOver], []],
    ['in the task that heard of the deferral', [begun, handedOver, ...early(8, 't', 'early')], ['early']],
    ['in that task, with a wrong token', [begun, handedOver, ...early(8, 'x', 'no')], []],
    ['to another call', [begun, ...early(3, 't', 'no', '7.1'), handedOver], []],
    ['to a call that did not defer', [begun, ...early(3, 't', 'no'), own], ['own']],
  ])('give of a deferred one the answer that came early: %s', async (_, more, outputs) => {
    const run = [started(), ...more];
    for (let known = 1; known <= run.length; known++) {
      const before = await read(run.slice(0, known));
      const { calls } = await read(run, () => before);
      expect(calls.map(({ output }) => output)).toEqual(outputs);
    }
  });

  test.each([
    ['notDone', ['again']],
    ['unknown', ['again']],
    ['done', ['found', 'again']],
  ])('leave out an answer of `reconcile` unless it is the result: %s', async (reconciled, outputs) => {
    const answer = { output: reconciled === 'done' ? 'found' : null, reconciled };
    const { calls } = await read([
      started(),
      ...called(2, '1.1~1', 'count', answer),
      ...call(4, '2.1', 'count', 'again'),
    ]);
    expect(calls.map(({ output }) => output)).toEqual(outputs);
  });

  test('have the observations that a person has changed in a fork', async () => {
    const step = { type: 'step', call: '1.1', observation: 'edited' };
    const restart = { by: 'fork', step: 2, from: { workflowId: 'w', runId: 'run' }, edited: ['1.1'] };
    const next = [started({ agent: 'a', restart, pending: [step] })];
    const { calls } = await readEndedCalls(clientOf({ run: first, next }), runOf('next'), of, nothing);
    expect(calls).toEqual([{ call: '1.1', toolInput: 'in 1.1', output: 'edited' }]);
  });

  test('are refused to a tool in words where an earlier run is past the retention', async () => {
    const next = [started({ agent: 'a', from: { runId: 'gone' } })];
    const context = { client: clientOf({ next }), info: { workflowExecution: runOf('next') } };
    await expect(earlierCalls(context as unknown as Context, of.tool, of.scope)).rejects.toMatchObject({
      type: 'TranscriptGone',
      nonRetryable: true,
      message: expect.stringContaining('past the namespace') as string,
    });
  });

  test('say how many bytes they take', async () => {
    const { bytes } = await read(first);
    expect(bytes).toBe(JSON.stringify(['in 1.1', 'a']).length);
  });
});

function nothing(): EndedCalls | undefined {
  return undefined;
}

function runOf(runId: string) {
  return { workflowId: 'w', runId };
}

function started(input: object = { agent: 'a' }): HistoryEvent {
  return { eventId: numbered(1), workflowExecutionStartedEventAttributes: { input: payloads(input) } };
}

function call(id: number, activityId: string, name: string, output: unknown): [HistoryEvent, HistoryEvent] {
  return called(id, activityId, name, { output });
}

/** A decision that was sent and taken. */
function update(
  id: number,
  name: string,
  sent: { call: string; [field: string]: unknown },
  more: object = {},
) {
  return updateEvents(id, name, sent, { call: sent.call, n: 0, decision: name, ...more });
}

function called(id: number, activityId: string, name: string, result: object): [HistoryEvent, HistoryEvent] {
  return activityEvents(id, activityId, name, { input: `in ${activityId}`, result });
}

interface Request {
  execution: { runId: string };
  maximumPageSize: number;
  nextPageToken?: Uint8Array;
}

/** A client that knows these runs and nothing else: page by page, from either end. */
function clientOf(runs: { [runId: string]: HistoryEvent[] }): Client {
  const page = (events: HistoryEvent[], request: Request) => {
    const { execution, maximumPageSize, nextPageToken = Uint8Array.of(0) } = request;
    const from = (nextPageToken[0] ?? 0) * maximumPageSize;
    const shown = events.slice(from, from + maximumPageSize);
    asked[execution.runId] = (asked[execution.runId] ?? 0) + shown.length;
    const more = from + maximumPageSize < events.length;
    const next = more ? Uint8Array.of((nextPageToken[0] ?? 0) + 1) : new Uint8Array();
    return { history: { events: shown }, nextPageToken: next };
  };
  const eventsOf = ({ execution }: Request) => {
    const events = runs[execution.runId];
    if (events === undefined) throw notFound('workflow');
    return events;
  };
  return historyClient({
    getWorkflowExecutionHistory: async (request: Request) => page(eventsOf(request), request),
    getWorkflowExecutionHistoryReverse: async (request: Request) =>
      page(eventsOf(request).toReversed(), request),
  });
}
