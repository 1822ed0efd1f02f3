import { describe, expect, test } from 'vitest';
import type { Allowance, Counters } from '../../agent/limits/counters.ts';
import { freshCounters } from '../../agent/limits/counters.ts';
import { limits } from '../../agent/values/limits.ts';
import { addAllowance } from '../../agent/limits/extension.ts';
import {
  type ReachedLimit,
  exceededLimit,
  limitError,
  limitsOf,
  repeatsReached,
} from '../../agent/limits/run-limits.ts';
import {
  type RunMessage,
  type RunMessageName,
  type SteeredAgent,
  type SteeredRun,
  helpOfMessage,
  readRunMessage,
  receiveRunMessage,
  runMessageNames,
  runMessages,
} from '../../agent/rules/run-messages.ts';
import { sampleManifest } from '../support/manifest.ts';

const agent: SteeredAgent = {
  inboxBytes: 0,
  limits: ['iterations', 'timeMs'],
  reached: undefined,
  lastStep: 3,
  isRewinding: false,
};
const run: SteeredRun = { agents: [agent], isPaused: false, isPausedAbove: false };
const runWith = (fields: Partial<SteeredAgent>): SteeredRun => ({
  ...run,
  agents: [{ ...agent, ...fields }],
});
const paused: SteeredRun = { ...run, isPaused: true };
const below: SteeredRun = { ...run, isPausedAbove: true };
const none: SteeredRun = { ...run, agents: [] };
const turnsReached: ReachedLimit = {
  stop: 'max_iterations',
  raise: 'iterations',
  over: 0,
  figure: '15 iterations',
};
const atLimit: SteeredRun = { ...run, agents: [{ ...agent, reached: turnsReached }] };
const overTime: SteeredRun = {
  ...run,
  agents: [
    { ...agent, reached: { stop: 'max_execution_time', raise: 'timeMs', over: 500, figure: '1000 ms' } },
  ],
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

  const fits: [
    name: RunMessageName,
    sent: unknown,
    state: string,
    run: SteeredRun,
    refused: string | undefined,
  ][] = [
    ['say', 'a', 'that runs', run, undefined],
    ['say', 'a', 'that is paused', paused, undefined],
    ['say', 'a', 'that waits at a limit', atLimit, undefined],
    ['say', 'a', 'without agents', none, 'no agent runs in this workflow now.'],
    [
      'say',
      'abc',
      'whose inbox is full',
      { ...run, agents: [agent, { ...agent, inboxBytes: limits.inboxBytes - 2 }] },
      'the message has 3 bytes and 99998 wait for the model already; at most 100000 may. Shorten it, or wait for the next turn.',
    ],
    ['pause', undefined, 'that runs', run, undefined],
    ['pause', undefined, 'that waits at a limit', atLimit, undefined],
    ['pause', undefined, 'that is paused', paused, 'the run is paused already. Possible: resume.'],
    ['pause', undefined, 'below one that is paused', below, 'the parent run is paused already.'],
    ['pause', undefined, 'without agents', none, 'no agent runs in this workflow now.'],
    ['resume', undefined, 'that is paused', paused, undefined],
    ['resume', undefined, 'that runs', run, 'the run is not paused. Possible: pause.'],
    [
      'resume',
      undefined,
      'below one that is paused',
      below,
      'this run is paused because its parent run is. Resume the parent run.',
    ],
    ['rewind', 3, 'that runs', run, undefined],
    ['rewind', 1, 'that is paused', paused, undefined],
    ['rewind', 1, 'that waits at a limit', atLimit, undefined],
    ['rewind', 4, 'that has three steps', run, 'the run has no step 4. Its steps: 1 to 3.'],
    [
      'rewind',
      1,
      'that has just begun',
      runWith({ lastStep: 0 }),
      'the run has no step 1. It has not taken a step yet.',
    ],
    [
      'rewind',
      1,
      'that rewinds itself',
      runWith({ isRewinding: true }),
      'somebody else was first: the run is being rewound.',
    ],
    [
      'rewind',
      1,
      'in a workflow of others',
      runWith({ lastStep: undefined }),
      'this workflow is not a run of an agent.',
    ],
    ['rewind', 1, 'without agents', none, 'no agent runs in this workflow now.'],
    ['extend', { iterations: 1 }, 'that runs', run, undefined],
    ['extend', { iterations: 1 }, 'that is paused', paused, undefined],
    ['extend', { iterations: 1 }, 'at that limit', atLimit, undefined],
    ['extend', { iterations: 1 }, 'without agents', none, 'no agent runs in this workflow now.'],
    [
      'extend',
      { tokens: 5, cost: 1, iterations: 1 },
      'without such limits',
      run,
      'the run has no limit of tokens, cost to raise. Its limits: iterations, time.',
    ],
    [
      'extend',
      { iterations: 1, tokens: 5 },
      'at a limit that it has',
      { ...run, agents: [{ ...agent, reached: turnsReached }] },
      'the run has no limit of tokens to raise. Its limits: iterations, time.',
    ],
    [
      'extend',
      { iterations: 5 },
      'without limits',
      { ...run, agents: [{ ...agent, limits: [] }] },
      'the run has no limit of iterations to raise. Its limits: none.',
    ],
    [
      'extend',
      { time: '1h' },
      'at another limit',
      atLimit,
      'the run waits. The limit of 15 iterations is reached. Raise iterations.',
    ],
    [
      'extend',
      { time: 500 },
      'that is beyond its limit by as much',
      overTime,
      'the run waits. The time limit of 1 s is reached. Raise time by more than 500 ms.',
    ],
    ['extend', { time: 501 }, 'that is beyond its limit by less', overTime, undefined],
  ];
  test.each(fits)('%s %j to a run %s', (name, sent, _state, to, refused) => {
    const said = refused === undefined ? readRunMessage(name, sent) : `${name}: ${refused}`;
    expect(outcome(() => receiveRunMessage(name, sent, to))).toEqual(said);
  });

  test.each(runMessageNames)('%s has a help text', (name) => {
    const { does, data } = runMessages[name];
    expect(helpOfMessage(name)).toBe(`${does}. Data: ${data}.`);
    expect(does).not.toBe('');
  });
});

