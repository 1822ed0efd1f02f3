import { contentText } from '../../agent/values/content.ts';
import { sessionId } from '../../agent/session/session.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AgentKind } from '../../agent/definition/kind.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Model, ModelError, defineModel } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { allOf } from '../support/all-of.ts';

/** Answers with what it was told; `CALL x` calls the tool. Takes the conversation as messages. */
const talker: AgentKind = {
  name: 'talker',
  stop: [],
  prompt: {},
  stoppedOutput: 'stopped by a limit',
  chatHistory: true,
  render: ({ chatHistory, input }) => ({
    type: 'messages',
    messages: [...chatHistory, { role: 'user', content: input }],
  }),
  parse: ({ text }) =>
    text.startsWith('CALL ')
      ? { type: 'act', actions: [{ tool: 'direct', toolInput: text.slice(5), log: text }] }
      : { type: 'finish', output: text, log: text },
};

/** What the model does with the last thing said: replies, fails, or waits until it is let go on. */
const asked: ChatMessage[][] = [];
const gates = new Map<string, () => void>();
const model: Model = defineModel({
  async call({ prompt }) {
    const messages =
      prompt.type === 'messages' ? prompt.messages : [{ role: 'system' as const, content: prompt.text }];
    asked.push(messages);
    const text = contentText(messages.at(-1)?.content ?? null);
    if (text.startsWith('wait')) await new Promise<void>((resolve) => gates.set(text, resolve));
    if (text === 'fail' || (prompt.type === 'text' && text.includes('never sum up'))) {
      throw new ModelError('ModelBadRequest', 'refused', { retryable: false });
    }
    const reply = prompt.type === 'text' ? 'NOTES' : text.startsWith('CALL') ? text : `re: ${text}`;
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    return { text: reply, toolCalls: [], finishReason: 'stop', usage };
  },
});
const direct = defineTool({
  name: 'direct',
  description: 'd',
  returnDirect: true,
  run: (input) => ({ raw: [input] }),
});

const common = { kind: talker, model, tools: [direct] };
const rig = useRig({
  agents: [
    { ...common, name: 'talker' },
    { ...common, name: 'limited', maxIterations: 0 },
    { ...common, name: 'summary', memory: { kind: 'summary', tokens: 10 } },
    { name: 'react', model },
  ],
});

const said = (content: string): ChatMessage => ({ role: 'user', content });
const replied = (content: string): ChatMessage => ({ role: 'assistant', content });
const turn = (text: string) => [said(text), replied(`re: ${text}`)];
const say = async (session: string, input: string, agent = 'talker') =>
  (await rig.client.start(agent, input, { session })).result();
const show = (session: string) => rig.client.session(session).describe();
/** Messages of the request that `text` ends. */
const shown = (text: string) => asked.find((messages) => messages.at(-1)?.content === text);
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Error) => error,
  );

