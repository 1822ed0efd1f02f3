import { ApplicationFailure } from '@temporalio/common';
import type { OperatorDecision } from '../../agent/run/events.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { agentTool, defineTool, externalTool, human } from '../../index.ts';
import { createGate } from './gate.ts';
import { sleeper } from './loop-paths.ts';
import { eventOf, waitOf } from './rig.ts';
import { gatedTool } from './sample-tools.ts';
import { act, script } from './scripts.ts';

const QUEUE = `told-${process.pid}`;
const gate = createGate();
const broken = (name: string, onFailure: 'ask' | 'observe' | 'fail') =>
  defineTool({
    name,
    description: 'fails unless it is told to work',
    retry: { maxAttempts: 1 },
    onFailure,
    approval: (input) => {
      if (input === 'odd') throw new Error('odd');
      return input === 'costly';
    },
    run(input) {
      if (input !== 'work') throw new Error(`cannot ${input}`);
      return 'worked';
    },
  });
const external = (name: string) =>
  externalTool({ name, description: name, taskQueue: QUEUE, retry: { maxAttempts: 1 } });
const tools = [
  broken('asks', 'ask'),
  broken('observes', 'observe'),
  broken('fails', 'fail'),
  gatedTool(gate),
  sleeper,
  human({ name: 'strict', askTimeout: { after: 200, unanswered: 'fail' } }),
  external('upper'),
  external('refuses'),
  agentTool({ name: 'below', agent: 'slow', description: 'takes its time' }),
  agentTool({ agent: 'asking', description: 'asks at its limit' }),
];
const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });

/** Waits for the first wait, the second, and so on of a call, and decides. */
const decide =
  (...decisions: OperatorDecision[]) =>
  async (run: AgentRun) => {
    for (const [n, decision] of decisions.entries()) {
      const { call } = await waitOf(run, { n });
      await run.decide(call, decision);
    }
  };
/** Says it while the tool runs, which ends then. */
const meanwhile = (say: (run: AgentRun) => Promise<unknown>) => async (run: AgentRun) => {
  await eventOf(run, 'tool_started');
  await say(run);
  await gate.open();
};
const extend = (by: Parameters<AgentRun['extend']>[0]) => (run: AgentRun) =>
  waitOf(run, { reason: 'limit' }).then(() => run.extend(by));
const nothing = () => Promise.resolve();

type Steer = (run: AgentRun, client: AgentClient) => Promise<unknown>;
/** Paths that are not recorded. `says`: what history says, without the model calls and the begin of each call. */
export const otherPaths: [path: string, agent: string, Steer, says: string][] = [
  [
    'a retry that fails again, then a result by hand',
    'asks',
    decide({ type: 'retry' }, { type: 'resolve', output: { by: 'hand' } }),
    'tool_failed 1.1, waiting 1.1, decided 1.1: retry, tool_failed 1.1, waiting 1.1, decided 1.1: resolve, step 1.1: {"by":"hand"}, completed',
  ],
  ['a failure that fails the run', 'fails', nothing, 'tool_failed 1.1, failed'],
  [
    'a failure just before the limit',
    'limited',
    nothing,
    'tool_failed 1.1, step 1.1: "The tool observes failed: cannot break", stopped',
  ],
  [
    "another worker's result, and its refusal",
    'external',
    nothing,
    'step 1.1: "A", step 2.1: "no such thing", completed',
  ],
  [
    'an approval with another input',
    'costly',
    decide({ type: 'approve', input: 'work' }),
    'waiting 1.1: approval, decided 1.1: approve, step 1.1: "worked", completed',
  ],
  [
    'an approved call that fails, and is made with another input',
    'costly',
    decide({ type: 'approve' }, { type: 'retry', input: 'work' }),
    'waiting 1.1: approval, decided 1.1: approve, tool_failed 1.1, waiting 1.1, decided 1.1: retry, step 1.1: "worked", completed',
  ],
  [
    'a result in the place of an approval',
    'costly',
    decide({ type: 'resolve', output: 'done by hand' }),
    'waiting 1.1: approval, decided 1.1: resolve, step 1.1: "done by hand", completed',
  ],
  [
    'a rejection, where the approval function threw',
    'odd',
    decide({ type: 'reject' }),
    'waiting 1.1: approval, decided 1.1: reject, step 1.1: "This tool call was not approved by the operator and was not run. Do not try it again in the same way.", completed',
  ],
  [
    'a person who is asked another question',
    'person',
    decide({ type: 'retry', input: { question: 'or what?' } }, { type: 'resolve', output: 'that one' }),
    'waiting 1.1: deferred, decided 1.1: retry, waiting 1.1: deferred, decided 1.1: resolve, step 1.1: "that one", completed',
  ],
  [
    'a cancellation while a person is asked',
    'person',
    (run) => waitOf(run).then(() => run.cancel()),
    'waiting 1.1: deferred, cancelled',
  ],
  [
    'a question that nobody answers, which fails its call',
    'strict',
    nothing,
    'waiting 1.1: deferred, unanswered 1.1, failed',
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
    'a cancellation while it is paused, with a message not yet read',
    'slow',
    async (run) => {
      await meanwhile(() => run.pause())(run);
      await eventOf(run, 'step');
      await run.say('Never mind.');
      await run.cancel();
    },
    'steered: pause, step 1.1: "slow a", steered: say, unheard, cancelled',
  ],
  [
    'a pause that its sub-agent shares',
    'parent',
    async (run, client) => {
      const below = client.get(`${run.id}/1.1`);
      await meanwhile(async () => {
        await gate.reached(1);
        await run.pause();
        await eventOf(below, 'steered');
      })(run);
      await eventOf(below, 'step');
      await run.resume();
    },
    'steered: pause, steered: resume, step 1.1: "end of script", completed',
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
    'a retry, with a message that no model call has carried',
    'person',
    async (run) => {
      await waitOf(run);
      await run.say('Be brief.');
      await run.cancel();
      await run.result().catch(() => undefined); // it is cancelled
      await run.retry();
      await waitOf(run, { n: 1 });
      await run.decide('1.1', { type: 'resolve', output: 'that one' });
    },
    'waiting 1.1: deferred, steered: say, restarted, steered: say, waiting 1.1: deferred, decided 1.1: resolve, step 1.1: "that one", completed',
  ],
];

export const otherAgents = [
  agent('asks', act('asks', 'break')),
  agent('fails', act('fails', 'break')),
  { ...agent('limited', act('observes', 'break')), maxIterations: 1 },
  agent('external', act('upper', 'a'), act('refuses', 'b')),
  agent('costly', act('asks', 'costly')),
  agent('odd', act('asks', 'odd')),
  agent('strict', act('strict', 'q?')),
  agent('slow', act('slow', 'a')),
  { ...agent('short', act('slow', 'a')), maxIterations: 1 },
  agent('parent', act('below', 'x')),
  { ...agent('asking', act('observes', 'work')), maxIterations: 1, onLimit: 'ask' },
  { ...agent('hurried', act('sleeper', 'x')), maxExecutionTime: 1000, onLimit: 'ask' },
  {
    ...agent('repeating', ...Array.from({ length: 4 }, () => act('observes', 'work'))),
    repeatLimit: 2,
    onLimit: 'ask',
  },
  agent('above', act('asking', 'x')),
];

/** The worker that has the tools `upper` and `refuses`. */
export const otherWorker = {
  taskQueue: QUEUE,
  activities: {
    upper: (text: string) => Promise.resolve(text.toUpperCase()),
    refuses: () => Promise.reject(ApplicationFailure.create({ type: 'ToolError', message: 'no such thing' })),
  },
};
