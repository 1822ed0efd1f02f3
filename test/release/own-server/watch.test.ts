import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type RunEvent, isRecorded } from '../../../agent/run/events.ts';
import type { AgentRun, EventsOptions } from '../../../client/index.ts';
import { agentTool } from '../../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../../adapters/tools/tool.ts';
import { eventOf, useRig, continuedAfter, waitOf } from '../../support/rig.ts';
import { act, answer, modelOf, script, toolCall } from '../../support/scripts.ts';
import { countOpenPolls } from '../../support/counted-calls.ts';
import { brokenTool } from '../../support/sample-tools.ts';
import { allOf } from '../../support/all-of.ts';

const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => sleep(100, input) });
const broken = brokenTool('no');
const slow = defineTool({
  name: 'slow',
  description: 'is half done',
  async run(_input, { progress, signal }) {
    progress('half');
    return sleep(600_000, 'whole', { signal });
  },
});
const leaf = agentTool({ agent: 'leaf', description: 'the lowest' });
const slowLeaf = agentTool({ agent: 'leaf-slow', description: 'takes its time' });
const middle = agentTool({ agent: 'middle', description: 'asks the lowest' });

/** Calls both tools at once in its first step. */
const callsBoth = (...names: string[]) =>
  modelOf((step) => (step === '1' ? { toolCalls: names.map((name) => toolCall(name)) } : 'done'));

// A run of a few turns is long enough to be continued as new.
const rig = useRig(
  {
    agents: [
      { name: 'top', kind: 'tool-calling', model: callsBoth('middle', 'leaf'), tools: [middle, leaf] },
      {
        name: 'beside',
        kind: 'tool-calling',
        model: callsBoth('leaf-slow', 'echo'),
        tools: [slowLeaf, echo],
      },
      { name: 'middle', model: script(act('leaf', 'y'), answer('mid')), tools: [leaf] },
      { name: 'leaf', model: script(act('echo', 'a'), act('echo', 'b'), answer('low')), tools: [echo] },
      {
        name: 'long',
        model: script(...'abcdefgh'.split('').map((letter) => act('echo', letter)), answer('ok')),
        tools: [echo],
      },
      { name: 'patient', model: script(act('leaf-slow', 'y')), tools: [slowLeaf] },
      { name: 'leaf-slow', model: script(act('slow', 'x')), tools: [slow] },
      { name: 'waits', model: script(act('broken', 'x')), tools: [broken] },
    ],
  },
  { server: continuedAfter(40) },
);
afterEach(() => {
  vi.restoreAllMocks();
});

const read = (run: AgentRun, options: EventsOptions = {}): Promise<RunEvent[]> => allOf(run.events(options));

describe('every recorded event', () => {
  test('is a place to go on from, over continue-as-new as well', async () => {
    const run = await rig.client.start('long', 'what?');
    await run.result();
    const all = await read(run);
    expect(all.filter(({ type }) => type === 'continued').length).toBeGreaterThan(0);
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(all.length);
    for (const [index, { eventId: after }] of all.entries())
      expect(await read(run, { after, follow: false })).toEqual(all.slice(index + 1));
  });

  test('is a place to go on from with the events of sub-agents too, none of them lost or told twice', async () => {
    const run = await rig.client.start('top', 'what?');
    await run.result();
    const all = await read(run, { subAgents: true, follow: false });
    expect(all.map(({ within = '' }) => within)).toEqual(
      expect.arrayContaining(['', '1.1', '1.1/1.1', '1.2']),
    );
    for (const [index, { eventId: after }] of all.entries())
      expect(await read(run, { after, follow: false, subAgents: true })).toEqual(all.slice(index + 1));
  });

  test('is told by no reader who comes back again and again while it happens more or less than once', async () => {
    const run = await rig.client.start('top', 'what?');
    const seen: RunEvent[] = [];
    for (
      let after: string | undefined;
      seen.at(-1)?.type !== 'run_ended' || seen.at(-1)?.within !== undefined;
    ) {
      let left = 4;
      for await (const event of run.events({ after, subAgents: true, live: false })) {
        seen.push(event);
        after = event.eventId;
        if (--left === 0) break;
      }
    }
    const own = (event: RunEvent) =>
      `${event.within ?? ''} ${event.eventId?.split(',')[0] ?? ''} ${event.type}`;
    const all = await read(run, { subAgents: true, follow: false });
    expect(seen.map(own).toSorted()).toEqual(all.map(own).toSorted());
  });
});

