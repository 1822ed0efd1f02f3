import { StreamResponse } from '@a2a-js/sdk';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import type { RunEvent } from '../../../../agent/run/events.ts';
import type { Task, TaskUpdate } from '../../../../gateway/a2a/a2a-types.ts';
import { contextOf, newTask, sessionOf } from '../../../../gateway/a2a/task-ids.ts';
import { type UpdatesEnd, updatesOf } from '../../../../gateway/a2a/task-stream.ts';
import { replyOf } from '../../../../gateway/replies/follow-reply.ts';
import { action, caughtUp, waits, writes } from '../../../support/reply-events.ts';

const RUN = 'acme.trip.0123456789abcdef';

async function* given(events: readonly object[]): AsyncGenerator<RunEvent> {
  yield { at: 0, type: 'run_started', id: RUN, runId: 'r', agent: 'clerk', input: 'x' };
  yield* events.map((event) => ({ at: 0, ...event }) as RunEvent);
}

interface StreamOptions {
  until?: UpdatesEnd;
  hasTask?: boolean;
}

/** The updates of a run, each of which the protocol's SDK takes as it is. */
async function updates(
  events: readonly object[],
  { until = 'asking', hasTask = false }: StreamOptions = {},
): Promise<TaskUpdate[]> {
  const reply = await replyOf(RUN, given(events), { agents: undefined });
  const made: TaskUpdate[] = [];
  for await (const update of updatesOf(reply, 'trip', { until, hasTask })) {
    const { append, ...artifact } = 'artifactUpdate' in update ? update.artifactUpdate : { append: false };
    const isFirst = 'artifactUpdate' in update && !append; // false is not written
    expect(StreamResponse.toJSON(StreamResponse.fromJSON(update))).toEqual(
      isFirst ? { artifactUpdate: artifact } : update,
    );
    made.push(structuredClone(update));
  }
  return made;
}

/** The task as a client has it that reads the updates. */
function taskAfter(read: readonly TaskUpdate[]): Task | undefined {
  let task: Task | undefined;
  for (const update of read) {
    // Some clients keep the artifacts that a task does not have.
    if ('task' in update) task = { artifacts: task?.artifacts ?? [], ...structuredClone(update.task) };
    if (task === undefined) continue;
    if ('statusUpdate' in update) task.status = update.statusUpdate.status;
    if (!('artifactUpdate' in update)) continue;
    const { artifact, append } = update.artifactUpdate;
    const before = append ? (task.artifacts?.[0]?.parts ?? []) : [];
    task.artifacts = [{ ...artifact, parts: [...before, ...artifact.parts] }];
  }
  return task;
}

const answerOf = (task: Task | undefined) =>
  task?.artifacts?.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : part.data)));
const textOf = (task: Task | undefined) => answerOf(task)?.join('');
const stateOf = (task: Task | undefined) => task?.status.state;
const said = (read: readonly TaskUpdate[]) =>
  read.flatMap((update) =>
    'statusUpdate' in update ? (update.statusUpdate.status.message?.parts ?? []) : [],
  );

const step = (call: string) => ({
  type: 'step',
  step: { call, action: action(call).action, observation: 5, attempts: 1, durationMs: 1 },
});
const ends = (call: string, text: string, more: object = {}) => ({
  type: 'model_ended',
  call,
  attempts: 1,
  turn: { text, decision: { type: 'finish' }, usage: noUsage, ...more },
});
const over = (status: string, output: unknown = null, more: object = {}) => ({
  type: 'run_ended',
  status,
  output,
  error: null,
  stopReason: null,
  ...more,
});
const turn = [ends('1', 'Let me see.'), action('1.1')];

describe('a task', () => {
  test('has the answer as its only artifact, and the way there as messages of its status', async () => {
    const read = await updates([
      caughtUp,
      writes('Let me '),
      ...turn,
      step('1.1'),
      ends('2', 'It is 5.'),
      over('completed', 'It is 5.'),
    ]);
    expect(taskAfter(read)).toEqual({
      id: RUN,
      contextId: 'trip',
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'answer', parts: [{ text: 'It is 5.' }] }],
    });
    expect(said(read)).toEqual([{ text: 'Let me see.' }, { text: '1.1 price' }, { text: '1.1 is done' }]);
  });

  test.each([
    ['completed', 'TASK_STATE_COMPLETED', { sum: 5 }, [{ sum: 5 }], undefined],
    ['stopped', 'TASK_STATE_COMPLETED', 'Out of time.', ['Out of time.'], undefined],
    ['failed', 'TASK_STATE_FAILED', null, [], [{ text: 'No money.' }]],
    ['cancelled', 'TASK_STATE_CANCELED', null, [], undefined],
  ])('of a run that is %s is %s', async (status, state, output, answer, message) => {
    const [read] = await updates([
      over(status, output, { error: { type: 'HookBlocked', message: 'No money.' } }),
    ]);
    const task = taskAfter(read === undefined ? [] : [read]);
    expect([stateOf(task), answerOf(task), task?.status.message?.parts]).toEqual([state, answer, message]);
  });

  test('that was submitted goes on with updates, not with another task', async () => {
    const read = await updates([ends('1', 'Hello'), caughtUp, over('completed', 'Hello')], { hasTask: true });
    expect(read.map((update) => Object.keys(update)[0])).toEqual([
      'artifactUpdate',
      'statusUpdate',
      'statusUpdate',
    ]);
  });

  test('that fails takes its text back', async () => {
    const read = await updates([caughtUp, writes('It is'), over('failed', null)]);
    expect(textOf(taskAfter(read))).toBe('');
  });
});