describe('a session', () => {
  test('shows each run what was said and answered before', async () => {
    await say('names', '我是赖赖');
    expect((await say('names', '我是谁')).output).toBe('re: 我是谁');
    expect(shown('我是谁')).toEqual([...turn('我是赖赖'), said('我是谁')]);
  });

  test('runs messages sent at once one after the other, in their order', async () => {
    const first = await rig.client.start('talker', 'wait first', { session: 'order' });
    await untilAsked('wait first');
    const later: Promise<AgentRun>[] = [];
    for (const id of ['second', 'third']) {
      later.push(rig.client.start('talker', id, { session: 'order', id }));
      await untilShown('order', ({ queued }) => queued.includes(id));
    }
    expect(await show('order')).toEqual({
      name: 'order',
      messages: [],
      runs: [first.id],
      running: first.id,
      queued: ['second', 'third'],
      unanswered: [],
    });
    gates.get('wait first')?.();
    for (const run of await Promise.all(later)) await run.result();
    expect(shown('third')).toEqual([...turn('wait first'), ...turn('second'), said('third')]);
  });

  test.each([
    ['keeps nothing of a run that fails, not even the question', 'fail', 'talker', []],
    ['keeps the sentence of a run that a limit stopped', 'hello', 'limited', ['hello', 'stopped by a limit']],
    ['keeps what a tool returned directly, as text', 'CALL x', 'talker', ['CALL x', '{"raw":["x"]}']],
  ])('%s', async (title, input, agent, kept) => {
    await failure(say(title, input, agent));
    await untilShown(title, ({ running }) => running === null);
    expect((await show(title)).messages.map(({ content }) => content)).toEqual(kept);
  });

  test('keeps nothing of a run that is cancelled, and goes on with the next', async () => {
    const run = await rig.client.start('talker', 'wait for ever', { session: 'cancel' });
    const next = rig.client.start('talker', 'next', { session: 'cancel' });
    await untilAsked('wait for ever');
    await run.cancel();
    await (await next).result();
    await untilShown('cancel', ({ running }) => running === null);
    expect((await show('cancel')).messages).toEqual(turn('next'));
  });

  test('takes the same id again for the same message', async () => {
    const options = { session: 'twice', id: 'once-only' };
    const runs = await Promise.all([
      rig.client.start('talker', 'hello', options),
      rig.client.start('talker', 'hello', options),
    ]);
    await Promise.all(runs.map((run) => run.result()));
    await (await rig.client.start('talker', 'other', options)).result();
    await untilShown('twice', ({ running }) => running === null);
    expect(await show('twice')).toMatchObject({ messages: turn('hello'), runs: ['once-only'] });
  });

  test('leaves a run alone that has the id and is not its own', async () => {
    await rig.client.run('talker', 'alone', { id: 'outside' });
    await rig.client
      .session('guest')
      .send({ id: 'outside', agent: 'talker', input: 'inside' }, { taskQueue: rig.taskQueue, detach: false });
    expect(await show('guest')).toMatchObject({ messages: [], runs: [], running: null, queued: [] });
  });

  test.each([
    ['a chat history of its own', 'invalid', 'hello', { chatHistory: turn('x') }],
    ['a question that leaves no room for the conversation', 'invalid', 'x'.repeat(200_000), {}],
  ])('is not begun with %s', async (_title, session, input, more) => {
    const refused = await failure(rig.client.start('talker', input, { session, ...more }));
    expect(refused).toMatchObject({ name: 'InvalidInput' });
    expect(await runsOf(session)).toEqual([]);
  });

  test('is cleared when nothing is open, and begins anew', async () => {
    const run = await rig.client.start('talker', 'wait a bit', { session: 'clear' });
    await untilAsked('wait a bit');
    expect(await failure(rig.client.session('clear').clear())).toMatchObject({
      name: 'DecisionRefused',
      message: `clear: run ${run.id} is not over. Cancel it, or wait for it.`,
    });
    gates.get('wait a bit')?.();
    await run.result();
    await untilShown('clear', ({ running }) => running === null);
    await rig.client.session('clear').clear();
    expect(await failure(show('clear'))).toMatchObject({ name: 'SessionNotFound' });
    await say('clear', 'who am I?');
    expect(shown('who am I?')).toEqual([said('who am I?')]);
  });

  test('is not cleared by a request for an earlier conversation that comes late', async () => {
    await say('late', 'hello');
    const handle = rig.temporal.workflow.getHandle(sessionId('late'));
    const { raw } = await handle.describe();
    const conversation = raw.workflowExecutionInfo?.firstRunId ?? '';
    await rig.client.session('late').clear();
    await say('late', 'who am I?');
    const late = handle.executeUpdate('clear', { args: [{ conversation }] });
    expect(await failure(late)).toMatchObject({
      cause: { message: `clear: conversation ${conversation} is over, and another one has started.` },
    });
    expect((await show('late')).messages).toHaveLength(2);
  });

  test('does not touch its run when it is cancelled, and ends the waiting of the next one', async () => {
    const run = await rig.client.start('talker', 'wait on', { session: 'doomed' });
    await untilAsked('wait on');
    const waiting = rig.client.start('talker', 'next', { session: 'doomed', id: 'doomed-next' });
    await untilShown('doomed', ({ queued }) => queued.includes('doomed-next'));
    await rig.temporal.workflow.getHandle('session:doomed').cancel();
    expect(await failure(waiting)).toMatchObject({ name: 'SessionNotFound' });
    gates.get('wait on')?.();
    expect((await run.result()).output).toBe('re: wait on');
  });

  test('goes on as new in the middle of many messages, and loses none', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `message ${index + 1}`);
    const before = (await runsOf('long')).length;
    for (let sent = 0; sent < texts.length; sent += 10) {
      const runs: Promise<AgentRun>[] = [];
      for (const text of texts.slice(sent, sent + 10)) {
        runs.push(rig.client.start('talker', text, { session: 'long', id: `long ${text}` }));
        await sleep(20);
      }
      await Promise.all((await Promise.all(runs)).map((run) => run.result()));
    }
    await untilShown('long', ({ running }) => running === null);
    const { messages, runs } = await show('long');
    expect(before).toBe(0);
    await expect.poll(async () => (await runsOf('long')).length, { timeout: 10_000 }).toBeGreaterThan(1);
    expect(runs.toSorted()).toEqual(texts.map((text) => `long ${text}`).toSorted());
    expect(messages).toEqual(runs.flatMap((id) => turn(id.slice('long '.length))));
  }, 120_000);

  test('is listed while it lasts, and marks its runs', async () => {
    const run = await rig.client.start('talker', 'list me', { session: 'listed' });
    await run.result();
    const { searchAttributes } = await rig.temporal.workflow.getHandle(run.id).describe();
    expect(searchAttributes).toMatchObject({ ReloopSession: ['listed'] });
    const names = async () => (await allOf(rig.client.sessions(1000))).map(({ name }) => name);
    while (!(await names()).includes('listed')) await sleep(50);
    expect(await names()).not.toContain('doomed');
  });

  test('is refused by a kind that takes no chat history, and the run says so', async () => {
    expect(await failure(say('react', 'hello', 'react'))).toMatchObject({ type: 'ChatHistoryNotTaken' });
    const history = rig.client.run('react', 'hello', { chatHistory: turn('x') });
    expect(await failure(history)).toMatchObject({ type: 'ChatHistoryNotTaken' });
    expect((await show('react')).messages).toEqual([]);
  });
});

