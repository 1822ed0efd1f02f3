import { describe, expect, test } from 'vitest';
import type { RunExport } from '../../client/export/run-export.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { recordedRun } from '../../features/testing/index.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { continuedAfter, eventOf, eventsOf, useRig, waitOf } from '../support/rig.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { type ReaderOptions, isSummaryRequest, page, reader, textOf, tokensOf } from '../support/long-run.ts';
import { act, answer, modelOf, toolCall } from '../support/scripts.ts';

const plain = (text: string) => ({ text, toolCalls: [] });
const json = (action: string, input: string) =>
  plain(`\`\`\`json\n${JSON.stringify({ action, action_input: input })}\n\`\`\``);
const native: ReaderOptions['say'] = {
  read: (number) => ({ text: '', toolCalls: [toolCall('page', number)] }),
  answer: plain,
};
const text = {
  read: (number: string) => plain(act('page', number)),
  answer: (words: string) => plain(answer(words)),
};
const inJson = {
  read: (number: string) => json('page', number),
  answer: (words: string) => json('Final Answer', words),
};

const WINDOW = 20_000;
const compaction = { window: WINDOW, at: 0.8, keep: 3 };
const common = { tools: [page], compaction, maxIterations: null };
const models = {
  'tool-calling': reader(12, { say: native }),
  'zero-shot': reader(12, { say: text }),
  'structured-chat': reader(12, { say: inJson }),
  conversational: reader(12, { say: inJson }),
};
const helper = agentTool({ agent: 'helper', name: 'helper', description: 'reads' });
const inlinePage = defineTool({ ...page, name: 'inline_page', inline: true });
const kinds = ['tool-calling', 'zero-shot', 'structured-chat', 'conversational'] as const;
const long = reader(60, { say: native });
const uncounted = reader(12, {
  counts: false,
  say: { ...native, read: (number) => ({ text: '', toolCalls: [toolCall('inline_page', number)] }) },
});
const helped = reader(12, { say: native });
const boss = modelOf((step) =>
  step === '1' ? { toolCalls: [toolCall('helper', 'What is fact 3?')] } : 'done',
);
const stopping = reader(12, {
  say: {
    ...native,
    read: (number) => (number === '11' ? { text: '', toolCalls: [toolCall('broken')] } : native.read(number)),
  },
});
let failures = 0;
const failing = reader(9, {
  say: native,
  onSummary() {
    if (failures-- > 0) throw new ModelError('ModelServerError', 'no summary', { retryable: true });
  },
});
const silent = reader(9, { say: native, summary: ' ' });

const config: ConfigDefinition = {
  agents: [
    { name: 'long', model: long, ...common, kind: 'tool-calling' },
    { name: 'uncounted', model: uncounted, ...common, kind: 'tool-calling', tools: [inlinePage] },
    { name: 'stopping', model: stopping, ...common, kind: 'tool-calling', tools: [page, brokenTool()] },
    { name: 'failing', model: failing, ...common, kind: 'tool-calling', modelRetry: { maxAttempts: 1 } },
    { name: 'silent', model: silent, ...common, kind: 'tool-calling', modelRetry: { maxAttempts: 1 } },
    { name: 'helper', model: helped, ...common, kind: 'tool-calling' },
    { name: 'boss', model: boss, kind: 'tool-calling', tools: [helper] },
    ...kinds.map((kind) => ({ name: kind, kind, model: models[kind], ...common })),
  ],
};
// Without a cache the transcript of each model call is read from history.
const rig = useRig(config, { server: continuedAfter(200), transcriptCacheBytes: 1 });

