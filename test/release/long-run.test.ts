import { expect, test } from 'vitest';
import { useRig } from '../support/rig.ts';
import { isSummaryRequest, page, reader, tokensOf } from '../support/long-run.ts';
import { toolCall } from '../support/scripts.ts';
import { defineTool } from '../../adapters/tools/tool.ts';

const TURNS = 2_000;
const WINDOW = 100_000;
const model = reader(TURNS, {
  say: {
    read: (number) => ({ text: '', toolCalls: [toolCall('page', number)] }),
    answer: (text) => ({ text, toolCalls: [] }),
  },
});
const compaction = { window: WINDOW };
const tools = [defineTool({ ...page, name: 'page', inline: true })];
const rig = useRig({
  agents: [{ name: 'long', kind: 'tool-calling', model, tools, compaction, maxIterations: null }],
});

test('a run of 2,000 turns of 8 KB stays under a window of 100,000 tokens in each request, and answers about turn 3', async () => {
  const result = await rig.client.run('long', 'What is fact 3?');
  expect(result).toMatchObject({ output: 'fact 3 is 21', iterations: TURNS + 1 });
  expect(result.intermediateSteps).toHaveLength(TURNS);
  const sizes = model.requests.map(({ request }) => tokensOf(request));
  expect(sizes.length).toBeGreaterThan(TURNS);
  expect(Math.max(...sizes)).toBeLessThan(WINDOW);
  const summaries = model.requests.filter(({ request }) => isSummaryRequest(request));
  expect(summaries.length).toBeGreaterThan(TURNS / 100);
});
