import { describe, expect, test } from 'vitest';
import type { Counters } from '../../../../agent/limits/counters.ts';
import { freshCounters } from '../../../../agent/limits/counters.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { addAllowance } from '../../../../agent/limits/extension.ts';
import {
  type ReachedLimit,
  exceededLimit,
  limitError,
  limitsOf,
  repeatsReached,
} from '../../../../agent/limits/run-limits.ts';
import {
  type RunMessage,
  type RunMessageName,
  type SteeredAgent,
  type SteeredRun,
  readRunMessage,
  receiveRunMessage,
} from '../../../../agent/rules/run-messages.ts';
import { Inbox } from '../../../../workflows/operator/inbox.ts';
import { outcomeOf } from '../../../support/gate-call.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const agent: SteeredAgent = {
  inboxBytes: 0,
  limits: ['iterations', 'timeMs'],
  reached: undefined,
  lastStep: 3,
  isRewinding: false,
};
const run: SteeredRun = { agents: [agent], isPaused: false, isPausedAbove: false, words: 0 };
const runWith = (fields: Partial<SteeredAgent>): SteeredRun => ({
  ...run,
  agents: [{ ...agent, ...fields }],
});
const turns: ReachedLimit = { stop: 'max_iterations', raise: 'iterations', over: 0, figure: '15 iterations' };
const time: ReachedLimit = { stop: 'max_execution_time', raise: 'timeMs', over: 500, figure: '1000 ms' };

const states = {
  'that runs': run,
  'that is paused': { ...run, isPaused: true },
  'below one that is paused': { ...run, isPausedAbove: true },
  'without agents': { ...run, agents: [] },
  'with a full inbox': { ...run, agents: [agent, { ...agent, inboxBytes: limits.inboxBytes - 2 }] },
  'with 1500 words': { ...run, words: limits.wordsWithMessages },
  'paused, with 1500 words': { ...run, isPaused: true, words: limits.wordsWithMessages },
  'that has just started': runWith({ lastStep: 0 }),
  'that rewinds itself': runWith({ isRewinding: true }),
  'in a workflow of others': runWith({ lastStep: undefined }),
  'without limits': runWith({ limits: [] }),
  'at its limit of turns': runWith({ reached: turns }),
  'over its time': runWith({ reached: time }),
};

