import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Content, contentText, mediaOf } from '../../agent/values/content.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { readFacts } from '../../history/read/facts.ts';
import { readRun } from '../../history/read/pages.ts';
import { defineModel } from '../../adapters/models/model.ts';
import { AGENT_RUN, runLabels } from '../../workflows/messages.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { pngOf } from '../support/image.ts';
import { useRig } from '../support/rig.ts';

/** What each request showed, by the run that made it: its last user's message with images. */
const asked = new Map<string, ChatMessage[][]>();

/** Calls `look` as many times as the question says, then answers. */
const model = defineModel({
  async call({ prompt }, { runId, step }) {
    const messages = prompt.type === 'messages' ? prompt.messages : [];
    asked.set(runId, [...(asked.get(runId) ?? []), messages]);
    const question = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const wanted = Number(/look (\d+)/u.exec(contentText(question))?.[1] ?? 0);
    const toolCalls =
      Number(step) <= wanted ? [{ id: `c${step}`, name: 'look', arguments: '{"__arg1":"closer"}' }] : [];
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    const isJson = contentText(question).includes('markdown code snippet');
    const answer = isJson ? '{"action": "Final Answer", "action_input": "a cat"}' : 'a cat';
    return { text: toolCalls.length === 0 ? answer : '', toolCalls, finishReason: 'stop', usage };
  },
});
const look = defineTool({ name: 'look', description: 'looks', run: () => 'x'.repeat(1_000) });
const common = { model, tools: [look], maxIterations: null };

const rig = useRig({
  agents: [
    { ...common, name: 'native', kind: 'tool-calling' },
    { ...common, name: 'trimming', kind: 'tool-calling', trimIntermediateSteps: 1 },
    { ...common, name: 'talker', kind: 'conversational' },
    { ...common, name: 'react', kind: 'zero-shot' },
    { ...common, name: 'blind', kind: 'tool-calling', images: false },
  ],
});

const question = (text: string, ...images: Uint8Array[]) => [
  { type: 'text' as const, text },
  ...images.map((image) => ({ type: 'image' as const, image })),
];

