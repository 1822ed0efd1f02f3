import { describe, expect, test } from 'vitest';
import { summaryPrompt } from '../../../../activities/turn/summarize.ts';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import type { RunEvent } from '../../../../agent/run/events.ts';
import {
  checkQueue,
  checkSessionMessage,
  checkSessionName,
  sessionId,
  sessionLimits,
} from '../../../../agent/session/session.ts';
import { awaitTurn } from '../../../../cli/connection/ask-in-session.ts';
import { untilHeldUp } from '../../../../cli/follow/run-before.ts';
import type { AgentClient } from '../../../../client/api/agent-client.ts';
import { agent, loadedConfig, tool } from '../../../support/config.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { offlineContext } from '../../../support/offline-context.ts';

const message = { id: 'run-1', agent: 'assistant', input: 'Who am I?' };

describe('the name of a session', () => {
  test.each([['names'], ['我们'], ['a b/c:d'], ['x'.repeat(200)]])('may be %j', (name) => {
    expect(() => checkSessionName(name)).not.toThrow();
    expect(sessionId(name)).toBe(`session:${name}`);
  });

  const odd = ['', '  ', 'a\nb', 'a\u0000', 'a\u009fb', 'a\ud83d', 'x'.repeat(201), undefined, 7];
  test.each(odd)('may not be %j', (name) => {
    expect(() => checkSessionName(name)).toThrow('1 to 200 characters');
  });
});

describe('a message to a session', () => {
  const overrides = { model: 'm', maxIterations: null, maxExecutionTimeMs: 5 };
  test.each([
    ['id, agent and question', message],
    ['what a run may change of its agent', { ...message, overrides, variables: { a: 'b' } }],
  ])('has %s', (_title, value) => {
    expect(checkSessionMessage(value)).toEqual(value);
  });

  const long = 'x'.repeat(sessionLimits.messageBytes);
  test.each<[string, unknown, string]>([
    ['no object', 'hello', 'data is an object'],
    ['a list', [message], 'data is an object'],
    ['nothing', null, 'data is an object'],
    ['no id', { ...message, id: undefined }, 'id is a text'],
    ['an id of control characters', { ...message, id: '\t\t' }, 'id is a text'],
    ['no agent', { ...message, agent: '' }, 'agent is the name'],
    ['no question', { ...message, input: ' \n' }, 'no question'],
    ['a question that is not text', { ...message, input: 7 }, 'no question'],
    ['an unknown field', { ...message, session: 'x' }, 'unknown field session'],
    ['an unknown override', { ...message, overrides: { temperature: 1 } }, 'send: A run cannot override'],
    ['an override of another type', { ...message, overrides: { model: null } }, 'send: model has to be'],
    ['variables that are no texts', { ...message, variables: { a: 1 } }, 'variables are texts'],
    ['more than can be recorded', { ...message, input: long }, 'at most 160000'],
  ])('is refused with %s', (_title, value, part) => {
    expect(() => checkSessionMessage(value)).toThrow(part);
  });

  test('is refused when too many wait already', () => {
    const large = { ...message, input: 'x'.repeat(150_000) };
    const check = (length: number) => () =>
      checkQueue(
        Array.from({ length }, () => large),
        large,
      );
    expect(check(4)).not.toThrow();
    expect(check(5)).toThrow('5 messages wait already');
  });
});

describe('the memory of an agent in a config', () => {
  test.each([
    ['nothing', undefined, undefined],
    ['a name', 'buffer', { kind: 'buffer' }],
    ['a window', { kind: 'window', turns: 3 }, { kind: 'window', turns: 3 }],
    ['tokens', { kind: 'tokens', tokens: 500 }, { kind: 'tokens', tokens: 500 }],
    ['a summary', { kind: 'summary', tokens: 500 }, { kind: 'summary', tokens: 500 }],
  ])('may be %s', (_title, memory, recorded) => {
    const agents = [agent(memory === undefined ? {} : { memory })];
    expect(loadedConfig({ agents }).manifest('a', {})?.memory).toEqual(recorded);
  });

  test.each([
    ['another name', 'window'],
    ['another kind', { kind: 'vector' }],
    ['a window of nothing', { kind: 'window', turns: 0 }],
    ['a window in tokens', { kind: 'window', tokens: 3 }],
    ['a summary without its size', { kind: 'summary' }],
  ])('may not be %s', (_title, memory) => {
    expect(() => loadedConfig({ agents: [agent({ memory })] })).toThrow('agent "a": memory');
  });
});

test('a tool cannot have the name of the activity that makes summaries', () => {
  const tools = [tool({ name: 'summarizeConversation' })];
  expect(() => loadedConfig({ agents: [agent()], tools })).toThrow('the name is reserved');
});

test('the request to a model for a summary', () => {
  const turns = [
    { role: 'user' as const, content: '我是赖赖' },
    { role: 'assistant' as const, content: '你好，赖赖。' },
  ];
  expect(summaryPrompt({ summary: 'They met today.', turns })).toMatchInlineSnapshot(`
    "You keep the notes of a conversation between a person and an assistant. Write down what has to be known to continue it: names, facts, wishes, decisions, what is still open. Use the language of the conversation. Be brief, invent nothing, and write the notes only.

    The notes so far, which yours replace:
    They met today.

    What was said since:
    Person: 我是赖赖
    Assistant: 你好，赖赖。

    The new notes:"
  `);
  expect(summaryPrompt({ summary: null, turns })).not.toContain('so far');
});

