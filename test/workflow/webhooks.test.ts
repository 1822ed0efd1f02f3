import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ConfigDefinition } from '../../config/define.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { allOf } from '../support/all-of.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { guarded } from '../support/sample-tools.ts';
import { act, answer, script } from '../support/scripts.ts';

/** A webhook as a receiver got it, and what the receiver answered. */
interface Received {
  id: string;
  attempt: number;
  body: { type: string; data: { id: string; [field: string]: unknown } };
}

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ok!').toString('base64')}`;
const received: Received[] = [];
/** Answers by path; default 204. */
const answers = new Map<string, (response: ServerResponse, attempt: number) => void>();

const receiver = createServer((request, response) => void receive(request, response));
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const payload = await text(request);
  const { url = '', headers } = request;
  const id = String(headers['webhook-id']);
  const attempt = received.filter((one) => one.id === id).length + 1;
  const body = new Webhook(secret).verify(payload, headers as { [name: string]: string }) as Received['body'];
  received.push({ id, attempt, body });
  const respond = answers.get(url);
  if (respond === undefined) response.writeHead(204).end();
  else respond(response, attempt);
}

const broken = defineTool({
  name: 'broken',
  description: 'breaks',
  onFailure: 'fail',
  retry: { maxAttempts: 1 },
  run: () => Promise.reject(new Error('no paper')),
});
const config: ConfigDefinition = {
  agents: [
    { name: 'asks', model: script(act('guarded', 'x'), answer('done')), tools: [guarded] },
    { name: 'plain', model: script(answer('25')) },
    { name: 'breaks', model: script(act('broken', 'x')), tools: [broken] },
    {
      name: 'boss',
      model: script(act('asks', 'do it'), answer('all done')),
      tools: [agentTool({ agent: 'asks', description: 'does it' })],
    },
  ],
};
const rig = useRig(config);
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  const { port } = receiver.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  config.webhooks = [
    {
      on: ['waiting', 'completed', 'failed', 'cancelled'],
      url: `${url}/secret-path`,
      secret,
      webUi: 'http://127.0.0.1:8233/',
    },
    { on: ['completed'], url: `${url}/tagged`, secret, name: 'tagged', tags: ['vip'], agents: ['plain'] },
  ];
  await rig.restart();
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const of = (id: string) => received.filter(({ body }) => body.data.id === id);
/** Types of the webhooks of a run, when so many have come. */
async function typesOf(id: string, count: number): Promise<string[]> {
  await vi.waitUntil(() => of(id).length >= count, { timeout: 30_000 });
  return of(id).map(({ body }) => body.type);
}

test('a wait and the end of a run are sent, signed, with the decisions and a link', async () => {
  const run = await rig.client.start('asks', 'Do it.', { tags: ['a'] });
  const wait = await waitOf(run);
  expect(await typesOf(run.id, 1)).toEqual(['run.waiting']);
  const [{ body }] = of(run.id) as [Received];
  const { runId } = await run.describe();
  expect(body).toMatchObject({
    type: 'run.waiting',
    timestamp: expect.stringMatching(/^20\d\d-.*Z$/u) as string,
    data: {
      id: run.id,
      runId,
      agent: 'asks',
      tags: ['a'],
      status: 'waiting',
      waiting: { call: '1.1', tool: 'guarded', toolInput: 'x', reason: 'approval' },
      url: `http://127.0.0.1:8233/namespaces/default/workflows/${run.id}/${runId}`,
    },
  });
  expect(body.data['waiting']).toMatchObject({
    decisions: expect.arrayContaining(['approve', 'reject']) as string[],
  });
  await run.decide(wait.call, { type: 'approve' });
  await run.result();
  expect(await typesOf(run.id, 2)).toEqual(['run.waiting', 'run.completed']);
  expect(of(run.id).at(-1)?.body.data).toMatchObject({ output: 'done', stopReason: 'final_answer' });
  expect(new Set(of(run.id).map(({ id }) => id)).size).toBe(2);
});