describe('a question with an image', () => {
  test('shows it to the model at every step, and has its bytes in history once, however often the run continues as new', async () => {
    const image = pngOf(300_000);
    const run = await rig.client.start('trimming', question('look 40 times', image));
    expect((await run.result()).output).toBe('a cat');
    const runs = await chainOf(run);
    expect(runs.length).toBeGreaterThan(1);
    const requests = runs.flatMap((runId) => asked.get(runId) ?? []);
    expect(requests).toHaveLength(41);
    for (const messages of requests) {
      const [text, shown] = partsOf(messages);
      expect(text).toEqual({ type: 'text', text: 'look 40 times' });
      expect(shown).toEqual({
        type: 'image',
        mediaType: 'image/png',
        bytes: 300_000,
        sha256: expect.any(String),
        data: image.toString('base64'),
      });
    }
    const { history } = await run.describe();
    expect(history.bytes).toBeLessThan(300_000 + 41 * 5_000);
    expect(await copiesOf(image, run.id, runs)).toBe(1);
  });

  test('is read again by a worker that has never seen the run, and rendered by who reads the run', async () => {
    const image = pngOf(20_000, 2);
    const run = await rig.client.start('native', question('look 1 time', image));
    await run.result();
    await rig.restart();
    const { id } = await run.fork({ step: 2 });
    const fork = rig.client.get(id);
    await fork.result();
    const { runId } = await fork.describe();
    expect(dataIn(asked.get(runId)?.[0])).toEqual([image.toString('base64')]);
    const exported = await fork.export({ prompts: true });
    expect(exported.requests?.map(({ exact }) => exact)).toEqual([true, true]);
    expect(await copiesOf(image, id, await chainOf(fork))).toBe(0);
    // And a fork of the fork, whose reference goes two runs back.
    const again = rig.client.get((await fork.fork({ step: 1 })).id);
    await again.result();
    expect(dataIn(asked.get((await again.describe()).runId)?.[0])).toEqual([image.toString('base64')]);
  });

  test('stands in the report and the events as what it is and where, in words beside texts', async () => {
    const run = await rig.client.start('native', [
      { type: 'text', text: 'Compare' },
      { type: 'image', image: pngOf(34_000) },
      { type: 'text', text: 'with' },
      { type: 'image', image: 'https://example.com/cat.webp' },
    ]);
    await run.result();
    const { input, runId } = await run.describe();
    expect(input).toEqual([
      { type: 'text', text: 'Compare' },
      {
        type: 'image',
        mediaType: 'image/png',
        bytes: 34_000,
        sha256: expect.any(String),
        ref: { workflowId: run.id, runId, index: 0 },
      },
      { type: 'text', text: 'with' },
      { type: 'image', url: 'https://example.com/cat.webp' },
    ]);
    expect(contentText(input)).toBe(
      'Compare\n[image image/png 34 KB]\nwith\n[image https://example.com/cat.webp]',
    );
    expect(
      partsOf(asked.get(runId)?.[0]).map((part) =>
        part.type === 'text' ? part.text : part.type === 'image' ? part.url : part,
      ),
    ).toEqual(['Compare', undefined, 'with', 'https://example.com/cat.webp']);
    const { runs } = await rig.client.listPage({ limit: 1, text: 'Compare' });
    expect(runs[0]?.input).toContain('[image image/png 34 KB]');
  });

  test.each([
    [
      'a kind that takes none, with the kinds that do',
      'react',
      /kind zero-shot, which takes no images.*tool-calling/u,
    ],
    ['an agent with images: false', 'blind', /"blind" takes no images \(images: false\)/u],
  ])('is refused by %s', async (_what, agent, problem) => {
    const run = await rig.client.start(agent, question('what?', pngOf(100)));
    const failed = await run.result().catch((error: Error) => error.message);
    expect(failed).toMatch(problem);
    expect(asked.get((await run.describe()).runId)).toBeUndefined();
  });

  test('is asked again in a backtest, which reads it from the recorded run', async () => {
    const image = pngOf(5_000, 7);
    const run = await rig.client.start('native', question('look 1 time', image));
    await run.result();
    const backtest = await rig.client.backtest('native', { runs: [run.id], id: randomUUID() });
    const { runs } = await backtest.report();
    expect(runs.map(({ verdict, input }) => [verdict, input])).toEqual([
      ['same', 'look 1 time\n[image image/png 5 KB]'],
    ]);
    const again = await rig.client.get(runs[0]?.again ?? '').describe();
    expect(dataIn(asked.get(again.runId)?.[0])).toEqual([image.toString('base64')]);
  });
});

