import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DecisionName, decisionNames } from '../../agent/rules/decisions.ts';
import { type RunMessageName, runMessageNames } from '../../agent/rules/run-messages.ts';
import type { OperatorDecision, RunEvent } from '../../agent/events.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { DecisionRefused } from '../../client/errors.ts';
import { ModelError, defineModel } from '../../models/model.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { human } from '../../tools/human.ts';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/** What does not fit the state that a call of a real run is in: it is refused with what does, and leaves no trace. */

const options = { description: 'a tool', retry: { maxAttempts: 1 } };
const never = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('over'))));

const sleeper = defineTool({ name: 'sleeper', ...options, run: (_input, { signal }) => never(signal) });
const work = defineTool({
  name: 'work',
  ...options,
  run(input) {
    if (input === 'broken') throw new Error('out of order');
    return `did ${input}`;
  },
});
const guarded = defineTool({
  name: 'guarded',
  ...options,
  approval: 'always',
  run: (input) => `did ${input}`,
});
const pay = defineTool({
  name: 'pay',
  ...options,
  effects: 'once',
  run(input) {
    if (!input.startsWith('again')) throw new Error('no answer');
    return `paid ${input}`;
  },
});
const job = defineTool({
  name: 'job',
  ...options,
  run(_input, ctx) {
    ctx.defer();
    return 'queued';
  },
});
const below = agentTool({ agent: 'below', description: 'a sub-agent' });
const tools = [sleeper, work, guarded, pay, job, human(), below];
const silent = defineModel({ call: (_request, { signal }) => never(signal) });
const down = defineModel({
  call() {
    throw new ModelError('ModelConnectionError', 'the model is down', { retryable: true });
  },
});

const first = (name: string, tool: string, input: string) => ({
  name,
  model: script(act(tool, input)),
  tools,
  maxIterations: null,
});
let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      first('sleeps', 'sleeper', 'x'),
      first('breaks', 'work', 'broken'),
      first('asks', 'guarded', 'a'),
      first('doubts', 'pay', 'x'),
      first('pays', 'pay', 'again'),
      first('defers', 'job', 'x'),
      first('person', 'ask_human', 'which one?'),
      first('parent', 'below', 'do it'),
      first('below', 'guarded', 'b'),
      { ...first('limited', 'work', 'x'), maxIterations: 1, onLimit: 'ask' },
      { name: 'done', model: script(answer('ok')), tools },
      { name: 'silent', model: silent, tools, maxIterations: null },
      { name: 'down', model: down, tools, maxIterations: null, modelRetry: { maxAttempts: 1 } },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());

/** A state of a call, and how a run comes to it. */
interface State {
  state: string;
  agent: string;
  call: string;
  /** When it is there. Default: when the call waits. */
  reach?: (run: AgentRun) => Promise<unknown>;
  fits: DecisionName[];
  /** What can be said to the run. Default: `say` and `pause`. */
  says?: RunMessageName[];
  /** What the refusals say. Default: what fits. */
  refusal?: string;
}

const anyTime: RunMessageName[] = ['say', 'pause'];
const ofFailed: DecisionName[] = ['retry', 'resolve', 'skip', 'abort'];
const ofApproval: DecisionName[] = ['approve', 'reject', 'resolve', 'abort'];
const states: State[] = [
  {
    state: 'a tool that runs',
    agent: 'sleeps',
    call: '1.1',
    reach: seen('tool_started'),
    fits: ['cancelCall'],
  },
  {
    state: 'a model call that runs',
    agent: 'silent',
    call: '1',
    reach: seen('model_started'),
    fits: [],
    refusal: 'there is no open call 1',
  },
  { state: 'a tool that failed', agent: 'breaks', call: '1.1', fits: ofFailed },
  { state: 'a model call that failed', agent: 'down', call: '1', fits: ['retry', 'resolve', 'abort'] },
  { state: 'a call that needs approval', agent: 'asks', call: '1.1', fits: ofApproval },
  { state: 'a call in doubt', agent: 'doubts', call: '1.1', fits: ofFailed },
  { state: 'a deferred call', agent: 'defers', call: '1.1', fits: ofFailed },
  { state: 'a question to a person', agent: 'person', call: '1.1', fits: ofFailed },
  {
    state: 'a call that was made in a dropped step',
    agent: 'pays',
    call: '1.1',
    reach: takenBack,
    fits: ofFailed,
  },
  {
    state: 'a model call at a limit',
    agent: 'limited',
    call: '2',
    fits: ['resolve', 'stop', 'abort'],
    says: ['say', 'pause', 'extend'],
  },
  {
    state: 'the call of a sub-agent that waits',
    agent: 'parent',
    call: '1.1',
    reach: seen('waiting'),
    fits: ['cancelCall'],
  },
  {
    state: "a sub-agent's call that waits, as its parent knows it",
    agent: 'parent',
    call: '1.1/1.1',
    reach: seen('waiting'),
    fits: ofApproval,
  },
  {
    state: 'a call that waits in a paused run',
    agent: 'asks',
    call: '1.1',
    reach: async (run) => [await seen('waiting')(run), await run.pause()],
    fits: ofApproval,
    says: ['say', 'resume'],
  },
  {
    state: 'a call that has ended, in a paused run',
    agent: 'defers',
    call: '1.1',
    reach: pausedBehind,
    fits: [],
    says: ['say', 'resume'],
    refusal: 'there is no open call 1.1',
  },
];