describe('a message to a run', () => {
  test.each<[name: RunMessageName, sent: unknown, message: RunMessage]>([
    ['say', 'Be brief.', { type: 'say', text: 'Be brief.' }],
    ['say', { message: 'Be brief.' }, { type: 'say', text: 'Be brief.' }],
    ['say', 42, { type: 'say', text: '42' }],
    ['say', 'half \ud83d', { type: 'say', text: 'half \ufffd' }],
    ['pause', undefined, { type: 'pause' }],
    ['pause', null, { type: 'pause' }],
    ['pause', '', { type: 'pause' }],
    ['resume', {}, { type: 'resume' }],
    ['extend', { iterations: 5 }, { type: 'extend', iterations: 5 }],
    ['extend', { time: '10m' }, { type: 'extend', timeMs: 600_000 }],
    ['extend', { time: 1500 }, { type: 'extend', timeMs: 1500 }],
    ['extend', { tokens: 100, cost: 0.5 }, { type: 'extend', tokens: 100, cost: 0.5 }],
    ['extend', { iterations: 5, time: undefined, cost: null }, { type: 'extend', iterations: 5 }],
    ['rewind', { step: 3 }, { type: 'rewind', step: 3 }],
    ['rewind', 3, { type: 'rewind', step: 3 }],
    ['rewind', '3', { type: 'rewind', step: 3 }],
  ])('%s with %j is understood', (name, sent, message) => {
    expect(readRunMessage(name, sent)).toEqual(message);
  });

  test.each<[name: RunMessageName, sent: unknown, refused: string]>([
    ['say', undefined, 'there is no message. Data: "…" or {"message":"…"}.'],
    ['say', '  ', 'there is no message. Data: "…" or {"message":"…"}.'],
    ['say', { message: ['a'] }, 'there is no message. Data: "…" or {"message":"…"}.'],
    ['say', { text: 'a' }, 'unknown field text. Known: message.'],
    ['pause', '3.1', 'it takes no data, as it is about the whole run.'],
    ['resume', { call: '3.1' }, 'it takes no data, as it is about the whole run.'],
    ['extend', undefined, 'say by how much. Data: {"iterations":5}'],
    ['extend', 5, 'say by how much.'],
    ['extend', { turns: 5 }, 'unknown field turns. Known: iterations, time, tokens, cost.'],
    ['extend', { iterations: 0 }, 'iterations has to be a whole number from 1.'],
    ['extend', { iterations: '5' }, 'iterations has to be a whole number from 1.'],
    ['extend', { tokens: 1.5 }, 'tokens has to be a whole number from 1.'],
    ['extend', { time: 'soon' }, 'time has to be a duration such as "10m", or milliseconds, up to 24 days.'],
    ['extend', { time: -1 }, 'time has to be a duration'],
    ['extend', { time: '99d' }, 'time has to be a duration'],
    ['extend', { cost: Number.NaN }, 'cost has to be an amount in US dollars, such as 0.5.'],
    ['extend', { cost: -1 }, 'cost has to be an amount in US dollars, such as 0.5.'],
    ['rewind', undefined, 'a step is a whole number, the first one is 1. Data: 3 or {"step":3}.'],
    ['rewind', '', 'a step is a whole number'],
    ['rewind', 0, 'a step is a whole number'],
    ['rewind', { step: 1.5 }, 'a step is a whole number'],
    ['rewind', { to: 3 }, 'unknown field to. Known: step.'],
  ])('%s with %j is refused', (name, sent, refused) => {
    expect(() => readRunMessage(name, sent)).toThrow(`${name}: ${refused}`);
  });

  const NO_AGENT = 'no agent runs in this workflow now.';
  const INBOX = 'the message has 3 bytes and 99998 wait for the model already; at most 100000 may.';
  const TOO_MANY =
    'the run has taken 1500 decisions and messages since it began or last continued as new, and only decisions, resume, rewind and extend are taken now. Between two turns it continues as new, and takes messages again.';
  const OVER_TIME = 'the run waits. The time limit of 1 s is reached. Raise time by more than 500 ms.';
  const NO_SUCH_LIMIT = 'the run has no limit of tokens, cost to raise. Its limits: iterations, time.';
  const RESUME_PARENT = 'this run is paused because its parent run is. Resume the parent run.';
  const RAISE_TURNS = 'the run waits. The limit of 15 iterations is reached. Raise iterations.';

  test.each<[name: RunMessageName, sent: unknown, state: keyof typeof states, refused?: string]>([
    ['say', 'a', 'that runs'],
    ['say', 'a', 'that is paused'],
    ['say', 'a', 'at its limit of turns'],
    ['say', 'a', 'without agents', NO_AGENT],
    ['say', 'abc', 'with a full inbox', `${INBOX} Shorten it, or wait for the next turn.`],
    ['say', 'ab', 'with a full inbox'],
    // One character of three bytes.
    ['say', '中', 'with a full inbox', `${INBOX} Shorten it, or wait for the next turn.`],
    ['say', 'a', 'with 1500 words', TOO_MANY],
    ['pause', undefined, 'with 1500 words', TOO_MANY],
    ['resume', undefined, 'paused, with 1500 words'],
    ['rewind', 3, 'with 1500 words'],
    ['extend', { iterations: 1 }, 'with 1500 words'],
    ['pause', undefined, 'that runs'],
    ['pause', undefined, 'at its limit of turns'],
    ['pause', undefined, 'that is paused', 'the run is paused already. Possible: resume.'],
    ['pause', undefined, 'below one that is paused', 'the parent run is paused already.'],
    ['pause', undefined, 'without agents', NO_AGENT],
    ['resume', undefined, 'that is paused'],
    ['resume', undefined, 'that runs', 'the run is not paused. Possible: pause.'],
    ['resume', undefined, 'below one that is paused', RESUME_PARENT],
    ['rewind', 3, 'that runs'],
    ['rewind', 1, 'that is paused'],
    ['rewind', 1, 'at its limit of turns'],
    ['rewind', 4, 'that runs', 'the run has no step 4. Its steps: 1 to 3.'],
    ['rewind', 1, 'that has just started', 'the run has no step 1. It has not taken a step yet.'],
    ['rewind', 1, 'that rewinds itself', 'another rewind was first: the run is being rewound.'],
    ['rewind', 1, 'in a workflow of others', 'this workflow is not a run of an agent.'],
    ['rewind', 1, 'without agents', NO_AGENT],
    ['extend', { iterations: 1 }, 'that runs'],
    ['extend', { iterations: 1 }, 'that is paused'],
    ['extend', { iterations: 1 }, 'at its limit of turns'],
    ['extend', { iterations: 1 }, 'without agents', NO_AGENT],
    ['extend', { tokens: 5, cost: 1, iterations: 1 }, 'that runs', NO_SUCH_LIMIT],
    ['extend', { iterations: 1, tokens: 5 }, 'at its limit of turns', NO_SUCH_LIMIT.replace(', cost', '')],
    ['extend', { cost: 5 }, 'without limits', 'the run has no limit of cost to raise. Its limits: none.'],
    ['extend', { time: '1h' }, 'at its limit of turns', RAISE_TURNS],
    ['extend', { time: 500 }, 'over its time', OVER_TIME],
    ['extend', { time: 501 }, 'over its time'],
  ])('%s %j to a run %s', (name, sent, state, refused) => {
    const said = refused === undefined ? readRunMessage(name, sent) : `${name}: ${refused}`;
    expect(outcomeOf(() => receiveRunMessage(name, sent, states[state]))).toEqual(said);
  });
});