test('a failed and a cancelled run say so', async () => {
  const failed = await rig.client.start('breaks', 'x');
  await expect(failed.result()).rejects.toThrow('no paper');
  expect(await typesOf(failed.id, 1)).toEqual(['run.failed']);
  expect(of(failed.id)[0]?.body.data).toMatchObject({ error: { message: 'no paper' } });
  const cancelled = await rig.client.start('asks', 'x');
  await waitOf(cancelled);
  expect(await typesOf(cancelled.id, 1)).toEqual(['run.waiting']);
  await cancelled.cancel();
  await expect(cancelled.result()).rejects.toMatchObject({ name: 'AgentRunCancelled' });
  expect(await typesOf(cancelled.id, 2)).toEqual(['run.waiting', 'run.cancelled']);
});

test('agents and tags choose the runs', async () => {
  const plain = await rig.client.start('plain', 'x');
  const vip = await rig.client.start('plain', 'x', { tags: ['vip'] });
  expect(await typesOf(vip.id, 2)).toEqual(['run.completed', 'run.completed']);
  expect(await typesOf(plain.id, 1)).toEqual(['run.completed']);
});

test("the parent announces a sub-agent's wait, once", async () => {
  const run = await rig.client.start('boss', 'Do it.');
  const wait = await waitOf(run);
  expect(await typesOf(run.id, 1)).toEqual(['run.waiting']);
  expect(of(run.id)[0]?.body.data['waiting']).toMatchObject({ call: wait.call, tool: 'guarded' });
  await run.decide(wait.call, { type: 'approve' });
  await run.result();
  expect(await typesOf(run.id, 2)).toEqual(['run.waiting', 'run.completed']);
  expect(received.filter(({ body }) => body.data.id.startsWith(`${run.id}/`))).toEqual([]);
});

test('a receiver that does not answer holds no run, and gets the same webhook from the next worker', async () => {
  let release = () => undefined as unknown;
  answers.set('/secret-path', (response, attempt) => {
    if (attempt === 1) release = () => response.writeHead(503, { 'retry-after': '1' }).end();
    else response.writeHead(204).end();
  });
  const run = await rig.client.start('plain', 'x');
  expect((await run.result()).output).toBe('25');
  expect(await typesOf(run.id, 1)).toEqual(['run.completed']);
  release();
  await rig.restart();
  expect(await typesOf(run.id, 2)).toEqual(['run.completed', 'run.completed']);
  expect(new Set(of(run.id).map(({ id }) => id)).size).toBe(1);
  answers.clear();
});

test('a redirect is not followed, and 410 ends the delivery', async () => {
  answers.set('/secret-path', (response, attempt) => {
    if (attempt > 1) response.writeHead(410).end();
    else response.writeHead(307, { location: '/elsewhere', 'retry-after': '1' }).end();
  });
  const run = await rig.client.start('plain', 'x');
  expect(await typesOf(run.id, 2)).toEqual(['run.completed', 'run.completed']);
  const { workflow } = rig.temporal;
  const [delivery] = (
    await allOf(
      workflow.list({ query: `WorkflowType = "webhookDelivery" AND WorkflowId STARTS_WITH "webhook:"` }),
    )
  ).filter(({ workflowId }) => workflowId.includes(of(run.id)[0]?.id.slice('msg_'.length) ?? 'none'));
  const handle = workflow.getHandle(delivery?.workflowId ?? '');
  await expect(handle.result()).rejects.toMatchObject({ cause: { cause: { type: 'WebhookNotDelivered' } } });
  const histories = await Promise.all([handle, workflow.getHandle(run.id)].map((one) => one.fetchHistory()));
  const recorded = JSON.stringify(histories, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
  expect(recorded).toContain(run.id);
  for (const hidden of [secret, 'secret-path']) expect(recorded).not.toContain(hidden);
  answers.clear();
});
