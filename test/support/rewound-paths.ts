import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Model, agentTool, defineModel, defineTool } from '../../index.ts';
import { job, pays } from './operated-paths.ts';
import { guarded } from './sample-tools.ts';
import { eventOf } from './rig.ts';
import { toolCall } from './scripts.ts';
import { type Steer, type SteeredPath, at, inOrder, rewind, say } from './steering.ts';

/** Paths of live runs that rewind themselves to their second step, wherever they are. */

/** Calls, by the step of a run's first pass and of the pass after its rewind. */
interface Script {
  [step: string]: [tool: string, input: string][];
}
const asked = new Map<string, string[]>();
/** The model of `outage` is down. */
let isDown = true;

function modelOfCalls(first: Script, second: Script = {}): Model {
  return defineModel({
    async call(_request, { step, runId, signal }) {
      const before = asked.get(runId) ?? [];
      asked.set(runId, [...before, step]);
      const calls = (before.includes(step) ? second : first)[step] ?? [];
      if (calls.some(([tool]) => tool === 'hangs')) await sleep(60_000, undefined, { signal });
      if (isDown && calls.some(([tool]) => tool === 'outage'))
        throw Object.assign(new Error('the model is down'), { retryable: true });
      return {
        text: calls.length === 0 ? `the answer at ${step}` : '',
        toolCalls: calls.map(([name, input], index) => toolCall(name, input, `${step}-${index}`)),
        finishReason: 'stop',
        usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      };
    },
  });
}

/** A tool without effects that takes long, and what it does when it is cancelled. */
const slow = (name: string, whenCancelled: (error: Error) => unknown) =>
  defineTool({
    name,
    description: name,
    effects: 'none',
    run: (_input, { signal }) => sleep(60_000, 'never', { signal }).catch(whenCancelled),
  });
const here = (name: string, more: object = {}) =>
  defineTool({ name, description: name, effects: 'none', run: (input) => `${name} ${input}`, ...more });
const tools = [
  here('says', { run: (input: string) => `says ${input}`.padEnd(600) }),
  here('says-inline', { inline: true }),
  slow('minds', (error) => Promise.reject(error)),
  slow('stubborn', () => 'all the same'),
  slow('late', () => sleep(1_500, 'too late')),
  guarded,
  job,
  pays,
  agentTool({ agent: 'rewound-helper', description: 'helps' }),
  agentTool({ agent: 'late-helper', description: 'takes long to end' }),
];
const agent = (name: string, second: Script[string], again: Script = {}, more: Script = {}) => ({
  name,
  kind: 'tool-calling' as const,
  model: modelOfCalls({ '1': [['says', 'a']], '2': second, ...more }, again),
  tools,
});

export const rewoundAgents = [
  agent('rewound-model', [['hangs', '']]),
  agent('rewound-minds', [['minds', '']]),
  agent('rewound-stubborn', [['stubborn', '']]),
  agent('rewound-late', [['late', '']]),
  agent('rewound-turn', [
    ['says', 'b'],
    ['guarded', 'c'],
    ['minds', ''],
  ]),
  agent(
    'rewound-inline',
    [['says-inline', 'b']],
    { '2': [['says-inline', 'd']] },
    { '3': [['guarded', 'c']] },
  ),
  agent('rewound-job', [['job', 'b']]),
  agent('rewound-doubt', [['pays', 'lost']], { '2': [['pays', 'lost']] }),
  agent('rewound-parent', [['rewound-helper', 'help']], { '2': [['rewound-helper', 'again']] }),
  agent('rewound-late-parent', [['late-helper', 'help']]),
  { ...agent('rewound-limit', [['says', 'b']]), maxIterations: 2, onLimit: 'ask' },
  { ...agent('rewound-outage', [['outage', '']]), modelRetry: { maxAttempts: 1 }, onModelFailure: 'ask' },
  { ...agent('rewound-helper', []), model: modelOfCalls({ '1': [['guarded', 'below']] }) },
  { ...agent('late-helper', []), model: modelOfCalls({ '1': [['late', '']] }) },
];

/** Temporal's state of an activity that a worker has. */
const STARTED = 2;