test('an inbox has the size of its messages in bytes, until they are taken', () => {
  const inbox = new Inbox();
  inbox.add('中');
  inbox.add('ab');
  expect(inbox.bytes).toBe(5);
  inbox.take();
  expect(inbox.bytes).toBe(0);
});

test('an allowance is added to another one', () => {
  const sum = addAllowance({ iterations: 5, timeMs: 10 }, { iterations: 1, cost: 0.5 });
  expect(sum).toEqual({ iterations: 6, timeMs: 10, cost: 0.5 });
});

describe('a limit', () => {
  const counters = (fields: Partial<Counters>): Counters => ({ ...freshCounters(1000), ...fields });
  const manifest = sampleManifest({ maxIterations: 2, maxExecutionTimeMs: 5000 });

  test('is told with what a person has granted, and how far the run is beyond it', () => {
    const used = counters({ iterations: 5, allowance: { iterations: 2 } });
    const turnsUsed = exceededLimit('max_iterations', manifest, used, 1000);
    expect(turnsUsed).toEqual({ ...turns, over: 1, figure: '4 iterations' });
    const timeUsed = exceededLimit('max_execution_time', manifest, counters({ waitedMs: 100 }), 6200);
    expect(timeUsed).toEqual({ ...time, over: 100, figure: '5000 ms' });
  });

  test('is raised by more turns where it is one of repeats', () => {
    const reached = repeatsReached(counters({ repeat: { action: 'x', times: 4 } }));
    expect(reached).toMatchObject({ raise: 'iterations', figure: '4 repeats' });
  });

  test('is one that the agent has; any, while nobody knows the agent', () => {
    const unlimited = sampleManifest({ maxIterations: null });
    expect(limitsOf(unlimited, counters({}))).toEqual([]);
    expect(limitsOf(manifest, counters({}))).toEqual(['iterations', 'timeMs']);
    expect(limitsOf(undefined, undefined)).toEqual(['iterations', 'timeMs', 'tokens', 'cost']);
  });

  test.each([
    ['15 iterations', 'MaxIterations', 'The limit of 15 iterations is reached.'],
    ['1 iterations', 'MaxIterations', 'The limit of 1 iteration is reached.'],
    ['600000 ms', 'MaxExecutionTime', 'The time limit of 600 s is reached.'],
    ['1000 tokens', 'TokenBudget', 'The budget of 1000 tokens is used up.'],
    ['0.5 dollars', 'CostBudget', 'The budget of $0.5 is used up.'],
    ['4 repeats', 'RepeatedAction', 'The same action was decided on 4 times in a row.'],
  ])('is told of in a sentence: %s', (figure, type, message) => {
    expect(limitError(figure)).toEqual({ type, message });
  });
});