test.each([
  ["an event of another run's", (_own: string, other: string) => other],
  ['an event that has not happened', (own: string) => own.replace(/:\d+:\d+$/u, ':9999:0')],
])('to go on from %s is refused', async (_what, made) => {
  const [own, other] = await Promise.all(
    ['one', 'two'].map(async () => {
      const run = await rig.client.start('leaf', 'what?');
      return { run, last: (await read(run)).at(-1)?.eventId ?? '' };
    }),
  );
  const after = made(own?.last ?? '', other?.last ?? '');
  const events = own?.run.events({ after });
  await expect(events?.next()).rejects.toMatchObject({
    name: 'InvalidInput',
    message: expect.stringContaining(after),
  });
});

describe("a sub-agent's events", () => {
  test('come between the beginning and the step of its call, and the last event is the end of the run itself', async () => {
    const run = await rig.client.start('top', 'what?');
    const all = (await read(run, { subAgents: true })).filter(isRecorded);
    const told = all.map((event) => `${event.within ?? ''} ${callOf(event)} ${event.type}`);
    const place = (what: string) => told.indexOf(what);
    expect(place(' 1.1 tool_started')).toBeLessThan(place('1.1  run_started'));
    expect(place('1.1 1.1 tool_started')).toBeLessThan(place('1.1/1.1  run_started'));
    expect(place('1.1/1.1  run_ended')).toBeLessThan(place('1.1 1.1 step'));
    expect(place('1.1  run_ended')).toBeLessThan(place(' 1.1 step'));
    expect(place('1.2  run_ended')).toBeLessThan(place(' 1.2 step'));
    expect(place('1.2  run_ended')).toBeGreaterThan(0);
    expect(told.at(-1)).toBe('  run_ended');
  });

  test('are there live too, and can be left while both runs go on', async () => {
    const open = countOpenPolls(rig);
    const run = await rig.client.start('patient', 'what?');
    const said = await eventOf(run.events({ subAgents: true }), 'tool_progress');
    expect(said).toMatchObject({ within: '1.1', call: '1.1', attempt: 1, text: 'half' });
    expect(said).not.toHaveProperty('eventId');
    expect(open.size).toBe(0);
    await run.cancel();
  });

  test('go on where a reader comes back to a sub-agent under way, though nothing more is recorded of the run', async () => {
    const run = await rig.client.start('beside', 'what?');
    let after: string | undefined;
    const awaited = new Set([' step', '1.1 tool_started']);
    for await (const event of run.events({ subAgents: true, live: false })) {
      after = event.eventId;
      awaited.delete(`${event.within ?? ''} ${event.type}`);
      if (awaited.size === 0) break;
    }
    const said = await eventOf(run.events({ subAgents: true, after }), 'tool_progress');
    expect(said).toMatchObject({ within: '1.1', text: 'half' });
    await run.cancel();
  });

  test('are not there when its run is no longer kept, and the rest is', async () => {
    const run = await rig.client.start('middle', 'what?');
    await run.result();
    const service = rig.temporal.workflowService;
    const ask = service.getWorkflowExecutionHistory.bind(service);
    // As after the namespace's retention: the server knows no such run.
    vi.spyOn(service, 'getWorkflowExecutionHistory').mockImplementation((...args: unknown[]) => {
      const [request, ...more] = args as Parameters<typeof ask>; // what the spied method is called with
      const isChild = request.execution?.workflowId === `${run.id}/1.1`;
      const execution = isChild ? { ...request.execution, runId: randomUUID() } : request.execution;
      return Reflect.apply(ask, service, [{ ...request, execution }, ...more]) as ReturnType<typeof ask>;
    });
    const types = (events: RunEvent[]) => events.map(({ type }) => type);
    expect(types(await read(run, { subAgents: true }))).toEqual(types(await read(run)));
  });
});

describe('watchers of one run', () => {
  test('all see the same recorded events, and leave no long poll behind when they go', async () => {
    const open = countOpenPolls(rig);
    const run = await rig.client.start('waits', 'what?');
    await waitOf(run);
    const lefts = Array.from({ length: 20 }, () => new AbortController());
    const seen: RunEvent[][] = lefts.map(() => []);
    const watching = lefts.map(async ({ signal }, index) => {
      for await (const event of run.events({ signal, subAgents: true }))
        if (isRecorded(event)) seen[index]?.push(event);
    });
    await expect.poll(() => seen.map((events) => events.at(-1)?.type)).toEqual(lefts.map(() => 'waiting'));
    await expect.poll(() => open.size).toBe(lefts.length);
    lefts.forEach((left) => left.abort());
    await Promise.all(watching);
    expect(open.size).toBe(0);
    const recorded = await read(run, { follow: false });
    expect(seen).toEqual(seen.map(() => recorded));
    await run.cancel();
  });
});

function callOf(event: RunEvent): string {
  if (event.type === 'step') return event.step.call;
  return 'call' in event ? event.call : '';
}