function seen(type: RunEvent['type']) {
  return (run: AgentRun) => eventOf(run.events({ live: false }), type);
}

async function takenBack(run: AgentRun): Promise<void> {
  await run.result();
  await run.rewind({ step: 1 });
  await seen('waiting')(run);
}

async function pausedBehind(run: AgentRun): Promise<void> {
  await seen('waiting')(run);
  await run.pause();
  await run.decide('1.1', { type: 'resolve', output: 'done' });
  await seen('step')(run);
}

/** A decision of each kind, as whoever means it would send it. */
function decision(type: DecisionName): OperatorDecision {
  return type === 'resolve' ? { type, output: 'x' } : { type };
}

/**
 * The events of a workflow. The tasks of its worker are left out: where a worker takes long to say that it refuses
 * something, the server records that it was asked.
 */
async function recordedIn(id: string): Promise<string[]> {
  const { events = [] } = await rig.temporal.workflow.getHandle(id).fetchHistory();
  const { EventType } = temporal.api.enums.v1;
  const types = (events ?? []).map(({ eventType }) => EventType[eventType ?? 0] ?? '');
  return types.filter((type) => !type.includes('WORKFLOW_TASK'));
}

const any = (text: string): unknown => expect.stringContaining(text);
const refused = (text = '') => ({ name: DecisionRefused.name, message: any(text) });

describe.each(states)('$state', ({ agent, call, reach = seen('waiting'), fits, says = anyTime, refusal }) => {
  let run: AgentRun;
  let status: unknown;
  const handle = () => rig.temporal.workflow.getHandle(run.id);
  /** Of the run, and of the sub-agent's whose call it is. */
  const events = () =>
    Promise.all([run.id, ...(call.includes('/') ? [`${run.id}/1.1`] : [])].map(recordedIn));
  beforeAll(async () => {
    run = await rig.client.start(agent, 'what?');
    await reach(run);
    // Answered once the workflow has taken note: from then on nothing moves by itself.
    status = await handle().query('status');
  });
  afterAll(() => handle().terminate());

  test.each(decisionNames.filter((name) => !fits.includes(name)))('is refused %s', async (name) => {
    const before = await events();
    const said = refusal ?? `Possible: ${fits.join(', ')}.`;
    await expect(run.decide(call, decision(name))).rejects.toMatchObject(refused(said));
    expect(await events()).toEqual(before);
  });

  test.each(fits.filter((name) => name !== 'cancelCall'))(
    'is refused %s that is meant for another wait',
    async (name) => {
      const before = await events();
      const another = 7;
      await expect(run.decide(call, decision(name), another)).rejects.toMatchObject(refused('Look again'));
      expect(await events()).toEqual(before);
    },
  );

  test.each(runMessageNames.filter((name) => !says.includes(name)))(
    'is in a run that is refused %s',
    async (name) => {
      const before = await events();
      const data = name === 'extend' ? { iterations: 1 } : undefined;
      await expect(run.tell(name, data)).rejects.toMatchObject(refused());
      expect(await events()).toEqual(before);
    },
  );

  test('is in the same state after all that', async () => {
    expect(await handle().query('status')).toEqual(status);
  });
});

test.each(decisionNames)('a run that is over is refused %s', async (name) => {
  const run = await rig.client.start('done', 'what?');
  await run.result();
  await expect(run.decide('1.1', decision(name))).rejects.toMatchObject(refused('is over (completed)'));
});
