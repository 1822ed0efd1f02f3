import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../agent/values/vocabulary.ts';
import { type McpOptions, type ToolContext, mcp } from '../../../../../adapters/tools/index.ts';
import { AskedInput } from '../../../../../adapters/tools/tool.ts';
import { type Server2026, formRequest, server2026, textResult } from '../../../../support/mcp-2026.ts';
import { mcpHttpServer } from '../../../../support/mcp-http.ts';
import { toolContext } from '../../../../support/tool-context.ts';

type Context = Partial<ToolContext>;

/** Calls the server's one tool as the runner does; `answered` gives the answer to what the last call asked. */
async function caller(url: string, options: McpOptions = {}) {
  const [tool] = await mcp({ url }, options);
  const call = async (context: Context = {}): Promise<unknown> =>
    tool?.run({} as never, toolContext(context));
  const asked = async (context: Context = {}): Promise<AskedInput> => {
    const output = await call(context);
    if (!(output instanceof AskedInput))
      throw new Error(`it did not ask, but said ${JSON.stringify(output)}`);
    return output;
  };
  const answered = (question: AskedInput, answer: Json): Context => ({
    // As the workflow records it.
    lastCheckpoint: JSON.parse(JSON.stringify({ asked: question.asks.state, answer })) as Json,
  });
  return { tool, call, asked, answered };
}

const MANY = formRequest('How many?');

/** A server whose tool asks until it has all answers. */
function asking(requests: object, requestState?: string): Promise<Server2026> {
  return server2026(['book'], {
    'tools/call': ({ inputResponses }) =>
      inputResponses === undefined
        ? { resultType: 'input_required', inputRequests: requests, requestState }
        : textResult(JSON.stringify(inputResponses)),
  });
}

describe('a server of 2026-07-28', () => {
  test('is spoken to without a session, and gets what our client can do with each call', async () => {
    const server = await server2026(['add'], { 'tools/call': () => textResult('3') });
    const { call } = await caller(server.url);
    expect(await call({ idempotencyKey: 'k' })).toBe('3');
    const [{ _meta: meta } = {}] = server.sentBy('tools/call');
    expect(meta).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
      'reloop/idempotency-key': 'k',
    });
  });

  test('may answer with parts of an unknown kind', async () => {
    const video = { type: 'video', url: 'x' };
    const server = await server2026(['film'], { 'tools/call': () => ({ content: [video] }) });
    const { call } = await caller(server.url);
    expect(await call()).toContain('[content of the unknown kind "video"]');
  });
});

describe('a question of a call', () => {
  test('is shown to a person, and the answer goes along with the repeated call, with the state of the server', async () => {
    const server = await asking({ many: MANY }, 'state-1');
    const { asked, answered, call } = await caller(server.url);
    const question = await asked();
    expect(question.question).toEqual({
      question: 'How many?',
      schema: MANY.params.requestedSchema,
      from: `MCP server ${new URL(server.url).origin}`,
    });
    expect(question.asks.schema).toEqual(MANY.params.requestedSchema);
    expect(await call(answered(question, { count: 3 }))).toBe(
      '{"many":{"action":"accept","content":{"count":3}}}',
    );
    expect(server.sentBy('tools/call')[1]).toMatchObject({ requestState: 'state-1' });
  });

  test.each<[what: string, answer: Json, sent: object]>([
    ['a text is read as the first field', '3', { action: 'accept', content: { count: 3 } }],
    [
      'a whole answer is one',
      { action: 'accept', content: { count: 3 } },
      { action: 'accept', content: { count: 3 } },
    ],
    ['no is an answer', { action: 'decline' }, { action: 'decline' }],
    ['so is not to have chosen', { action: 'cancel' }, { action: 'cancel' }],
  ])('has several forms of answers: %s', async (_what, answer, sent) => {
    const { asked, answered, call } = await caller((await asking({ many: MANY })).url);
    expect(JSON.parse(String(await call(answered(await asked(), answer))))).toEqual({ many: sent });
  });

  test('may be one of several, which are asked one after the other before the call is repeated', async () => {
    const page = {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Sign in.', url: 'https://a.example/s' },
    };
    const server = await asking({ many: MANY, page });
    const { asked, answered, call } = await caller(server.url);
    const first = await asked();
    const second = await asked(answered(first, { count: 3 }));
    expect(second.question).toMatchObject({ question: 'Sign in.', url: 'https://a.example/s' });
    expect(server.sentBy('tools/call')).toHaveLength(1);
    const output = JSON.parse(String(await call(answered(second, 'done')))) as object;
    expect(output).toEqual({ many: { action: 'accept', content: { count: 3 } }, page: { action: 'accept' } });
  });

  test('that no person can answer fails the call for good', async () => {
    const { call } = await caller(
      (await asking({ s: { method: 'sampling/createMessage', params: {} } })).url,
    );
    const error = {
      name: 'ToolBadResponse',
      retryable: false,
      message: expect.stringContaining('sampling/createMessage'),
    };
    await expect(call()).rejects.toMatchObject(error);
  });

  test('may be a page that has to be opened first: the call is repeated after that, and not made without it', async () => {
    const page = { mode: 'url', message: 'Sign in.', url: 'https://a.example/s', elicitationId: 'e1' };
    let open = false;
    const server = await server2026(['pay'], {
      'tools/call': () =>
        open
          ? textResult('paid')
          : { error: { code: -32_042, message: 'first', data: { elicitations: [page] } } },
    });
    const { asked, answered, call } = await caller(server.url);
    const question = await asked();
    expect(question.question).toMatchObject({ question: 'Sign in.', url: 'https://a.example/s' });
    await expect(call(answered(question, { action: 'decline' }))).rejects.toMatchObject({
      name: 'ToolError',
    });
    open = true;
    expect(await call(answered(question, 'done'))).toBe('paid');
  });
});