describe('a session with an image', () => {
  test.each([false, true])(
    'shows it to later questions too, and records it once (detached: %s)',
    async (detach) => {
      const session = `images-${randomUUID()}`;
      const image = pngOf(40_000, detach ? 4 : 3);
      const first = await rig.client.start('talker', question('what is it?', image), { session, detach });
      await orStarted(first);
      const second = await rig.client.start('native', 'and its colour?', { session });
      await second.result();
      const { runId } = await second.describe();
      expect(dataIn(asked.get(runId)?.[0])).toEqual([image.toString('base64')]);
      const said = async () => (await rig.client.session(session).describe()).messages;
      await expect
        .poll(async () => (await said()).map(({ content }) => contentText(content)))
        .toEqual(['what is it?\n[image image/png 40 KB]', 'a cat', 'and its colour?', 'a cat']);
      // The session has it, and neither of the runs.
      const sessionId = `session:${session}`;
      const described = await rig.temporal.workflow.getHandle(sessionId).describe();
      expect(await copiesOf(image, sessionId, [described.runId])).toBe(1);
      expect(await copiesOf(image, first.id, await chainOf(first))).toBe(0);
      expect(JSON.stringify(await said()).length).toBeLessThan(1_000);
    },
  );

  test('tells it in words to an agent with images: false', async () => {
    const session = `images-${randomUUID()}`;
    await rig.client.run('native', question('what is it?', pngOf(5_000)), { session });
    const run = await rig.client.start('blind', 'and its colour?', { session });
    expect((await run.result()).output).toBe('a cat');
    const [messages = []] = asked.get((await run.describe()).runId) ?? [];
    expect(messages.map(({ content }) => content)).toContain('what is it?\n[image image/png 5 KB]');
  });

  test('takes several of the largest at once, and goes on when its own history has become too long', async () => {
    const session = `many-${randomUUID()}`;
    const images = [1, 2, 3, 4].map((seed) => pngOf(1_400_000, seed));
    const runs = await Promise.all(
      images.map((image) => rig.client.start('native', question('what is it?', image), { session })),
    );
    for (const run of runs) await run.result();
    await (await rig.client.start('native', 'and now?', { session })).result();
    const last = await rig.client.start('native', 'which of them?', { session });
    await last.result();
    const shown = dataIn(asked.get((await last.describe()).runId)?.[0]);
    expect(shown).toHaveLength(4);
    expect(new Set(shown)).toEqual(new Set(images.map((image) => image.toString('base64'))));
    expect(await chainOf({ id: `session:${session}` })).not.toHaveLength(1);
  });

  test('tells the model where an image is gone with the history that had it', async () => {
    // As a session starts a run whose conversation began before the namespace's retention.
    const ref = { workflowId: 'session:long-ago', runId: randomUUID(), message: 'first', index: 0 };
    const image = { type: 'image', mediaType: 'image/png', bytes: 600, ref };
    const content = [{ type: 'text', text: 'what is it?' }, image];
    const id = `later-${randomUUID()}`;
    const question = { input: 'and its colour?', chatHistory: [{ role: 'user', content }] };
    await rig.temporal.workflow.start(AGENT_RUN, {
      workflowId: id,
      taskQueue: rig.taskQueue,
      args: [{ agent: 'native', question }],
      ...runLabels('native', question.input),
    });
    const run = rig.client.get(id);
    expect((await run.result()).output).toBe('a cat');
    const [messages = []] = asked.get((await run.describe()).runId) ?? [];
    expect(messages.map((message) => message.content)).toContain('what is it?\n[image no longer available]');
  });
});

/** A run of a session may not have begun. */
async function orStarted(run: AgentRun): Promise<void> {
  await expect.poll(() => exists(run), { timeout: 30_000 }).toBe(true);
  await run.result();
}

function exists(run: AgentRun): Promise<boolean> {
  return run.describe().then(
    () => true,
    () => false,
  );
}

function partsOf(messages: ChatMessage[] = []) {
  const content: Content | null | undefined = messages.find(({ content: parts }) =>
    Array.isArray(parts),
  )?.content;
  return Array.isArray(content) ? content : [];
}

function dataIn(messages: ChatMessage[] = []) {
  return messages.flatMap(({ content }) => mediaOf(content).map(({ data }) => data));
}

/** Ids of all runs that continue-as-new has made of one. */
async function chainOf({ id }: Pick<AgentRun, 'id'>): Promise<string[]> {
  const { runId } = await rig.temporal.workflow.getHandle(id).describe();
  const runs: string[] = [];
  for (let at: string | undefined = runId; at !== undefined;) {
    runs.unshift(at);
    let before: string | undefined;
    for await (const fact of readFacts(rig.temporal, { workflowId: id, runId: at }, { pageSize: 1 })) {
      if (fact.type === 'started') before = fact.previousRunId;
      break;
    }
    at = before;
  }
  return runs;
}

/** How many payloads of the histories are the image; base64 would hide it, so that is looked for too. */
async function copiesOf(image: Buffer, workflowId: string, runIds: string[]): Promise<number> {
  const middle = image.subarray(100, 200);
  const inBase64 = Buffer.from(image.toString('base64').slice(400, 500));
  let copies = 0;
  for (const runId of runIds) {
    for await (const events of readRun(rig.temporal, { workflowId, runId }, { pageSize: 5 })) {
      for (const bytes of bytesIn(events)) {
        copies += Number(bytes.includes(middle)) + Number(bytes.includes(inBase64));
      }
    }
  }
  return copies;
}

function bytesIn(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(bytesIn);
}
