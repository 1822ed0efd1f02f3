import { expect, onTestFinished, test } from 'vitest';
import { mcp } from '../../tools/index.ts';
import { formRequest, server2026, textResult } from '../support/mcp-2026.ts';
import { startRig } from '../support/rig.ts';
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