/** Waits until the worker has begun with a call. */
const atWork =
  (call: string, type: 'tool_started' | 'model_started' = 'tool_started'): Steer =>
  async (run, { temporal }) => {
    await eventOf(run, type, (event) => event.call === call);
    const states = async () => {
      const { raw } = await temporal.workflow.getHandle(run.id).describe();
      return raw.pendingActivities?.map(({ state }) => Number(state));
    };
    await expect.poll(states).toContain(STARTED);
  };
const childAtWork: Steer = async (run, client) => {
  const begun = () =>
    atWork('1.1')(client.get(`${run.id}/2.1`), client).then(
      () => true,
      () => false,
    );
  while (!(await begun())) await sleep(50);
};
const back = rewind(2);
const ends = 'restarted, completed';
const rewound = `steered: rewind, ${ends}`;

/** The first step is the same in each. */
export const rewoundPaths: SteeredPath[] = (
  [
    ['a model call', 'rewound-model', inOrder(atWork('2', 'model_started'), back), rewound],
    ['a tool that minds its cancellation', 'rewound-minds', inOrder(atWork('2.1'), back), rewound],
    ['a tool that does not', 'rewound-stubborn', inOrder(atWork('2.1'), back), rewound],
    [
      'a tool that takes long to end, with a message for the steps that follow',
      'rewound-late',
      inOrder(atWork('2.1'), back, say('go on')),
      'steered: rewind, steered: say, restarted, completed',
    ],
    [
      'calls side by side of which one is over and one waits',
      'rewound-turn',
      inOrder(
        at('2.2', 0),
        (run) => eventOf(run, 'step', ({ step }) => step.call === '2.1'),
        atWork('2.3'),
        back,
      ),
      'waiting 2.2: approval, step 2.1: "says b ", steered: rewind, resumed 2.2, restarted, completed',
    ],
    [
      'an inline call, and a later one that waits',
      'rewound-inline',
      inOrder(at('3.1', 0), back),
      'step 2.1: "says-inline b", waiting 3.1: approval, steered: rewind, resumed 3.1, restarted, step 2.1: "says-inline d", completed',
    ],
    [
      'a deferred call',
      'rewound-job',
      inOrder(at('2.1', 0), back),
      'waiting 2.1: deferred, steered: rewind, resumed 2.1, restarted, completed',
    ],
    [
      'a call in doubt',
      'rewound-doubt',
      inOrder(at('2.1', 0), back, at('2.1', 1, { type: 'resolve', output: 'paid' }, { reason: 'repeated' })),
      'tool_failed 2.1, waiting 2.1: doubt, steered: rewind, resumed 2.1, restarted, waiting 2.1: repeated, decided 2.1: resolve, step 2.1: "paid", completed',
    ],
    [
      'a sub-agent that waits',
      'rewound-parent',
      inOrder(at('2.1/1.1', 0), back, at('2.1~1/1.1', 0, { type: 'approve' })),
      'waiting 2.1/1.1: approval, steered: rewind, resumed 2.1/1.1, restarted, waiting 2.1~1/1.1: approval, resumed 2.1~1/1.1, step 2.1: "the answer at 2", completed',
    ],
    ['a sub-agent that takes long to end', 'rewound-late-parent', inOrder(childAtWork, back), rewound],
    [
      'a pause, with a message that the model has not seen',
      'rewound-minds',
      inOrder(atWork('2.1'), (run) => run.pause(), say('too early'), back),
      'steered: pause, steered: say, steered: rewind, steered: resume, restarted, completed',
    ],
    [
      'a limit',
      'rewound-limit',
      inOrder(at('3', 0), back),
      'step 2.1: "says b ", waiting 3: limit, steered: rewind, restarted, completed',
    ],
    [
      'the wait for a model that failed',
      'rewound-outage',
      inOrder(at('2', 0), () => Promise.resolve((isDown = false)), back),
      'model_failed 2, waiting 2, steered: rewind, restarted, completed',
    ],
  ] satisfies SteeredPath[]
).map(([path, name, steer, says]) => [
  `a run that rewinds itself out of ${path}`,
  name,
  steer,
  `step 1.1: "says a ", ${says}`,
]);
