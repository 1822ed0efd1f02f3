import { describe, expect, onTestFinished, test } from 'vitest';
import { mcp } from '../../adapters/tools/index.ts';
import { formRequest, server2026, textResult } from '../support/mcp-2026.ts';
import type { AgentRun } from '../../client/index.ts';
import { eventsOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

const model = () => {
  const replies = [act('book', '{}'), answer('done')];
  return modelOf((step) => replies[Number(step) - 1] ?? '');
};

async function rigFor(url: string, options: Parameters<typeof mcp>[1] = {}) {
  const tools = await mcp({ url }, { retry: { initialInterval: 1 }, ...options });
  const rig = await startRig({ agents: [{ name: 'a', model: model(), tools }] });
  onTestFinished(() => rig.stop());
  return rig;
}

test.each(['idempotent', 'once'] as const)(
  'a question of an MCP server waits for a person, over the end of its worker, and the answer goes to the server (%s)',
  async (effects) => {
    const server = await server2026(['book'], {
      'tools/call': ({ inputResponses, requestState }) =>
        inputResponses === undefined
          ? {
              resultType: 'input_required',
              inputRequests: { many: formRequest('How many?') },
              requestState: 's-1',
            }
          : textResult(JSON.stringify([inputResponses, requestState])),
    });
    const rig = await rigFor(server.url, { effects });
    const run = await rig.client.start('a', 'Book rooms.');
    await expect.poll(async () => (await run.describe()).waiting.length).toBe(1);
    const [waiting] = (await run.describe()).waiting;
    expect(waiting).toMatchObject({ call: '1.1', reason: 'deferred', note: { question: 'How many?' } });
    const wrong = run.decide('1.1', { type: 'resolve', output: { rooms: 2 } });
    await expect(wrong).rejects.toThrow(
      /does not fit the question of 1\.1: count is missing; it takes count/u,
    );
    await rig.restart();
    await run.decide('1.1', { type: 'resolve', output: { count: 2 } });
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('done');
    expect(intermediateSteps).toMatchObject([
      { observation: '[{"many":{"action":"accept","content":{"count":2}}},"s-1"]' },
    ]);
    expect(server.sentBy('tools/call')).toHaveLength(2);
  },
);

test('a task of an MCP server is followed by the next worker, and not begun twice', async () => {
  let looks = 0;
  const server = await server2026(['book'], {
    'tools/call': () => ({ resultType: 'task', taskId: 't-1', status: 'working' }),
    'tasks/get': () => ({
      pollIntervalMs: 50,
      ...(++looks < 4
        ? { status: 'working' }
        : looks === 4
          ? { status: 'input_required', inputRequests: { many: formRequest('How many?') } }
          : { status: 'completed', result: textResult('booked') }),
    }),
    'tasks/update': () => ({}),
  });
  const rig = await rigFor(server.url);
  const run = await rig.client.start('a', 'Book rooms.');
  await expect.poll(() => looks).toBeGreaterThan(1);
  await rig.restart();
  await expect.poll(async () => (await run.describe()).waiting.length).toBe(1);
  await run.decide('1.1', { type: 'resolve', output: '2' });
  expect((await run.result()).intermediateSteps).toMatchObject([{ observation: 'booked' }]);
  expect(server.sentBy('tools/call')).toHaveLength(1);
  expect(server.sentBy('tasks/update')).toMatchObject([
    { inputResponses: { many: { action: 'accept', content: { count: 2 } } } },
  ]);
});

describe('a task of an MCP server whose call has no use for it any more', () => {
  type Server = Awaited<ReturnType<typeof server2026>>;
  const states = { 'tasks/cancel': () => ({}), 'tasks/update': () => ({}) };
  const working = { ...states, 'tasks/get': () => ({ status: 'working', pollIntervalMs: 50 }) };
  const asking = {
    ...states,
    'tasks/get': () => ({ status: 'input_required', inputRequests: { many: formRequest('How many?') } }),
  };

  async function begun(task: Parameters<typeof server2026>[1]) {
    const server = await server2026(['book'], {
      'tools/call': () => ({ resultType: 'task', taskId: 't-1', status: 'working' }),
      ...task,
    });
    const rig = await rigFor(server.url);
    const run = await rig.client.start('a', 'Book rooms.');
    await expect.poll(() => server.sentBy('tasks/get').length).toBeGreaterThan(0);
    return { server, rig, run };
  }
  const cancels = (server: Server) => server.sentBy('tasks/cancel').map(({ taskId }) => taskId);
  const statusOf = async (run: AgentRun) => (await run.describe()).status;

  test('is cancelled with the run, also where no worker was there at that time', async () => {
    const { server, rig, run } = await begun(working);
    await rig.restart(() => run.cancel());
    await expect.poll(() => statusOf(run), { timeout: 10_000 }).toBe('cancelled');
    expect(cancels(server)).toEqual(['t-1']);
  });

  test('is cancelled with its call, and again until the server has heard of it', async () => {
    let times = 0;
    const { server, run } = await begun({
      ...working,
      'tasks/cancel': () => (++times === 1 ? 503 : {}),
    });
    await run.decide('1.1', { type: 'cancelCall' });
    expect((await run.result()).output).toBe('done');
    expect(cancels(server)).toEqual(['t-1', 't-1']);
  });

  test('is cancelled when a person skips the question of it', async () => {
    const { server, run } = await begun(asking);
    await expect.poll(async () => (await run.describe()).waiting.length).toBe(1);
    await run.decide('1.1', { type: 'skip' });
    expect((await run.result()).output).toBe('done');
    expect(cancels(server)).toEqual(['t-1']);
  });

  test('is in the history of the run: an event has its id', async () => {
    const { run } = await begun({
      ...working,
      'tasks/get': () => ({ status: 'completed', result: textResult('booked') }),
    });
    await run.result();
    const stored = (await eventsOf(run)).filter(({ type }) => type === 'checkpoint');
    const server = expect.stringContaining('http://127.0.0.1') as string;
    expect(stored).toMatchObject([{ call: '1.1', checkpoint: { task: 't-1', server } }]);
  });
});
