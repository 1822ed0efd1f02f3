import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { AgentClient } from '../../../client/api/agent-client.ts';
import type { AgentRun } from '../../../client/api/agent-run.ts';
import { continuedAfter, eventsOf, useRig, waitOf } from '../../support/rig.ts';
import { brokenTool } from '../../support/sample-tools.ts';
import { act, answer, modelOf } from '../../support/scripts.ts';

/** Temporal's client repeats an update whose answer is lost, with the same id: the run has taken the update once. */

const PAUSES = 3;
const model = modelOf((step) => (Number(step) <= PAUSES ? act('broken', step) : answer('ok')));
const rig = useRig(
  { agents: [{ name: 'asking', model, tools: [brokenTool()] }] },
  { server: continuedAfter(12) },
);

/** The run as a client sees it that loses the answer to its first update, and repeats the update after `meanwhile`. */
function withLostAnswer({ id }: AgentRun, meanwhile: () => Promise<unknown>): AgentRun {
  let updates = 0;
  // The SDK never removes a listener from the signal of a request: the requests of `meanwhile` do not inherit one.
  const outside = AsyncLocalStorage.snapshot();
  const workflowService = replaced(rig.temporal.workflowService, 'updateWorkflowExecution', (send) => {
    const apply = async (...[target, self, args]: Parameters<typeof Reflect.apply>): Promise<unknown> => {
      if (updates++ > 0) return Reflect.apply(target, self, args);
      await Reflect.apply(target, self, args);
      await outside(meanwhile);
      return Reflect.apply(target, self, args);
    };
    return new Proxy<typeof send>(send, { apply });
  });
  const connection = replaced(rig.temporal.connection, 'workflowService', () => workflowService);
  return new AgentClient(new Client({ connection }), rig.client.address, rig.taskQueue).get(id);
}

/** The object with another value of one property. */
function replaced<O extends object, K extends keyof O>(object: O, name: K, change: (value: O[K]) => O[K]): O {
  const bound = (key: string | symbol): unknown => {
    const value: unknown = Reflect.get(object, key);
    return typeof value === 'function' ? (value.bind(object) as unknown) : value;
  };
  return new Proxy(object, {
    get: (_, key) => (key === name ? change(bound(key) as O[K]) : bound(key)), // the value of this key
  });
}

async function executionOf({ id }: AgentRun): Promise<string> {
  return (await rig.temporal.workflow.getHandle(id).describe()).runId;
}

/** Resolves the calls of the run up to the call of this step. */
async function resolveUpTo(run: AgentRun, from: number, to: number): Promise<void> {
  for (let step = from; step <= to; step++) {
    await waitOf(run, { call: `${step}.1` });
    await run.decide(`${step}.1`, { type: 'resolve', output: `resolved ${step}` });
  }
}

test('a message is heard once when it is sent again after a continue-as-new', async () => {
  const run = await rig.client.start('asking', 'what?');
  await waitOf(run, { call: '1.1' });
  const first = await executionOf(run);
  const lossy = withLostAnswer(run, async () => {
    await resolveUpTo(run, 1, 2);
    await waitOf(run, { call: '3.1' });
  });
  await lossy.say('hello');
  expect(await executionOf(run)).not.toBe(first);
  await resolveUpTo(run, 3, 3);
  expect((await run.result()).output).toBe('ok');
  const said = (await eventsOf(run)).filter(({ type }) => type === 'steered');
  expect(said).toHaveLength(1);
}, 60_000);

test('a decision is accepted that is sent again after the end of the run, in a later execution', async () => {
  const run = await rig.client.start('asking', 'what?');
  await waitOf(run, { call: '1.1' });
  const first = await executionOf(run);
  const lossy = withLostAnswer(run, async () => {
    await resolveUpTo(run, 2, PAUSES);
    await run.result();
  });
  const receipt = await lossy.decide('1.1', { type: 'resolve', output: 'once' });
  expect(await executionOf(run)).not.toBe(first);
  expect(receipt).toMatchObject({ call: '1.1', decision: 'resolve' });
  expect((await run.result()).intermediateSteps[0]?.observation).toBe('once');
}, 60_000);

test('a decision is accepted that is sent again to the run as rewound, and is not taken twice', async () => {
  const run = await rig.client.start('asking', 'what?');
  await waitOf(run, { call: '1.1' });
  const lossy = withLostAnswer(run, async () => {
    await resolveUpTo(run, 2, PAUSES);
    await run.result();
    await run.rewind({ step: 1 });
    await vi.waitUntil(async () => (await run.describe()).waiting.length > 0, {
      timeout: 20_000,
      interval: 50,
    });
  });
  const receipt = await lossy.decide('1.1', { type: 'resolve', output: 'once' });
  expect(receipt).toMatchObject({ call: '1.1', decision: 'resolve' });
  const { waiting } = await run.describe();
  expect(waiting.map(({ call }) => call)).toEqual(['1.1']);
  await run.cancel();
}, 60_000);

test('a decision that the run has not taken is refused after its end', async () => {
  const run = await rig.client.start('asking', 'what?');
  await resolveUpTo(run, 1, PAUSES);
  await run.result();
  await expect(run.decide('1.1', { type: 'resolve', output: 'late' })).rejects.toThrow(
    /is over \(completed\)/u,
  );
});