/** A session in which another run comes first, which stands so. */
function clientWith(status: string | undefined): AgentClient {
  const describeRun = () =>
    status === undefined ? Promise.reject(new Error('gone')) : Promise.resolve({ status });
  return {
    session: () => ({ describe: async () => ({ running: 'bo1', queued: ['bo2'], runs: ['bo1'] }) }),
    get: (id: string) => ({ id, describe: describeRun }),
    start: async (_agent: string, _input: string, { id }: { id: string }) => ({ id }),
  } as unknown as AgentClient; // what is asked of it here
}

test.each([
  ['waiting', 'bo1, which waits for a person and 1 more (`reloop show bo1`)'],
  ['paused', 'bo1, which is paused and 1 more (`reloop show bo1`)'],
  ['running', 'bo1 and 1 more (`reloop watch bo1`)'],
  [undefined, 'bo1 and 1 more (`reloop watch bo1`)'],
])('a question in a session says how the run before it stands: %s', async (status, before) => {
  const io = fakeIo();
  const context = { ...offlineContext(), client: clientWith(status) };
  const question = { name: 'bo', agent: 'a', input: 'q', taskQueue: 'q', options: { id: 'bo3' } };
  await awaitTurn(io, context as never, question); // a context has more
  expect(io.err()).toBe(`Waiting for its turn in session bo: before it comes ${before}.\n`);
});

const wait: WaitingCall = { call: '1.1', n: 1, tool: 'pay', toolInput: 5, reason: 'approval' };
const begun = { type: 'run_started', at: 1, agent: 'a', input: 'q', runId: 'r' } as RunEvent; // the fields read here
const at = (body: object) => ({ at: 2, ...body }) as RunEvent;
const waits = at({ type: 'waiting', wait });
const decided = at({ type: 'decided', call: '1.1', n: 1, decision: { type: 'approve' } });
const paused = at({ type: 'steered', message: { type: 'pause' } });
const ended = at({ type: 'run_ended', status: 'completed', stopReason: 'final_answer' });

/** A session whose runs before `me` have these events; the first `recorded` of each are in its history already. */
function sessionOf(runs: { [id: string]: RunEvent[] }, recorded: number) {
  const left = Object.keys(runs);
  return {
    session: () => ({
      describe: async () => ({ running: left[0] ?? 'me', queued: [...left.slice(1), 'me'] }),
    }),
    get: (id: string) => ({
      id,
      async *events() {
        for (const [index, event] of (runs[id] ?? []).entries()) {
          if (index === recorded) yield at({ type: 'caught_up' });
          if (event.type === 'run_ended') left.shift();
          yield event;
        }
        yield at({ type: 'caught_up' }); // a reader may get it late, and a second one does no harm
      },
    }),
  } as unknown as AgentClient; // what is asked of it here
}

/** Output of `--no-wait` when a run before question `me` is waiting or paused. */
const heldUp = (client: AgentClient, signal = new AbortController().signal) =>
  untilHeldUp({ client, namespace: 'default', embedded: undefined }, ['--address', 'a:1'])(
    { session: 'bo', id: 'me' },
    signal,
  );

const waitedOnce = { bo1: [begun, waits, decided, ended], bo2: [begun, waits] };
test.each([
  ['waits when it is looked at', { bo1: [begun, waits] }, 2, 'bo1', 'waits for a person:'],
  ['waits later', { bo1: [begun, waits] }, 1, 'bo1', 'waits for a person:'],
  ['is paused', { bo1: [begun, paused] }, 1, 'bo1', 'is paused:'],
  [
    'ends, and the next one waits',
    { bo1: [begun, ended], bo2: [begun, waits] },
    1,
    'bo2',
    'waits for a person:',
  ],
  ['waited once, and the next one waits', waitedOnce, 4, 'bo2', 'waits for a person:'],
])('the run before a question %s', async (_how, runs, recorded, id, state) => {
  const [line] = (await heldUp(sessionOf(runs, recorded))) ?? [];
  expect(line).toContain(`Run ${id} comes first and ${state}`);
});

test('no run is before a question whose turn has come', async () => {
  const over = new AbortController();
  const found = heldUp(sessionOf({}, 0), over.signal);
  over.abort();
  expect(await found).toBeUndefined();
});

test('the run before a question is named with what to type', async () => {
  const said = (event: RunEvent) => heldUp(sessionOf({ bo1: [begun, event] }, 2));
  expect(await said(waits)).toEqual([
    'Run bo1 comes first and waits for a person:',
    '    Waiting for you: pay (1.1) needs your approval',
    '      reloop approve bo1 --address a:1  (other input: --input "…"; not to be asked again: --remember tool|input)',
    '      reloop reject bo1 --address a:1  (why: --reason "…")',
    '      reloop resolve bo1 "…" --address a:1',
    '      reloop abort bo1 --address a:1  (why: --reason "…")',
  ]);
  const resume = 'Run bo1 comes first and is paused: `reloop resume bo1 --address a:1`';
  expect(await said(paused)).toEqual([resume]);
});