describe('the memory of an agent', () => {
  test('as a summary puts notes of the model in the place of all turns but the last', async () => {
    for (const text of ['s1 is short', 's2 is longer', 's3 is the last'])
      await say('summary', text, 'summary');
    expect(shown('s3 is the last')).toEqual([
      { role: 'system', content: 'Summary of the conversation so far: NOTES' },
      ...turn('s2 is longer'),
      said('s3 is the last'),
    ]);
    await untilShown('summary', ({ messages }) => messages.length === 3);
    const report = await show('summary');
    expect(report.messages.slice(1)).toEqual(turn('s3 is the last'));
    expect(report.notesUsage).toMatchObject({ modelCalls: 2, totalTokens: expect.any(Number) });
  });

  test('as a summary that cannot be had leaves the conversation as it is', async () => {
    for (const text of ['never sum up this', 'nor this']) await say('unsummed', text, 'summary');
    await say('unsummed', 'so what is there?');
    expect(shown('so what is there?')).toEqual([
      ...turn('never sum up this'),
      ...turn('nor this'),
      said('so what is there?'),
    ]);
  });
});

async function runsOf(session: string): Promise<string[]> {
  const query = `WorkflowId = "session:${session}"`;
  return (await allOf(rig.temporal.workflow.list({ query }))).map(({ runId }) => runId);
}

async function untilAsked(text: string): Promise<void> {
  while (shown(text) === undefined) await sleep(20);
}

async function untilShown(
  session: string,
  fits: (report: Awaited<ReturnType<typeof show>>) => boolean,
): Promise<void> {
  while (!fits(await show(session))) await sleep(50);
}
