import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fieldOf } from '../../agent/values/values.ts';
import { createGateway } from '../../gateway/gateway.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { ALL_ABILITIES, mcpAnswer, mcpRequest } from '../support/mcp-requests.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

const paid: string[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'pays after an approval',
  approval: 'always',
  run(input) {
    paid.push(input);
    return `paid ${input}`;
  },
});
const ask = defineTool({
  name: 'ask',
  description: 'asks a person',
  async run(input, context) {
    await context.defer();
    return `Which ${input}?`;
  },
});
const broken = defineTool({
  name: 'broken',
  description: 'fails',
  onFailure: 'fail',
  retry: { maxAttempts: 1 },
  run: () => Promise.reject(new Error('no paper')),
});
const slow = defineTool({
  name: 'slow',
  description: 'waits until it is cancelled',
  run: (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      slowCalls.begun += 1;
      signal.addEventListener('abort', () => {
        slowCalls.cancelled += 1;
        reject(signal.reason as Error);
      });
    }),
});
const slowCalls = { begun: 0, cancelled: 0 };
const order = defineTool({
  name: 'order',
  description: 'orders in the background, after an approval',
  approval: 'always',
  background: true,
  run: (input) => `ordered ${input}`,
});
const agents = [
  { name: 'clerk', model: script(answer('forty-two')), tools: [] },
  { name: 'payer', model: script(act('pay', 'x'), answer('done')), tools: [pay] },
  { name: 'orderer', model: script(act('order', 'x'), answer('soon'), answer('ordered')), tools: [order] },
  { name: 'asker', model: script(act('ask', 'colour'), answer('noted')), tools: [ask] },
  { name: 'unlucky', model: script(act('broken', 'x')), tools: [broken] },
  { name: 'patient', model: script(act('slow', 'x'), answer('never')), tools: [slow] },
];
const rig = useRig({ agents });

const may = ['own-approvals'] as const;
const ann = { token: 'token-of-ann-0123456789', name: 'ann', scopes: ['run', 'decide'], may } as const;
const ben = { ...ann, token: 'token-of-ben-0123456789', name: 'ben' } as const;
const clara = { token: 'token-of-clara-012345678', name: 'clara', scopes: ['run'] } as const;

