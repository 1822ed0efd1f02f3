import type { Task } from '@a2a-js/sdk';
import { AgentCard, type StreamResponse } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import { createGateway } from '../../gateway/gateway.ts';
import { a2aClient, answerAfter, answerOf, sent } from '../support/a2a-client.ts';
import { type Who, useFrontRig } from '../support/front-rig.ts';

const front = useFrontRig();
const { rig, gate } = front;

function clientOf(agent: string, who: Who = 'root', isOld = false): Promise<Client> {
  return a2aClient(`${front.url}/a2a/${agent}/`, { headers: front.headersOf(who), isOld });
}

const stateOf = (task: Task | undefined) => task?.status?.state;
const STATES = { submitted: 1, completed: 3, canceled: 5, asking: 6 } as const;

/** A reply to a message that starts or continues a task. */
async function send(client: Client, ...message: Parameters<typeof sent>): Promise<Task> {
  const answer = await client.sendMessage(sent(...message));
  if ('messageId' in answer) throw new Error('A message is no task.');
  return answer;
}

async function read(stream: AsyncIterable<StreamResponse>, seen: StreamResponse[] = []) {
  for await (const event of stream) seen.push(event);
  return seen;
}

describe.each([
  ['1.0', false],
  ['0.3', true],
])('a client of A2A %s', (version, isOld) => {
  test('asks, and the context keeps the conversation', async () => {
    const client = await clientOf('echo', 'ann', isOld);
    expect(client.protocolVersion).toBe(version);
    const contextId = `trip-${version}`;
    const first = await send(client, 'I am Ann.', { contextId });
    expect([first.contextId, stateOf(first)]).toEqual([contextId, STATES.completed]);
    const second = await send(client, 'Who?', { contextId });
    expect(answerOf(second)).toMatch(/I am Ann\..*Who\?/u);
    const { runs } = await rig.client.session(`front-acme.${contextId}`).describe();
    expect(runs).toEqual([first.id, second.id]);
    expect(await client.getTask({ tenant: '', id: second.id })).toEqual(second);
  });

  test('approves what a task asks', async () => {
    const client = await clientOf('careful', 'root', isOld);
    const asked = await send(client, 'Do it.');
    expect(stateOf(asked)).toBe(STATES.asking);
    const task = await send(client, 'approve', { taskId: asked.id });
    expect([task.id, stateOf(task), answerOf(task)]).toEqual([asked.id, STATES.completed, 'done']);
  });

  test('streams a text and subscribes again after the connection was lost', async () => {
    const client = await clientOf('slow', 'root', isOld);
    const seen: StreamResponse[] = [];
    const lost = read(client.sendMessageStream(sent('x')), seen).then(
      () => 'ended',
      () => 'broke',
    );
    await expect.poll(() => seen.reduce(answerAfter, ''), { timeout: 10_000 }).toBe('The first half, ');
    front.cut();
    await expect(lost).resolves.toBe('broke');
    const [first] = seen;
    const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
    const events: StreamResponse[] = [];
    const rest = read(client.resubscribeTask({ tenant: '', id }), events);
    await expect.poll(() => events.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await gate.open();
    await rest;
    expect(events[0]?.payload?.$case).toBe('task');
    expect(events.reduce(answerAfter, '')).toBe('The first half, and the second.');
    expect(answerOf(await client.getTask({ tenant: '', id }))).toBe('The first half, and the second.');
  });
});

test('a reply as data is a decision, and has its effect once', async () => {
  const client = await clientOf('careful');
  const { id } = await send(client, 'Do it.');
  const decision = sent({ type: 'approve', call: '1.1', wait: 0, input: { __arg1: 'y' } }, { taskId: id });
  const events = await read(client.sendMessageStream(decision));
  expect(events.at(-1)).toMatchObject({ payload: { value: { status: { state: STATES.completed } } } });
  expect(await client.sendMessage(decision)).toMatchObject({ id, status: { state: STATES.completed } });
  const late = sent({ type: 'reject', call: '1.1', wait: 0 }, { taskId: id });
  await expect(client.sendMessage(late)).rejects.toThrow('was decided before by ');
  await expect(send(client, 'approve', { taskId: id })).rejects.toThrow(`Task ${id} is over`);
  const { intermediateSteps } = await rig.client.get(id).describe();
  expect(intermediateSteps).toMatchObject([{ observation: 'did y' }]);
});

test('a failed call asks too', async () => {
  const client = await clientOf('printer');
  const { id, status } = await send(client, 'Print.');
  expect(JSON.stringify(status?.message?.parts)).toContain('fragile (1.1) failed (no ink)');
  front.repair();
  expect(answerOf(await send(client, 'retry', { taskId: id }))).toBe('done');
});

test('the same message again is the same task, and another question under its id is refused', async () => {
  const client = await clientOf('echo');
  const message = sent('Once.');
  const [one, two] = [await client.sendMessage(message), await client.sendMessage(message)];
  expect(two).toEqual(one);
  await expect(send(client, 'Twice.', { messageId: message.message?.messageId })).rejects.toThrow(
    'has started another run',
  );
});

test('a task that waits for its turn can be read, and is cancelled once it works', async () => {
  const client = await clientOf('careful');
  const first = await send(client, 'Do it.');
  const { contextId } = first;
  const second = await send(client, 'And again.', { contextId, returnImmediately: true });
  expect(stateOf(second)).toBe(STATES.submitted);
  expect(await client.getTask({ tenant: '', id: second.id })).toEqual(second);
  const stream = read(client.resubscribeTask({ tenant: '', id: second.id }));
  await expect(client.cancelTask({ tenant: '', id: second.id, metadata: {} })).rejects.toThrow('its turn');
  const cancelled = await client.cancelTask({ tenant: '', id: first.id, metadata: {} });
  expect(stateOf(cancelled)).toBe(STATES.canceled);
  await expect(client.cancelTask({ tenant: '', id: first.id, metadata: {} })).rejects.toThrow('is over');
  const states = (await stream).flatMap(({ payload }) =>
    payload?.$case === 'task' || payload?.$case === 'statusUpdate' ? [payload.value.status?.state] : [],
  );
  expect([states[0], states.at(-1)]).toEqual([STATES.submitted, STATES.asking]);
}, 20_000);

test('a task needs the scope, and the tenant', async () => {
  const { id } = await send(await clientOf('careful', 'ann'), 'Do it.');
  const rita = await clientOf('careful', 'rita');
  const otto = await clientOf('careful', 'otto');
  await expect(send(rita, 'approve', { taskId: id })).rejects.toThrow('does not have the scope decide');
  await expect(send(otto, 'approve', { taskId: id })).rejects.toThrow('no run');
  await expect(otto.getTask({ tenant: '', id })).rejects.toThrow('no run');
  await expect(read(otto.resubscribeTask({ tenant: '', id }))).rejects.toThrow('no run');
  await expect(otto.cancelTask({ tenant: '', id, metadata: {} })).rejects.toThrow('no run');
  await expect(clientOf('nobody')).rejects.toThrow('404');
});

test('the card of the only agent is at the well-known path of the host', async () => {
  const cardWith = async (...names: string[]) => {
    const agents = names.map((name) => ({ name }));
    const gateway = createGateway(rig.client, {
      open: true,
      hosts: ['shop.example.com'],
      agents,
      basePath: '/api',
    });
    return gateway.fetch(
      new Request('http://shop.example.com/api/.well-known/agent-card.json', {
        headers: { 'x-forwarded-proto': 'https', 'a2a-version': '1.0' },
      }),
    );
  };
  const card = AgentCard.fromJSON(await (await cardWith('clerk')).json());
  expect(card.supportedInterfaces[0]?.url).toBe('https://shop.example.com/api/a2a/clerk');
  expect(card.securitySchemes).toEqual({});
  expect((await cardWith('clerk', 'payer')).status).toBe(404);
});

test.each([
  ['a version that is not spoken', { method: 'GetTask' }, { 'a2a-version': '2.0' }, 400, -32_009],
  ['a body without a method', {}, {}, 400, -32_600],
  ['an unknown method', { method: 'Hello', params: {} }, {}, 200, -32_601],
  ['a list of tasks', { method: 'ListTasks', params: {} }, {}, 200, -32_004],
  ['push notifications', { method: 'CreateTaskPushNotificationConfig', params: {} }, {}, 200, -32_003],
  ['a message without an id', { method: 'SendStreamingMessage', params: {} }, {}, 200, -32_602],
])('%s is refused in the words of the protocol', async (_what, call, headers, status, code) => {
  const response = await fetch(`${front.url}/a2a/echo`, {
    method: 'POST',
    headers: { ...front.headersOf('root'), ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, ...call }),
  });
  expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
});