describe('a run with compaction', () => {
  test('stays under the window in each request, and knows from its summary what a turn said long ago', async () => {
    const run = await rig.client.start('long', 'What is fact 3?');
    const result = await run.result();
    expect(result).toMatchObject({ output: 'fact 3 is 21', iterations: 61 });
    expect(Math.max(...long.requests.map(({ request }) => tokensOf(request)))).toBeLessThan(WINDOW);
    const { turns, summaries, continued } = await replies(run);
    expect(turns).toBe(61);
    expect(summaries.length).toBeGreaterThan(5);
    expect(continued).toBeGreaterThan(0);
    expect(result.intermediateSteps).toHaveLength(60);
    expect(result.usage.modelCalls).toBe(61 + summaries.length);
    expect(await rebuilt(run)).toEqual(long.requests.map(({ request }) => textOf(request)));
  });

  test('does not change the beginning of its prompt between two compactions, nor in the request for a summary', () => {
    let before = '';
    let compared = 0;
    for (const { request } of long.requests) {
      const prompt = textOf(request);
      const isSummary = isSummaryRequest(request);
      const [shorter, longer] = isSummary ? [withoutRequest(prompt), before] : [before, prompt];
      expect(longer.startsWith(shorter)).toBe(true);
      if (before !== '') compared++;
      before = isSummary ? '' : prompt;
    }
    expect(compared).toBeGreaterThan(50);
  });

  test.each(kinds)('makes summaries as an agent of the kind %s', async (kind) => {
    const result = await rig.client.run(kind, 'What is fact 3?');
    expect(result).toMatchObject({ output: 'fact 3 is 21', iterations: 13 });
    const { requests } = models[kind];
    expect(requests.filter(({ request }) => isSummaryRequest(request))).not.toHaveLength(0);
    expect(Math.max(...requests.map(({ request }) => tokensOf(request)))).toBeLessThan(WINDOW);
  });

  test('is a test of its agent once it is exported, with its summaries at their places', async () => {
    const run = await rig.client.start('zero-shot', 'What is fact 3?');
    await run.result();
    const record = JSON.parse(JSON.stringify(await run.export({ prompts: true }))) as RunExport; // as a file has it
    expect(record.requests?.every(({ exact }) => exact)).toBe(true);
    expect(await recordedRun(record, { config })).toEqual({ ok: true, steps: 13, differences: [] });
  });

  test('is done again by a backtest with the same calls and answer', async () => {
    const run = await rig.client.start('structured-chat', 'What is fact 3?');
    await run.result();
    const backtest = await rig.client.backtest('structured-chat', { runs: [run.id] });
    expect(await backtest.report()).toMatchObject({ status: 'completed', totals: { same: 1, changed: 0 } });
  });

  test('may be a sub-agent', async () => {
    expect(await rig.client.run('boss', 'Ask.')).toMatchObject({
      intermediateSteps: [{ observation: 'fact 3 is 21' }],
    });
  });

  test('estimates its tokens where the model does not count them, with inline calls too', async () => {
    expect(await rig.client.run('uncounted', 'What is fact 3?')).toMatchObject({ output: 'fact 3 is 21' });
    expect(Math.max(...uncounted.requests.map(({ request }) => tokensOf(request)))).toBeLessThan(WINDOW);
  });

  test('has its full turns again after a rewind to a step before a compaction, and its summary after a later one', async () => {
    const run = await rig.client.start('stopping', 'What is fact 3?');
    await waitOf(run, { call: '11.1' });
    const { summaries } = await replies(run);
    expect(summaries).toEqual(['9-compaction']);
    stopping.requests.length = 0;
    await run.rewind({ step: 10 });
    await waitOf(run, { call: '11.1', n: 1 });
    expect(factsIn(requestOf('10'))).toEqual([6, 7, 8, 9]);
    expect(requestOf('10')).toContain('Notes on the work so far');
    await run.rewind({ step: 8 });
    await waitOf(run, { call: '11.1', n: 2 });
    expect(factsIn(requestOf('8'))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const { id } = await run.fork({ step: 10, edits: { '2.1': 'fact 2 is unknown' } });
    const fork = rig.client.get(id);
    await eventOf(fork, 'model_ended', ({ call }) => call === '10-compaction');
    expect(requestOf('10-compaction')).toContain('fact 2 is unknown');
    await run.cancel();
    await fork.cancel();
  });

  test('waits for a person when the model writes no summary, as for any model call', async () => {
    failures = 2;
    const run = await rig.client.start('failing', 'What is fact 3?');
    const wait = await waitOf(run);
    expect(wait).toMatchObject({
      call: '9-compaction',
      reason: 'failed',
      error: { type: 'ModelServerError' },
    });
    await run.decide('9-compaction', { type: 'retry' });
    await waitOf(run, { n: 1 });
    await run.say('Be quick.');
    await run.decide('9-compaction', { type: 'resolve', output: 'fact 3 is what I say' });
    expect(await run.result()).toMatchObject({ output: 'unknown', iterations: 10 });
    const sent = failing.requests.filter(({ step }) => step === '9').map(({ request }) => textOf(request));
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/fact 3 is what I say.*Be quick\./su);
    expect(await eventTypes(run)).not.toContain('unheard');
  });
});

test('a run that failed for want of a summary is asked for it again by retry', async () => {
  failures = 1;
  const run = await rig.client.start('failing', 'What is fact 3?');
  await waitOf(run);
  await run.decide('9-compaction', { type: 'abort' });
  await expect(run.result()).rejects.toMatchObject({ type: 'Aborted' });
  await run.retry();
  expect(await run.result()).toMatchObject({ output: 'fact 3 is 21', iterations: 10 });
  const { summaries } = await replies(run);
  expect(summaries).toEqual(['9-compaction']);
});

test('an empty summary is none', async () => {
  const run = await rig.client.start('silent', 'What is fact 3?');
  expect(await waitOf(run)).toMatchObject({ call: '9-compaction', error: { type: 'EmptySummary' } });
  await run.cancel();
});

function withoutRequest(prompt: string): string {
  return prompt.slice(0, prompt.lastIndexOf('\n'));
}

/** The last request of a step. */
function requestOf(step: string): string {
  return textOf(stopping.requests.findLast((asked) => asked.step === step)?.request ?? never());
}

/** The pages that a prompt shows word for word. */
function factsIn(prompt: string): number[] {
  return [...prompt.matchAll(/fact (\d+) is \d+\. x/gu)].map(([, number]) => Number(number));
}

function never(): never {
  throw new Error('There is no such request.');
}

async function replies(run: AgentRun): Promise<{ turns: number; summaries: string[]; continued: number }> {
  const found = { turns: 0, summaries: [] as string[], continued: 0 };
  for await (const event of run.events({ follow: false })) {
    if (event.type === 'continued') found.continued++;
    if (event.type !== 'model_ended') continue;
    if (event.turn.decision.type === 'compact') found.summaries.push(event.call);
    else found.turns++;
  }
  return found;
}

async function eventTypes(run: AgentRun): Promise<string[]> {
  return (await eventsOf(run)).map(({ type }) => type);
}

async function rebuilt(run: AgentRun): Promise<string[]> {
  const texts: string[] = [];
  for await (const { request } of run.requests({ follow: false })) texts.push(textOf(request));
  return texts;
}
