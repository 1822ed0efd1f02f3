import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { ToolCall } from '../../agent/values/vocabulary.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { answer, modelOf, promptOf } from '../support/scripts.ts';

const inputs: unknown[] = [];
const refund = defineTool({
  name: 'refund_order',
  description: 'Pays an order back.',
  input: z.object({ order: z.string(), amount: z.number() }),
  approval: ({ amount }) => amount > 100,
  effects: 'once',
  run: (input) => {
    inputs.push(input);
    return `paid ${input.amount}`;
  },
});
const many = Array.from({ length: 40 }, (_, n) =>
  defineTool({
    name: `report_${n}`,
    description: `Writes report ${n}.`,
    run: (input) => `report ${n}: ${input}`,
  }),
);
const clock = defineTool({ name: 'clock', description: 'The time.', run: () => 'noon' });

const call = (name: string, input: object): ToolCall => ({
  id: `${name}-1`,
  name,
  arguments: JSON.stringify(input),
});
const native = modelOf((step, request) => {
  if (step === '1') return { toolCalls: [call('search_tools', { query: 'pay an order back' })] };
  if (step === '2') {
    const amount = promptOf(request).includes('dear') ? 500 : 20;
    return { toolCalls: [call('use_tool', { name: 'refund_order', input: { order: 'A1', amount } })] };
  }
  if (step === '3')
    return { toolCalls: [call('use_tool', { name: 'refund_order', input: { order: 'A1' } })] };
  if (step === '4') return { toolCalls: [call('use_tool', { name: 'teleport', input: {} })] };
  if (step === '5') return { toolCalls: [call('report_7', { __arg1: 'now' })] };
  if (step === '6') return { toolCalls: [call('use_tool', { input: {} })] };
  if (step === '7') return { toolCalls: [call('clock', { __arg1: '' })] };
  return 'done';
});
const textual = modelOf((step) => {
  if (step === '1') return ' Look.\nAction: search_tools\nAction Input: report 7';
  if (step === '2')
    return ' Use.\nAction: use_tool\nAction Input: {"name": "report_7", "input": {"input": "now"}}';
  return answer('done');
});
const tools = [refund, ...many, clock];
const rig = useRig({
  agents: [
    {
      name: 'search-native',
      kind: 'tool-calling',
      model: native,
      tools,
      toolSearch: { show: ['clock'], results: 2 },
    },
    { name: 'search-textual', model: textual, tools, toolSearch: true },
  ],
});

test('a found tool is called as the real one, and each request begins with the one before', async () => {
  const run = await rig.client.start('search-native', 'Refund it.');
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('done');
  expect(intermediateSteps.map(({ action }) => [action.tool, action.toolInput])).toEqual([
    ['search_tools', { query: 'pay an order back' }],
    ['refund_order', { order: 'A1', amount: 20 }],
    ['refund_order', { order: 'A1' }],
    ['teleport', {}],
    ['report_7', expect.anything()],
    ['use_tool', { input: {} }],
    ['clock', expect.anything()],
  ]);
  const observations = intermediateSteps.map(({ observation }) => observation);
  expect(observations[0]).toEqual([
    { name: 'refund_order', description: 'Pays an order back.', inputSchema: refund.inputSchema },
  ]);
  expect(observations.slice(1)).toEqual([
    'paid 20',
    expect.stringContaining('The input of refund_order is not valid'),
    'teleport is not a valid tool, try one of [clock, search_tools, use_tool].',
    'report 7: now',
    expect.stringContaining('use_tool takes the name and the input'),
    'noon',
  ]);
  expect(inputs).toEqual([{ order: 'A1', amount: 20 }]);

  const sent = native.requests.map(({ request: { prompt } }) =>
    prompt.type === 'messages' ? prompt : undefined,
  );
  expect(sent[0]?.tools?.map(({ name }) => name)).toEqual(['clock', 'search_tools', 'use_tool']);
  for (const [at, request] of sent.slice(1).entries()) {
    expect(request?.tools).toEqual(sent[0]?.tools);
    const before = JSON.stringify(sent[at]?.messages).slice(0, -1);
    expect(JSON.stringify(request?.messages).startsWith(before)).toBe(true);
  }
});

test('a person approves the real tool', async () => {
  const run = await rig.client.start('search-native', 'Refund the dear one.');
  const wait = await waitOf(run);
  expect(wait).toMatchObject({
    tool: 'refund_order',
    toolInput: { order: 'A1', amount: 500 },
    reason: 'approval',
  });
  await run.decide(wait.call, { type: 'reject', reason: 'no' });
  await expect(run.result()).resolves.toMatchObject({ output: 'done' });
});

test('a kind of text searches and calls in the same way', async () => {
  const { output, intermediateSteps } = await (await rig.client.start('search-textual', 'Report.')).result();
  expect(intermediateSteps[0]?.observation).toContainEqual(
    expect.objectContaining({
      name: 'report_7',
      inputSchema: { type: 'object', properties: { input: { type: 'string' } } },
    }),
  );
  expect(intermediateSteps[1]).toMatchObject({ action: { tool: 'report_7' }, observation: 'report 7: now' });
  expect(output).toBe('done');
  const first = promptOf(textual.requests[0]?.request);
  expect(first).toContain('search_tools: Finds tools.');
  expect(first).not.toContain('report_7');
});
