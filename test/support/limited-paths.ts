import { setTimeout as sleep } from 'node:timers/promises';
import { CLOSING_REQUEST } from '../../agent/observation/observations.ts';
import { eventOf, waitOf } from './rig.ts';
import { act, answer, modelOf } from './scripts.ts';
import { agent, gate, meanwhile } from './steered-paths.ts';
import { type SteeredPath, at, begun, decide, extend, inOrder, nothing, say } from './steering.ts';

/** Paths of runs that come to a limit: of turns, of time, of money. */

/** A slow machine has begun the tool by then. */
const LIMIT_MS = 5_000;
/** Longer than the time limit. */
const later = () => sleep(1.5 * LIMIT_MS);

export const limitedPaths: SteeredPath[] = [
  [
    'a failure just before the limit',
    'limited',
    nothing,
    'tool_failed 1.1, step 1.1: "The tool observes failed: cannot break", stopped',
  ],
  [
    'a message that comes too late',
    'short',
    meanwhile((run) => run.say('Be brief.')),
    'steered: say, step 1.1: "slow a", unheard, stopped',
  ],
  [
    'more turns, before the limit is reached',
    'short',
    meanwhile((run) => run.extend({ iterations: 1 })),
    'steered: extend, step 1.1: "slow a", completed',
  ],
  [
    'an answer by hand at a limit',
    'asking',
    decide({ type: 'resolve', output: 'enough' }),
    'step 1.1: "worked", waiting 2: limit, decided 2: resolve, completed',
  ],
  [
    'an abort at a limit',
    'asking',
    decide({ type: 'abort' }),
    'step 1.1: "worked", waiting 2: limit, decided 2: abort, failed',
  ],
  [
    'more time, after the limit has cut a call',
    'hurried',
    extend({ time: '10m' }),
    'step 1.1: "This tool call was cut off at the run\'s time limit; there is no result.", waiting 2: limit, steered: extend, completed',
  ],
  [
    'an action that a person has repeated',
    'repeating',
    extend({ iterations: 1 }),
    'step 1.1: "worked", step 2.1: "This is the same action, observes with the same input, for the 2nd time in a row, so it was not run again. Do something else, or give the final answer.", waiting 4: limit, steered: extend, step 4.1: "worked", completed',
  ],
  [
    'a limit that its sub-agent asks about',
    'above',
    async (run, client) => {
      await waitOf(run);
      await client.get(`${run.id}/1.1`).extend({ iterations: 5 });
    },
    'waiting 1.1/2: limit, resumed 1.1/2, step 1.1: "end of script", completed',
  ],
  [
    'a message at a limit, and more turns',
    'asking',
    inOrder(at('2', 0), say('You have more time.'), extend({ iterations: 1 })),
    'step 1.1: "worked", waiting 2: limit, steered: say, steered: extend, completed',
    'Observation: worked\nMessage from the user: You have more time.\nThought:',
  ],
  [
    'a closing answer at a limit that a person does not raise',
    'closing',
    decide({ type: 'stop' }),
    'step 1.1: "worked", waiting 2: limit, decided 2: stop, stopped',
    `Observation: worked\nThought:\n\n${CLOSING_REQUEST}`,
  ],
  [
    'a budget that a person raises',
    'thrifty',
    extend({ tokens: 100 }),
    'step 1.1: "worked", step 2.1: "worked", waiting 3: limit, steered: extend, completed',
  ],
  ['a model call that the time limit cuts', 'pondering', nothing, 'stopped'],
  [
    'a wait and a pause that are longer than the time limit',
    'brief',
    inOrder(
      begun,
      (run) => run.pause(),
      later,
      () => gate.open(),
      (run) => eventOf(run, 'step'),
      (run) => run.resume(),
      at('2.1', 0),
      later,
      at('2.1', 0, { type: 'skip' }),
    ),
    'steered: pause, step 1.1: "slow a", steered: resume, tool_failed 2.1, waiting 2.1, decided 2.1: skip, step 2.1: "This tool call was skipped by the operator; there is no result.", completed',
  ],
  [
    'more time, while the limit is near',
    'brief',
    inOrder(
      begun,
      (run) => run.extend({ time: '10m' }),
      later,
      () => gate.open(),
      at('2.1', 0, { type: 'skip' }),
    ),
    'steered: extend, step 1.1: "slow a", tool_failed 2.1, waiting 2.1, decided 2.1: skip, step 2.1: "This tool call was skipped by the operator; there is no result.", completed',
  ],
  [
    "a sub-agent that is cut at its parent's time limit",
    'hurried-parent',
    nothing,
    'step 1.1: "This tool call was cut off at the run\'s time limit; there is no result.", stopped',
  ],
];

export const limitedAgents = [
  { ...agent('limited', act('observes', 'break')), maxIterations: 1 },
  { ...agent('short', act('slow', 'a')), maxIterations: 1 },
  { ...agent('asking', act('observes', 'work')), maxIterations: 1, onLimit: 'ask' },
  { ...agent('hurried', act('sleeper', 'x')), maxExecutionTime: LIMIT_MS, onLimit: 'ask' },
  {
    ...agent('repeating', ...Array.from({ length: 4 }, () => act('observes', 'work'))),
    repeatLimit: 2,
    onLimit: 'ask',
  },
  agent('above', act('asking', 'x')),
  {
    ...agent('closing', act('observes', 'work'), answer('as far as I got')),
    maxIterations: 1,
    onLimit: 'ask',
    earlyStopping: 'generate',
  },
  {
    ...agent('thrifty', act('observes', 'work'), act('observes', 'work')),
    budget: { totalTokens: 20 },
    onLimit: 'ask',
  },
  {
    ...agent('pondering'),
    model: modelOf((_step, _request) => new Promise(() => undefined)),
    maxExecutionTime: LIMIT_MS,
  },
  { ...agent('brief', act('slow', 'a'), act('asks', 'break')), maxExecutionTime: LIMIT_MS },
  { ...agent('hurried-parent', act('dozing', 'x')), maxExecutionTime: LIMIT_MS },
];