describe('an allowance', () => {
  test.each<[a: Allowance, b: Allowance, sum: Allowance]>([
    [{}, { iterations: 5 }, { iterations: 5 }],
    [
      { iterations: 5, timeMs: 10 },
      { iterations: 1, cost: 0.5 },
      { iterations: 6, timeMs: 10, cost: 0.5 },
    ],
  ])('%j and %j are %j', (a, b, sum) => {
    expect(addAllowance(a, b)).toEqual(sum);
  });
});

describe('a limit', () => {
  const counters = (fields: Partial<Counters>): Counters => ({ ...freshCounters(1000), ...fields });
  const manifest = sampleManifest({ maxIterations: 2, maxExecutionTimeMs: 5000 });

  test('is told with what a person has granted, and how far the run is beyond it', () => {
    const used = counters({ iterations: 5, allowance: { iterations: 2 } });
    expect(exceededLimit('max_iterations', manifest, used, 1000)).toEqual({
      stop: 'max_iterations',
      raise: 'iterations',
      over: 1,
      figure: '4 iterations',
    });
    expect(exceededLimit('max_execution_time', manifest, counters({ waitedMs: 100 }), 6200)).toEqual({
      stop: 'max_execution_time',
      raise: 'timeMs',
      over: 100,
      figure: '5000 ms',
    });
  });

  test('is raised by more turns where it is one of repeats', () => {
    expect(repeatsReached(counters({ repeat: { action: 'x', times: 4 } }))).toMatchObject({
      raise: 'iterations',
      figure: '4 repeats',
    });
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

/** What it returns, or the message of what it throws. */
function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}
