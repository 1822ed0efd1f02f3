import { expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

/** Temporal ends a run for a payload of 2 MB. */
const LARGEST = 1_500_000;

const says = (text: string) => modelOf(() => text);
/** Calls a tool so many times in its first turn. */
const calling = (name: string, times: number, { text = '', input = 'x' } = {}) =>
  modelOf((step) => {
    if (step !== '1') return 'done';
    return { text, toolCalls: Array.from({ length: times }, (_, n) => toolCall(name, input, `call_${n}`)) };
  });

const once = { maxAttempts: 1 };
const echo = defineTool({ name: 'echo', description: 'e', run: (input) => input, maxOutputChars: 1_000_000 });
const asks = brokenTool('no', 'asks');
const observed = defineTool({
  name: 'observed',
  description: 'fails with a book',
  retry: once,
  onFailure: 'observe',
  run: () => {
    throw new Error('x'.repeat(380_000));
  },
});
const approved = defineTool({
  name: 'approved',
  description: 'is approved with an input of a person',
  approval: 'always',
  run: (input) => `got ${input.length}`,
});
const crawl = defineTool({
  name: 'crawl',
  description: 'fails behind a large checkpoint',
  retry: once,
  async run(_input, ctx) {
    if (ctx.lastCheckpoint !== undefined) return 'done';
    await ctx.checkpoint('p'.repeat(450_000));
    throw new Error('the site is down');
  },
});
const mailer = agentTool({ agent: 'mailer', description: 'sends mails' });
const long = agentTool({ agent: 'long', description: 'answers at length' });

const kind = 'tool-calling';
const rig = useRig({
  agents: [
    { name: 'by-hand', kind, model: calling('asks', 24), tools: [asks] },
    { name: 'by-approval', kind, model: calling('approved', 24), tools: [approved] },
    { name: 'crawler', kind, model: calling('crawl', 10), tools: [crawl] },
    { name: 'office', kind, model: calling('mailer', 1), tools: [mailer] },
    {
      name: 'mailer',
      kind,
      model: calling('approved', 60, { input: 'm'.repeat(700) }),
      tools: [approved],
    },
    { name: 'sub-agents', kind, model: calling('long', 20), tools: [long] },
    { name: 'long', kind, model: says('y'.repeat(115_000)) },
    { name: 'failures', kind, model: calling('observed', 6), tools: [observed] },
    { name: 'words', kind, model: calling('echo', 40, { text: 'w'.repeat(150_000) }), tools: [echo] },
    {
      name: 'escapes',
      kind,
      model: calling('echo', 1, { input: '\u0001中'.repeat(9_000) }),
      tools: [echo],
    },
  ],
});

const nothing = async () => undefined;
async function resolveAll(run: AgentRun): Promise<void> {
  for (let call = 1; call <= 24; call++) {
    await waitOf(run, { call: `1.${call}` });
    await run.decide(`1.${call}`, { type: 'resolve', output: 'z'.repeat(99_000) });
  }
}

async function approveAll(run: AgentRun): Promise<void> {
  await waitOf(run, { call: '1.24' });
  for (let call = 1; call <= 24; call++) {
    await run.decide(`1.${call}`, { type: 'approve', input: 'z'.repeat(95_000) });
  }
}

test.each<[what: string, agent: string, steps: number, steer: (run: AgentRun) => Promise<void>]>([
  ['24 results by hand of 99 KB', 'by-hand', 24, resolveAll],
  ['24 inputs by hand of 95 KB', 'by-approval', 24, approveAll],
  ['20 sub-agents that answer 115 KB', 'sub-agents', 20, nothing],
  ['6 observed failures with 380 KB of words', 'failures', 6, nothing],
  ['40 calls beside 150 KB of words', 'words', 40, nothing],
  ['arguments that grow when they are written', 'escapes', 1, nothing],
])(
  'a turn of %s goes on, and no payload is too large to be recorded',
  async (_what, agent, steps, steer) => {
    const run = await rig.client.start(agent, 'what?');
    await steer(run);
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('done');
    expect(intermediateSteps).toHaveLength(steps);
    expect(await largestPayload(run.id)).toBeLessThan(LARGEST);
  },
  60_000,
);

test('10 retries with checkpoints of 450 KB that one resume lets go on are more than one workflow task may send: the run goes on', async () => {
  const run = await rig.client.start('crawler', 'what?');
  await expect.poll(async () => (await run.describe()).waiting.length).toBe(10);
  await run.pause();
  for (let call = 1; call <= 10; call++) await run.decide(`1.${call}`, { type: 'retry' });
  await run.resume();
  expect((await run.result()).output).toBe('done');
}, 60_000);

test('60 calls of a sub-agent that wait at once are told to its parent, each once, and ended by decisions', async () => {
  const run = await rig.client.start('office', 'what?');
  const waitingNow = async () => (await run.describe()).waiting.map(({ call }) => call).sort();
  await expect.poll(waitingNow).toHaveLength(60);
  const mails = rig.client.get(`${run.id}/1.1`);
  for (let call = 1; call <= 59; call++) await mails.decide(`1.${call}`, { type: 'reject' });
  await expect.poll(waitingNow).toEqual(['1.1/1.60']);
  const told = await bytesOfSignals(run.id);
  // Each wait once, and each end once: 60 times 1 KB, whatever the order.
  expect(told).toBeLessThan(60 * 2_000);
  await run.decide('1.1/1.60', { type: 'reject' });
  expect((await run.result()).output).toBe('done');
}, 60_000);

async function bytesOfSignals(workflowId: string): Promise<number> {
  const { events = [] } = await rig.temporal.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).reduce(
    (sum, { workflowExecutionSignaledEventAttributes: signal }) => sum + bytesIn(signal?.input),
    0,
  );
}

async function largestPayload(workflowId: string): Promise<number> {
  const { events = [] } = await rig.temporal.workflow.getHandle(workflowId).fetchHistory();
  return Math.max(...(events ?? []).map(bytesIn));
}

/** Bytes of all payloads of an event. */
function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, part) => sum + bytesIn(part), 0);
}
