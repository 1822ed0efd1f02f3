import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { decisionNames } from '../../agent/rules/decisions.ts';
import { runMessageNames } from '../../agent/rules/run-messages.ts';
import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { agentTool, defineTool, externalTool, human } from '../../index.ts';
import { toldAndRecorded } from '../support/control-paths.ts';
import { createGate } from '../support/gate.ts';
import { follow, loopPaths, loopTools } from '../support/loop-paths.ts';
import { operatedPaths, operatedTools } from '../support/operated-paths.ts';
import { useOtherWorker } from '../support/other-worker.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { gatedTool } from '../support/sample-tools.ts';
import { act, script } from '../support/scripts.ts';

/**
 * Each path through the loop, told twice: by the worker as it happens, and by history. What history says of the recorded
 * paths is in test/fixtures/golden, and that the workflow still does it in test/replay; of the others it is said here.
 */

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
  human({ name: 'strict', askTimeout: { after: 200, unanswered: 'fail' } }),
  external('upper'),
  external('refuses'),
  agentTool({ name: 'below', agent: 'slow', description: 'takes its time' }),
];
const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });

/** Waits for each wait of call 1.1, and decides. */
const decide =
  (...decisions: OperatorDecision[]) =>
  async (run: AgentRun) => {
    for (const [n, decision] of decisions.entries()) {
      await waitOf(run, { n });
      await run.decide('1.1', decision);
    }
  };
/** Says it while the tool runs, which ends then. */
const meanwhile = (say: (run: AgentRun) => Promise<unknown>) => async (run: AgentRun) => {
  await eventOf(run, 'tool_started');
  await say(run);
  await gate.open();
};
const nothing = () => Promise.resolve();

type Steer = (run: AgentRun) => Promise<unknown>;
/** Paths that are not recorded. `says`: what history says, without the model calls and the begin of each call. */
const others: [path: string, agent: string, Steer, says: string][] = [
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
    async (run) => {
      const below = rig.client.get(`${run.id}/1.1`);
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
    'a retry, with a message that no model call has carried',
    'person',
    async (run) => {
      await waitOf(run);
      await run.say('Be brief.');
      await run.cancel();
      await expect(run.result()).rejects.toThrow('cancelled');
      await run.retry();
      await waitOf(run, { n: 1 });
      await run.decide('1.1', { type: 'resolve', output: 'that one' });
    },
    'waiting 1.1: deferred, steered: say, restarted, steered: say, waiting 1.1: deferred, decided 1.1: resolve, step 1.1: "that one", completed',
  ],
];

const told = new Map<string, RunEvent[]>();
useOtherWorker({
  taskQueue: QUEUE,
  activities: {
    upper: (text: string) => Promise.resolve(text.toUpperCase()),
    refuses: () => Promise.reject(ApplicationFailure.create({ type: 'ToolError', message: 'no such thing' })),
  },
});
const rig = useRig({
  agents: [
    ...loopPaths.map(({ name, model, options }) => ({ name, model, tools: loopTools, ...options })),
    ...operatedPaths.map(({ name, model, options }) => ({ name, model, tools: operatedTools, ...options })),
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
  ],
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});

/** The run after its sub-agents: both ways to hear of them, and the run's lines. */
async function endOf(run: AgentRun, options?: { sideBySide: boolean }) {
  await run.result().catch(() => undefined); // some are meant to fail
  const family = [...told.keys()].filter((id) => id.startsWith(`${run.id}/`));
  const of = (id: string) => toldAndRecorded(rig.client.get(id), () => told.get(id) ?? [], options);
  const all = (await Promise.all([...family, run.id].map(of))).map(sinceStart);
  return {
    heard: all.map((each) => each.told),
    recorded: all.map((each) => each.recorded),
    lines: all.at(-1)?.lines ?? [],
  };
}

/** A run that was retried, rewound after its end, or forked: its worker is told nothing of what was done before. */
function sinceStart(said: Awaited<ReturnType<typeof toldAndRecorded>>) {
  // To history alone it matters where a run was continued as new.
  const recorded = said.recorded.filter((event) => typeOf(event) !== 'continued');
  const types = said.told.map(typeOf);
  const isStart = (type: unknown, at: number) =>
    type === 'restarted' && [undefined, 'run_ended'].includes(types[at - 1]);
  const start = types.findLastIndex(isStart);
  if (start < 0) return { ...said, recorded };
  const since = recorded.findLastIndex((event) => typeOf(event) === 'restarted');
  return { ...said, told: said.told.slice(start), recorded: recorded.slice(since) };
}

const typeOf = (event: unknown) => fieldOf(event, 'type') as string | undefined;

describe('a worker is told what history says', () => {
  test.each(loopPaths)('on the path $name', async ({ name, decide, options }) => {
    const run = await rig.client.start(name, 'what?');
    await follow(run, decide);
    const { heard, recorded } = await endOf(run, { sideBySide: options !== undefined && 'kind' in options });
    expect(heard).toEqual(recorded);
  });

  test.each(operatedPaths)('on the path $name', async ({ name, steer }) => {
    const run = await rig.client.start(name, 'what?');
    const more = (await steer(run, rig.client)) ?? {};
    for (const each of [...Object.values(more), run]) {
      const { heard, recorded } = await endOf(each);
      expect(heard).toEqual(recorded);
    }
  });

  test.each(others)('of %s', async (_path, name, steer, says) => {
    const run = await rig.client.start(name, 'what?');
    await steer(run);
    const { heard, recorded, lines } = await endOf(run);
    expect(heard).toEqual(recorded);
    const usual = /^(?:run_started|model_|action|tool_started|finish)/u;
    const said = lines.filter((line) => !usual.test(line)).join(', ');
    expect(said.replace(/run_ended: (\w+), \w+$/u, '$1')).toBe(says);
  });

  test('on each decision and each message to a run', () => {
    const events = [...told.values()].flat();
    const said = events.flatMap((event) => {
      if (event.type === 'decided') return [event.decision.type];
      return event.type === 'steered' ? [event.message.type] : [];
    });
    const missing = [...decisionNames, ...runMessageNames].filter(
      (name) => !said.some((one) => one === name),
    );
    // It takes a lost attempt: lost-attempt.test.ts.
    expect(missing).toEqual(['reconcile']);
  });
});
