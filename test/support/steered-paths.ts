import { expect } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { agentTool, defineTool, externalTool, human } from '../../index.ts';
import { createGate } from './gate.ts';
import { sleeper } from './loop-paths.ts';
import { eventOf, waitOf } from './rig.ts';
import { gatedTool, guarded } from './sample-tools.ts';
import { act, answer, modelOf, script } from './scripts.ts';
import {
  type Steer,
  type SteeredPath,
  at,
  below,
  cancelled,
  decide,
  inOrder,
  nothing,
  say,
} from './steering.ts';

const QUEUE = `told-${process.pid}`;
export const gate = createGate();
/** Opens for the model of `answering`. */
const answers = createGate();
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
const childAtWork: Steer = async (run, client) => {
  const atWork = () => eventOf(client.get(`${run.id}/1.1`), 'tool_started').then(Boolean, () => false);
  await expect.poll(atWork).toBe(true);
};
const tools = [
  broken('asks', 'ask'),
  broken('observes', 'observe'),
  broken('fails', 'fail'),
  gatedTool(gate),
  gatedTool(gate, 'direct-slow', { returnDirect: true }),
  guarded,
  sleeper,
  human({ name: 'strict', askTimeout: { after: 200, unanswered: 'fail' } }),
  external('upper'),
  external('refuses'),
  agentTool({ name: 'below', agent: 'slow', description: 'takes its time' }),
  agentTool({ agent: 'dozing', description: 'sleeps' }),
  agentTool({ agent: 'asking', description: 'asks at its limit' }),
  agentTool({ agent: 'unreadable', description: 'says what nobody can read', onFailure: 'observe' }),
];
export const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });

/** Says it while the tool runs, which ends then. */
export const meanwhile = (say: (run: AgentRun) => Promise<unknown>) => async (run: AgentRun) => {
  await eventOf(run, 'tool_started');
  await say(run);
  await gate.open();
};

/** Paths that are not recorded. */
export const steeredPaths: SteeredPath[] = [
  [
    'a retry that fails again, then a result by hand',
    'asks',
    decide({ type: 'retry' }, { type: 'resolve', output: { by: 'hand' } }),
    'tool_failed 1.1, waiting 1.1, decided 1.1: retry, tool_failed 1.1, waiting 1.1, decided 1.1: resolve, step 1.1: {"by":"hand"}, completed',
  ],
  ['a failure that fails the run', 'fails', nothing, 'tool_failed 1.1, failed'],
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
    'waiting 1.1: answer, decided 1.1: retry, waiting 1.1: answer, decided 1.1: resolve, step 1.1: "that one", completed',
  ],
  [
    'a cancellation while a person is asked',
    'person',
    (run) => waitOf(run).then(() => run.cancel()),
    'waiting 1.1: answer, resumed 1.1, cancelled',
  ],
  [
    'a question that nobody answers, which fails its call',
    'strict',
    nothing,
    'waiting 1.1: answer, unanswered 1.1, failed',
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
    'a message that comes upon an answer',
    'answering',
    inOrder(
      () => answers.reached(1),
      say('And in Celsius?'),
      () => answers.open(),
      () => answers.open(),
    ),
    'steered: say, completed',
    'Final Answer: one\nMessage from the user: And in Celsius?\nThought:',
  ],
  [
    'a message in a pause that came upon an answer',
    'answering',
    inOrder(
      () => answers.reached(1),
      (run) => run.pause(),
      () => answers.open(),
      (run) => eventOf(run, 'model_ended'),
      say('One more thing.'),
      (run) => run.resume(),
      () => answers.open(),
    ),
    'steered: pause, steered: say, steered: resume, completed',
  ],
  [
    'a message that comes upon a result that would be the answer',
    'directly',
    meanwhile((run) => run.say('Is that so?')),
    'steered: say, step 1.1: "direct-slow a", completed',
    'Observation: direct-slow a\nMessage from the user: Is that so?\nThought:',
  ],
  [
    'an approval that is remembered for one input',
    'remembering',
    inOrder(
      at('1.1', 0, { type: 'approve', remember: 'input' }),
      at('2.1', 0, { type: 'reject', reason: 'b is not ours' }),
    ),
    'waiting 1.1: approval, decided 1.1: approve, step 1.1: "did a", waiting 2.1: approval, decided 2.1: reject, step 2.1: "This tool call was not approved by the operator and was not run: b is not ours", step 3.1: "did a", completed',
  ],
  [
    'a sub-agent that is cancelled by its call',
    'dozing-parent',
    inOrder(childAtWork, (run) => run.decide('1.1', { type: 'cancelCall', reason: 'enough' })),
    'decided 1.1: cancelCall, step 1.1: "This tool call was cancelled before it ended: enough", completed',
  ],
  [
    'a sub-agent that is cancelled itself',
    'dozing-parent',
    inOrder(childAtWork, below('1.1', cancelled)),
    'step 1.1: "This tool call was cancelled before it ended; there is no result.", completed',
  ],
  [
    'a sub-agent that fails, which the model is told',
    'lenient',
    nothing,
    'tool_failed 1.1, step 1.1: "The tool unreadable failed: The model\'s reply could not be read: Could not parse LLM output: `hm`. Set handleParsingErrors to tell the model and continue.", completed',
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
    'waiting 1.1: answer, steered: say, resumed 1.1, restarted, steered: say, waiting 1.1: answer, decided 1.1: resolve, step 1.1: "that one", completed',
  ],
];

export const steeredAgents = [
  agent('asks', act('asks', 'break')),
  agent('fails', act('fails', 'break')),
  agent('external', act('upper', 'a'), act('refuses', 'b')),
  agent('costly', act('asks', 'costly')),
  agent('odd', act('asks', 'odd')),
  agent('strict', act('strict', 'q?')),
  agent('slow', act('slow', 'a')),
  agent('parent', act('below', 'x')),
  agent('dozing-parent', act('dozing', 'x')),
  agent('dozing', act('sleeper', 'x')),
  {
    ...agent('answering'),
    model: modelOf(async () => {
      await answers.pass();
      return answer('one');
    }),
  },
  agent('directly', act('direct-slow', 'a'), answer('after all')),
  agent('remembering', act('guarded', 'a'), act('guarded', 'b'), act('guarded', 'a')),
  agent('lenient', act('unreadable', 'x')),
  { ...agent('unreadable', 'hm'), handleParsingErrors: false },
];

/** The worker that has the tools `upper` and `refuses`. */
export const otherWorker = {
  taskQueue: QUEUE,
  activities: {
    upper: (text: string) => Promise.resolve(text.toUpperCase()),
    refuses: () => Promise.reject(ApplicationFailure.create({ type: 'ToolError', message: 'no such thing' })),
  },
};
