import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentRun } from '../../client/agent-run.ts';
import { defineModel } from '../../models/model.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';

/** Temporal ends a run for a payload of 2 MB. */
const LARGEST = 1_500_000;

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const says = (text: string) =>
  defineModel({ call: () => Promise.resolve({ text, toolCalls: [], finishReason: 'stop', usage }) });
/** Calls a tool so many times in its first turn. */
const calling = (name: string, times: number, { text = '', input = 'x' } = {}) =>
  defineModel({
    call: (_request, { step }) =>
      Promise.resolve({
        text: step === '1' ? text : 'done',
        toolCalls: Array.from({ length: step === '1' ? times : 0 }, (_, index) => ({
          id: `call_${index}`,
          name,
          arguments: JSON.stringify({ __arg1: input }),
        })),
        finishReason: 'stop',
        usage,
      }),
  });

const once = { maxAttempts: 1 };
const echo = defineTool({ name: 'echo', description: 'e', run: (input) => input, maxOutputChars: 1_000_000 });
const asks = defineTool({
  name: 'asks',
  description: 'fails, and a person is asked',
  retry: once,
  run: () => {
    throw new Error('no');
  },
});
const observed = defineTool({
  name: 'observed',
  description: 'fails with a book',
  retry: once,
  onFailure: 'observe',
  run: () => {
    throw new Error('x'.repeat(380_000));
  },
});
const long = agentTool({ agent: 'long', description: 'answers at length' });

const kind = 'tool-calling';
let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      { name: 'by-hand', kind, model: calling('asks', 24), tools: [asks] },
      { name: 'sub-agents', kind, model: calling('long', 20), tools: [long] },
      { name: 'long', kind, model: says('y'.repeat(115_000)) },
      { name: 'failures', kind, model: calling('observed', 6), tools: [observed] },
      { name: 'words', kind, model: calling('echo', 40, { text: 'w'.repeat(150_000) }), tools: [echo] },
      { name: 'arguments', kind, model: calling('echo', 2, { input: '"'.repeat(30_000) }), tools: [echo] },
      {
        name: 'escapes',
        kind,
        model: calling('echo', 1, { input: '\u0001中'.repeat(9_000) }),
        tools: [echo],
      },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());

const nothing = async () => undefined;
async function resolveAll(run: AgentRun): Promise<void> {
  for (let call = 1; call <= 24; call++) {
    await eventOf(run.events({ live: false }), 'waiting', ({ park }) => park.call === `1.${call}`);
    await run.decide(`1.${call}`, { type: 'resolve', output: 'z'.repeat(99_000) });
  }
}

test.each<[what: string, agent: string, steps: number, steer: (run: AgentRun) => Promise<void>]>([
  ['24 results by hand of 99 KB', 'by-hand', 24, resolveAll],
  ['20 sub-agents that answer 115 KB', 'sub-agents', 20, nothing],
  ['6 observed failures with 380 KB of words', 'failures', 6, nothing],
  ['40 calls beside 150 KB of words', 'words', 40, nothing],
  ['2 calls with 60 KB of arguments', 'arguments', 2, nothing],
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
