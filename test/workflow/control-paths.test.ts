import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { ModelError, defineModel } from '../../models/model.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { externalTool } from '../../tools/external.ts';
import { defineTool } from '../../tools/tool.ts';
import { toldAndRecorded } from '../support/control-paths.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/** Everything that can become of a call, told twice: by the worker as it happens, and by history. */

const QUEUE = `control-paths-${process.pid}`;
const told = new Map<string, RunEvent[]>();
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };

const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo ${input}` });
const direct = defineTool({ name: 'direct', description: 'd', returnDirect: true, run: (input) => input });
const broken = (name: string, onFailure: 'ask' | 'observe' | 'fail') =>
  defineTool({
    name,
    description: 'fails unless it is told to work',
    retry: { maxAttempts: 1 },
    onFailure,
    run(input) {
      if (input !== 'work') throw new Error(`${name} cannot ${input}`);
      return 'worked';
    },
  });
const asks = broken('asks', 'ask');
const observes = broken('observes', 'observe');
const fails = broken('fails', 'fail');
const sleeper = defineTool({
  name: 'sleeper',
  description: 'sleeps until it is aborted',
  retry: { maxAttempts: 1 },
  run: (_input, { signal }) => sleep(600_000, 'woke', { signal }),
});
const external = (name: string) =>
  externalTool({ name, description: name, taskQueue: QUEUE, retry: { maxAttempts: 1 } });
const helper = agentTool({ agent: 'helper', description: 'helps' });
const together = (...calls: [tool: string, input: string][]) =>
  defineModel({
    call: async (_request, { step }) => ({
      text: step === '1' ? '' : 'ok',
      toolCalls:
        step === '1'
          ? calls.map(([name, input], index) => ({
              id: `call_${index}`,
              name,
              arguments: JSON.stringify({ input }),
            }))
          : [],
      finishReason: 'stop',
      usage,
    }),
  });
/** A model whose provider is down until somebody says otherwise. */
let isDown = false;
const outage = defineModel({
  call: async () => {
    if (isDown) throw new ModelError('ModelServerError', 'the provider is down', { retryable: true });
    return { text: answer('up again'), toolCalls: [], finishReason: 'stop', usage };
  },
});

const tools = [echo, direct, asks, observes, fails, sleeper, helper, external('upper'), external('refuses')];
const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });
const native = (name: string, ...calls: [tool: string, input: string][]) => ({
  name,
  kind: 'tool-calling' as const,
  model: together(...calls),
  tools,
});

let rig: Rig;
let elsewhere: { worker: Worker; running: Promise<void> };
beforeAll(async () => {
  rig = await startRig({
    agents: [
      agent('plain', act('echo', 'a'), 'hm', act('nothing', 'x')),
      agent('direct', act('direct', 'a')),
      agent('asks', act('asks', 'break')),
      agent('observes', act('observes', 'break')),
      agent('fails', act('fails', 'break')),
      agent('sleeps', act('sleeper', 'x')),
      { ...agent('cut', act('sleeper', 'x')), maxExecutionTime: 1500 },
      { ...agent('limited', act('observes', 'break')), maxIterations: 1 },
      agent('helper', act('asks', 'break')),
      agent('parent', act('helper', 'help me')),
      agent('external', act('upper', 'a'), act('refuses', 'b')),
      native('beside', ['observes', 'break'], ['echo', 'b'], ['nothing', 'c'], ['asks', 'break']),
      native('fatal', ['sleeper', 'x'], ['fails', 'break']),
      { name: 'outage', model: outage, tools, modelRetry: { maxAttempts: 2, initialInterval: 10 } },
    ],
    onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
  });
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await Worker.create({
    connection,
    taskQueue: QUEUE,
    activities: {
      upper: (text: string) => Promise.resolve(text.toUpperCase()),
      refuses: () =>
        Promise.reject(ApplicationFailure.create({ type: 'ToolError', message: 'no such thing' })),
    },
  });
  elsewhere = { worker, running: worker.run() };
}, 60_000);
afterAll(async () => {
  elsewhere.worker.shutdown();
  await elsewhere.running;
  await rig.stop();
});

const waiting = (run: AgentRun) => eventOf(run.events({ live: false }), 'waiting');
const started = (run: AgentRun, tool: string) =>
  eventOf(run.events({ live: false }), 'tool_started', (event) => event.tool === tool);

const paths: [what: string, agent: string, steer: (run: AgentRun) => Promise<unknown>][] = [
  ['calls that succeed, an unreadable reply and an unknown tool', 'plain', async () => undefined],
  ['a tool whose result is the answer', 'direct', async () => undefined],
  [
    'a retry with another input',
    'asks',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'retry', input: 'work' });
    },
  ],
  [
    'a retry that fails again, then a result by hand',
    'asks',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'retry' });
      await eventOf(run.events({ live: false }), 'waiting', ({ wait }) => wait.n === 1);
      await run.decide('1.1', { type: 'resolve', output: { by: 'hand' } });
    },
  ],
  [
    'a skip',
    'asks',
    async (run) => {
      await waiting(run);
      await run.decide(undefined, { type: 'skip', reason: 'never mind' });
    },
  ],
  [
    'an abort',
    'asks',
    async (run) => {
      await waiting(run);
      await run.decide('1.1', { type: 'abort', reason: 'enough' });
    },
  ],
  ['a failure that the model is told', 'observes', async () => undefined],
  ['a failure that fails the run', 'fails', async () => undefined],
  ['a failure just before the limit', 'limited', async () => undefined],
  [
    'a call that is cancelled',
    'sleeps',
    async (run) => {
      await started(run, 'sleeper');
      await run.decide('1.1', { type: 'cancelCall', reason: 'too slow' });
    },
  ],
  [
    'a run that is cancelled',
    'sleeps',
    async (run) => {
      await started(run, 'sleeper');
      await run.cancel();
    },
  ],
  ['a call that the time limit cuts', 'cut', async () => undefined],
  ["another worker's result, and its refusal", 'external', async () => undefined],
  [
    'a call that waits in a sub-agent',
    'parent',
    async (run) => {
      await waiting(run);
      await run.decide('1.1/1.1', { type: 'resolve', output: 'helped' });
    },
  ],
  [
    'a failed, a successful, an unknown and a waiting call side by side',
    'beside',
    async (run) => {
      await waiting(run);
      await run.decide('1.4', { type: 'resolve', output: 'done' });
    },
  ],
  ['a call that fails the run beside one that runs', 'fatal', async () => undefined],
  [
    'a model that is asked again when it is up',
    'outage',
    async (run) => {
      await waiting(run);
      isDown = false;
      await run.decide('1', { type: 'retry' });
    },
  ],
  [
    'a reply by hand while the model is down',
    'outage',
    async (run) => {
      await waiting(run);
      await run.decide(undefined, { type: 'resolve', output: answer('by hand') });
    },
  ],
  [
    'a run that is given up while the model is down',
    'outage',
    async (run) => {
      await waiting(run);
      await run.decide('1', { type: 'abort' });
    },
  ],
];

describe("the worker's onEvent and the run's history say the same", () => {
  test.each(paths)('when a run sees %s', async (_what, name, steer) => {
    isDown = true;
    const run = await rig.client.start(name, 'what?');
    await steer(run);
    await run.result().catch(() => undefined); // some are meant to fail
    const {
      told: heard,
      recorded,
      lines,
    } = await toldAndRecorded(run, () => told.get(run.id) ?? [], { sideBySide: name === 'beside' });
    expect(heard).toEqual(recorded);
    expect(lines).toMatchSnapshot();
  });
});