describe('a task that asks', () => {
  const asking = [...turn, waits('1.1'), caughtUp];
  const decided = { type: 'decided', call: '1.1', decision: { type: 'approve' } };
  const rest = [decided, step('1.1'), ends('2', '5'), over('completed', '5')];

  test('says so to a person and to a program, and ends the stream', async () => {
    const read = await updates([...asking, ...rest]);
    expect(read).toHaveLength(1);
    const { status } = taskAfter(read) ?? {};
    expect(status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: {
        parts: [
          {
            text: 'price (1.1) needs your approval: "chair". Reply with one of: approve, reject, resolve, abort.',
          },
          {
            data: {
              waiting: [{ call: '1.1', n: 0, tool: 'price', decisions: expect.any(Array) as unknown }],
            },
          },
        ],
      },
    });
  });

  test('is followed by a subscriber until somebody decides, and to its end', async () => {
    const read = await updates([...asking, ...rest], { until: 'next question' });
    expect(textOf(taskAfter(read))).toBe('5');
    const twice = [...asking, decided, waits('1.1', 'failed'), ...rest];
    const again = await updates(twice, { until: 'next question' });
    expect(stateOf(taskAfter(again))).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  test('ends the stream of a subscriber who has not seen the question', async () => {
    const read = await updates([...asking, ...rest], { until: 'next question', hasTask: true });
    expect(said(read).at(-1)).toHaveProperty('data');
  });

  test('lets the other calls of its turn finish first', async () => {
    const both = [caughtUp, ...turn, action('1.2'), waits('1.1')];
    const read = await updates([...both, step('1.2'), ...rest]);
    expect(stateOf(taskAfter(read))).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(said(read).at(-1)).toHaveProperty('data');
  });
});

test('the text of a subscriber is that of the record, whatever was written before, and wherever the stream broke', async () => {
  const letters = (maxLength: number) => fc.string({ maxLength, unit: fc.constantFrom('a', 'b') });
  const written = fc.array(fc.record({ text: letters(3), attempt: fc.integer({ min: 1, max: 3 }) }));
  const property = fc.asyncProperty(written, letters(4), fc.nat(), async (before, text, cut) => {
    const live = before.map((one) => writes(one.text, one.attempt));
    const record = [ends('1', text, { attempt: 3 }), over('completed', text)];
    expect(textOf(taskAfter(await updates([caughtUp, ...live, ...record])))).toBe(text);
    const first = await updates([caughtUp, ...live, ...record]);
    const again = await updates([caughtUp, ...live.slice(cut % (live.length + 1)), ...record]);
    const seen = first.slice(0, cut % first.length);
    expect(textOf(taskAfter([...seen, ...again]))).toBe(text);
  });
  await fc.assert(property, { numRuns: 50 });
});

describe('the id of a task', () => {
  const ann = { name: 'ann', scopes: [], tenant: 'acme' } as const;

  test('has its session, which is the context without the tenant', () => {
    const { id, session } = newTask(ann, 'clerk', { messageId: 'm1', contextId: 'trip' });
    expect([session, sessionOf(id), contextOf(ann, id)]).toEqual(['acme.trip', 'acme.trip', 'trip']);
    expect(contextOf(ann, 'acme.chairs')).toBe('chairs');
  });

  test('is the same for the same message of the same caller', () => {
    const message = { messageId: 'm1', contextId: '' };
    const { id, session } = newTask(ann, 'clerk', message);
    expect(newTask(ann, 'clerk', message)).toEqual({ id, session });
    expect(session).toMatch(/^acme\.clerk-[0-9a-f]{16}$/u);
    const others = [
      newTask({ ...ann, name: 'otto' }, 'clerk', message),
      newTask(ann, 'clerk', { ...message, messageId: 'm2' }),
    ];
    for (const other of others) expect(other.id).not.toBe(id);
  });
});