/** A request by itself, to an instance of its own. */
async function send(
  caller: TokenCaller,
  method: string,
  params: object,
  capabilities: object = ALL_ABILITIES,
): Promise<{ result?: Fields; error?: { code: number; message: string } }> {
  const gateway = createGateway(rig.client, { tokens: [ann, ben, clara], agents });
  const { body, headers } = mcpRequest(method, params, capabilities);
  const response = await gateway.fetch(
    new Request('http://gateway/mcp', {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${caller.token}` },
      body: JSON.stringify(body),
    }),
  );
  return mcpAnswer(await response.text()) as Awaited<ReturnType<typeof send>>; // a message of JSON-RPC
}

interface Fields {
  [field: string]: unknown;
}
const textOf = (result: unknown) => fieldOf(fieldOf(fieldOf(result, 'content'), '0'), 'text');
const begin = async (caller: TokenCaller, name: string, more: object = {}) => {
  const { result } = await send(caller, 'tools/call', { name, arguments: { input: 'Go.' }, ...more });
  return result ?? {};
};
const get = async (caller: TokenCaller, taskId: unknown, capabilities?: object) =>
  (await send(caller, 'tasks/get', { taskId }, capabilities)).result ?? {};
/** The task when it has come to a state. */
const reach = async (caller: TokenCaller, taskId: unknown, status: string): Promise<Fields> => {
  await expect.poll(async () => (await get(caller, taskId))['status'], { timeout: 10_000 }).toBe(status);
  return get(caller, taskId);
};
const accept = (decision: string, text?: string) => ({ action: 'accept', content: { decision, text } });

test('a server says by server/discover which revision and which extension it speaks', async () => {
  const { result } = await send(ann, 'server/discover', {});
  expect(result).toMatchObject({
    supportedVersions: ['2026-07-28'],
    capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  });
});

describe('a run as a task', () => {
  test('has the id and the dates of the run, and its answer when it has ended', async () => {
    const begun = await begin(ann, 'clerk');
    expect(begun).toMatchObject({ resultType: 'task', ttlMs: null, status: expect.any(String) });
    const ended = await reach(ann, begun['taskId'], 'completed');
    expect(ended).toMatchObject({ resultType: 'complete', createdAt: expect.stringMatching(/^20.*Z$/u) });
    expect(ended['result']).toMatchObject({ resultType: 'complete' });
    expect(textOf(ended['result'])).toBe('forty-two');
    const { status, output } = await rig.client.get(String(begun['taskId'])).describe();
    expect([status, output]).toEqual(['completed', 'forty-two']);
  });

  test('is the same for the same idempotency key', async () => {
    const keyed = { _meta: { 'reloop/idempotency-key': 'task-1' } };
    const first = await begin(ann, 'clerk', keyed);
    expect((await begin(ann, 'clerk', keyed))['taskId']).toBe(first['taskId']);
  });

  test('asks for a decision, takes the answer once, and goes on', async () => {
    const { taskId } = await begin(ann, 'payer');
    const asking = await reach(ann, taskId, 'input_required');
    expect(asking['inputRequests']).toMatchObject({
      '1.1:0': { method: 'elicitation/create', params: { message: expect.stringContaining('pay (1.1)') } },
    });
    const before = paid.length;
    const answers = { taskId, inputResponses: { '1.1:0': accept('approve') } };
    expect((await send(ann, 'tasks/update', answers)).result).toMatchObject({ resultType: 'complete' });
    expect((await send(ann, 'tasks/update', answers)).error).toBeUndefined();
    expect(textOf((await reach(ann, taskId, 'completed'))['result'])).toBe('done');
    expect(paid.length).toBe(before + 1);
  });

  test('asks for a decision on a background call, and has the answer that the model gives with the result', async () => {
    const { taskId } = await begin(ann, 'orderer');
    await reach(ann, taskId, 'input_required');
    await send(ann, 'tasks/update', { taskId, inputResponses: { '1.1:0': accept('approve') } });
    expect(textOf((await reach(ann, taskId, 'completed'))['result'])).toBe('ordered');
  });

  test('tells the note of a call that waits for its result, and takes the result', async () => {
    const { taskId } = await begin(ann, 'asker');
    const { inputRequests } = await reach(ann, taskId, 'input_required');
    expect(JSON.stringify(inputRequests)).toContain('Which colour?');
    await send(ann, 'tasks/update', { taskId, inputResponses: { '1.1:0': accept('resolve', 'red') } });
    await reach(ann, taskId, 'completed');
    const { intermediateSteps } = await rig.client.get(String(taskId)).describe();
    expect(intermediateSteps).toMatchObject([{ observation: 'red' }]);
  });

  test('refuses a decision that the wait does not take, and stays as it is when a person declines', async () => {
    const { taskId } = await begin(ann, 'payer');
    await reach(ann, taskId, 'input_required');
    const wrong = { taskId, inputResponses: { '1.1:0': accept('skip') } };
    expect((await send(ann, 'tasks/update', wrong)).error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Possible: approve, reject'),
    });
    const declined = { taskId, inputResponses: { '1.1:0': { action: 'decline' } } };
    expect((await send(ann, 'tasks/update', declined)).error).toBeUndefined();
    expect((await send(ann, 'tasks/update', { taskId })).error).toMatchObject({ code: -32_602 });
    expect(await get(ann, taskId)).toMatchObject({ status: 'input_required' });
  });

  test('that failed is a call that has completed with an error', async () => {
    const { taskId } = await begin(ann, 'unlucky');
    const { result } = await reach(ann, taskId, 'completed');
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 'failed' } });
  });

  test('is cancelled with its tool, and cancelling it again changes nothing', async () => {
    const { taskId } = await begin(ann, 'patient');
    await expect.poll(() => slowCalls.begun).toBe(1);
    expect((await send(ann, 'tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
    await reach(ann, taskId, 'cancelled');
    expect(slowCalls.cancelled).toBe(1);
    expect((await send(ann, 'tasks/cancel', { taskId })).error).toBeUndefined();
  });

  test('works on for a client that cannot ask its person', async () => {
    const { taskId } = await begin(ann, 'payer');
    await reach(ann, taskId, 'input_required');
    const { extensions } = ALL_ABILITIES;
    expect(await get(ann, taskId, { extensions })).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('waits for a person'),
    });
  });
});

describe('the rights to a task', () => {
  test('are those to its run: others do not find it', async () => {
    const { taskId } = await begin(ann, 'payer');
    await reach(ann, taskId, 'input_required');
    for (const [method, more] of [
      ['tasks/get', {}],
      ['tasks/update', { inputResponses: { '1.1:0': accept('reject') } }],
      ['tasks/cancel', {}],
    ] as const) {
      const { error } = await send(ben, method, { taskId, ...more });
      expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining('no run') });
    }
    expect(await get(ann, taskId)).toMatchObject({ status: 'input_required' });
  });

  test('need scopes: who may only run is not asked, and can neither decide nor cancel', async () => {
    const { taskId } = await begin(clara, 'payer');
    await expect.poll(async () => (await rig.client.get(String(taskId)).describe()).status).toBe('waiting');
    expect(await get(clara, taskId)).toMatchObject({ status: 'working' });
    const inputResponses = { '1.1:0': accept('approve') };
    for (const method of ['tasks/update', 'tasks/cancel'])
      expect((await send(clara, method, { taskId, inputResponses })).error?.message).toContain(
        'scope decide',
      );
  });

  test('need the extension in the request', async () => {
    const { taskId } = await begin(ann, 'clerk');
    const { error } = await send(ann, 'tasks/get', { taskId }, {});
    expect(error).toMatchObject({ code: -32_021 });
  });
});

describe('a call without tasks that waits for a person', () => {
  const asking = { elicitation: {} };
  const params = { name: 'payer', arguments: { input: 'Go.' } };
  const wait = async (more: object = {}) =>
    (await send(ann, 'tools/call', { ...params, ...more }, asking)).result ?? {};
  const repeat = (caller: TokenCaller, state: unknown, more: object = {}) =>
    send(
      caller,
      'tools/call',
      { ...params, requestState: state, inputResponses: { '1.1:0': accept('approve') }, ...more },
      asking,
    );

  test('is repeated with the answer, and continues the same run', async () => {
    const first = await wait();
    expect(first).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const before = paid.length;
    const { result } = await repeat(ann, first['requestState']);
    expect([textOf(result), paid.length]).toEqual(['done', before + 1]);
    expect(textOf((await repeat(ann, first['requestState'])).result)).toBe('done');
    expect(paid.length).toBe(before + 1);
  });

  test('lists the decisions when the person declines', async () => {
    const { requestState } = await wait();
    const declined = { inputResponses: { '1.1:0': { action: 'decline' } } };
    const { result } = await repeat(ann, requestState, declined);
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'waiting' } });
  });

  test.each(['', 'a-key-of-this-test-with-32-letters'])(
    'is not continued by others, with another question, or with another state (key: "%s")',
    async (key) => {
      vi.stubEnv('RELOOP_DEFER_KEY', key);
      onTestFinished(() => void vi.unstubAllEnvs());
      const { requestState } = await wait();
      const before = paid.length;
      const refusals = await Promise.all([
        repeat(ben, requestState),
        repeat(ann, requestState, { arguments: { input: 'Go on.' } }),
        repeat(ann, requestState, { name: 'clerk' }),
        repeat(ann, `${String(requestState).slice(0, -9)}AAAAAAAAA`),
        repeat(ann, 'made up'),
      ]);
      for (const { result, error } of refusals)
        expect(error ?? result).toMatchObject(error === undefined ? { isError: true } : { code: -32_602 });
      expect(paid.length).toBe(before);
    },
  );

  test('is signed with the key, so that a state of the same run without a signature is refused', async () => {
    const unsigned = (await wait())['requestState'];
    vi.stubEnv('RELOOP_DEFER_KEY', 'a-key-of-this-test-with-32-letters');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await repeat(ann, unsigned)).error).toMatchObject({ code: -32_602 });
  });
});