describe('a question of a server of 2025-11-25, in the course of a call', () => {
  test('is answered when the call is made again', async () => {
    const server = await mcpHttpServer();
    const { asked, answered, call } = await caller(server.url, { only: ['ask'] });
    const question = await asked();
    expect(question.question).toMatchObject({ question: 'Really?' });
    expect(await call(answered(question, { ok: true }))).toBe('{"action":"accept","content":{"ok":true}}');
    expect(await call(answered(question, { action: 'decline' }))).toBe('{"action":"decline"}');
  });

  test('of a tool that may take effect once is refused, and the call fails for good', async () => {
    const server = await mcpHttpServer();
    const { call } = await caller(server.url, { only: ['ask'], effects: 'once' });
    const message = expect.stringMatching(/: ask asks a person in the course of the call \(elicitation/u);
    await expect(call()).rejects.toMatchObject({ name: 'ToolBadResponse', retryable: false, message });
  });
});

describe('a task of a server', () => {
  /** A server whose call becomes a task; its states, one after the other, the last one for ever. */
  async function withTask(...states: object[]) {
    const left = [...states];
    const server = await server2026(['work'], {
      'tools/call': () => ({ resultType: 'task', taskId: 't-1', status: 'working', pollIntervalMs: 1 }),
      'tasks/get': () => ({
        taskId: 't-1',
        pollIntervalMs: 1,
        ...(left.length > 1 ? left.shift() : left[0]),
      }),
      'tasks/update': () => ({}),
      'tasks/cancel': () => ({}),
    });
    const stored: Json[] = [];
    const checkpoint = (value: Json) => Promise.resolve(void stored.push(value));
    return { server, stored, checkpoint, ...(await caller(server.url)) };
  }
  const done = { status: 'completed', result: textResult('it is done') };

  test('is followed to its end, and its id is stored before', async () => {
    const progress: string[] = [];
    const { call, stored, checkpoint, server } = await withTask(
      { status: 'working', statusMessage: 'half' },
      done,
    );
    expect(await call({ checkpoint, progress: (text) => progress.push(text) })).toBe('it is done');
    const { origin } = new URL(server.url);
    expect([stored, progress]).toEqual([[{ task: 't-1', server: origin }], ['half']]);
  });

  test('is not begun twice: a later attempt looks at the same one', async () => {
    const { call, server } = await withTask(done);
    expect(await call({ lastCheckpoint: { task: 't-1' } })).toBe('it is done');
    expect(server.sent.map(({ method }) => method)).toEqual(['tasks/get']);
  });

  test('may ask a person, and gets the answer once', async () => {
    const asks = { status: 'input_required', inputRequests: { many: MANY } };
    const { call, asked, answered, checkpoint, server } = await withTask(
      asks,
      asks,
      { status: 'working' },
      done,
    );
    const question = await asked({ checkpoint });
    expect(await call(answered(question, { count: 3 }))).toBe('it is done');
    const inputResponses = { many: { action: 'accept', content: { count: 3 } } };
    expect(server.sentBy('tasks/update')).toMatchObject([{ taskId: 't-1', inputResponses }]);
    expect(server.sentBy('tools/call')).toHaveLength(1);
  });

  test('that fails is an error of the call, and the next attempt begins another one', async () => {
    const error = { code: -32_603, message: 'the disk is full' };
    const { call, stored, checkpoint } = await withTask({ status: 'failed', error });
    await expect(call({ checkpoint })).rejects.toMatchObject({
      name: 'McpError',
      message: 'the disk is full',
    });
    expect(stored.at(-1)).toBeNull();
  });

  test('continues when an attempt ends, and is cancelled by the id in the checkpoint', async () => {
    const { tool, call, stored, server, checkpoint } = await withTask({ status: 'working' });
    const ended = new AbortController();
    const result = call({ checkpoint, signal: ended.signal });
    await expect.poll(() => server.sentBy('tasks/get').length).toBeGreaterThan(1);
    ended.abort(new Error('enough'));
    await expect(result).rejects.toThrow('enough');
    expect(server.sentBy('tasks/cancel')).toEqual([]);
    await tool?.cancel?.({} as never, toolContext({ lastCheckpoint: stored.at(-1) }));
    expect(server.sentBy('tasks/cancel')).toMatchObject([{ taskId: 't-1' }]);
  });

  test.each([
    ['does not know the task', { error: { code: -32_602, message: 'no such task' } }, false],
    ['fails for its own reasons', { error: { code: -32_603, message: 'the disk is full' } }, undefined],
  ])('is not cancelled where the server %s', async (_what, answer, retryable) => {
    const server = await server2026(['work'], { 'tasks/cancel': () => answer });
    const { tool } = await caller(server.url);
    const cancelled = tool?.cancel?.({} as never, toolContext({ lastCheckpoint: { task: 't-1' } }));
    const message = expect.stringContaining(answer.error.message);
    await expect(cancelled).rejects.toMatchObject({ message, ...(retryable === false && { retryable }) });
  });

  test('of a tool that may take effect once may be looked at again', async () => {
    const { server } = await withTask(done);
    const { tool } = await caller(server.url, { effects: 'once' });
    const reconciled = (lastCheckpoint?: Json) =>
      tool?.reconcile?.({} as never, toolContext({ lastCheckpoint }));
    expect([reconciled({ task: 't-1' }), reconciled()]).toEqual([
      { status: 'notDone' },
      { status: 'unknown' },
    ]);
  });
});
