import { describe, expect, test } from 'vitest';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { type Gateway, createGateway } from '../../gateway/gateway.ts';
import { useRig } from '../support/rig.ts';
import { deferringTool, guarded } from '../support/sample-tools.ts';
import { act, answer, script } from '../support/scripts.ts';
import { type Message, messagesOf } from '../support/sse.ts';

const { deferring, tokens } = deferringTool();
const agents = [
  { name: 'clerk', description: 'answers', model: script(answer('ok')), tools: [] },
  { name: 'careful', model: script(act('guarded', 'x'), answer('done')), tools: [guarded] },
  { name: 'patient', model: script(act('deferring', 'x'), answer('done')), tools: [deferring] },
];
const rig = useRig({ agents });

const callers = {
  root: { token: 'admin-token-0123456789', name: 'root', scopes: ['admin'] },
  rita: { token: 'reader-token-0123456789', name: 'rita', scopes: ['read', 'inspect'], may: ['all-runs'] },
  ann: { token: 'acme-token-0123456789', name: 'ann', tenant: 'acme', scopes: ['admin'] },
  otto: { token: 'other-token-0123456789', name: 'otto', tenant: 'other', scopes: ['admin'] },
} satisfies { [name: string]: TokenCaller };
type Who = keyof typeof callers;

/** Each request goes to a gateway of its own, as behind a balancer. */
function gateway(): Gateway {
  const served = agents.map(({ name, description }) => ({ name, description }));
  return createGateway(rig.client, { tokens: Object.values(callers), agents: served });
}

interface Sent {
  body?: unknown;
  headers?: { [name: string]: string };
}

function ask(who: Who | undefined, asked: string, { body, headers }: Sent = {}): Promise<Response> {
  const [method = '', path = ''] = asked.split(' ');
  const request = new Request(`http://gateway${path}`, {
    method,
    headers: {
      ...(who !== undefined && { authorization: `Bearer ${callers[who].token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return gateway().fetch(request);
}

async function jsonOf<T = { [field: string]: unknown }>(
  response: Promise<Response>,
  status = 200,
): Promise<T> {
  const answered = await response;
  const text = await answered.text();
  expect(`${answered.status} ${text}`).toMatch(new RegExp(`^${status} `, 'u'));
  return (text === '' ? undefined : JSON.parse(text)) as T; // of the gateway
}

async function started(who: Who, agent: string, more: object = {}): Promise<string> {
  const { id } = await jsonOf<{ id: string }>(
    ask(who, 'POST /runs', { body: { agent, input: 'what?', ...more } }),
    201,
  );
  return id;
}

/** The messages of a run's stream up to one of this type. */
async function messagesTo(type: string, who: Who, id: string, headers = {}): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const message of messagesOf(
    await ask(who, `GET /runs/${encodeURIComponent(id)}/events`, { headers }),
  )) {
    messages.push(message);
    if (message.event === type) return messages;
  }
  throw new Error(`The stream ended without ${type}.`);
}

describe('a run', () => {
  test('starts, is followed to its end, and is read', async () => {
    const id = 'gateway/1';
    const body = { agent: 'clerk', input: 'what?', tags: ['served'], id };
    const { status, headers } = await ask('root', 'POST /runs', { body });
    expect([status, headers.get('location')]).toEqual([201, '/runs/gateway%2F1']);
    await messagesTo('run_ended', 'root', id);
    const path = `/runs/${encodeURIComponent(id)}`;
    const report = await jsonOf(ask('rita', `GET ${path}`));
    expect(report).toMatchObject({ id, agent: 'clerk', status: 'completed', output: 'ok' });
    const served = async () =>
      (await jsonOf<{ runs: object[] }>(ask('rita', 'GET /runs?tag=served&limit=5'))).runs;
    await expect.poll(served).toMatchObject([{ id, tags: ['served'] }]);
    await expect(jsonOf(ask('rita', `GET ${path}/export`))).resolves.toMatchObject({ run: { id } });
  });

  test('costs no event more when it is served', async () => {
    const plain = await rig.client.start('clerk', 'what?');
    await plain.result();
    const served = await started('root', 'clerk');
    await messagesTo('run_ended', 'root', served);
    const chat = await jsonOf<{ id: string }>(
      ask('root', 'POST /v1/chat/completions', {
        body: { model: 'clerk', messages: [{ role: 'user', content: 'what?' }] },
      }),
    );
    for (const id of [served, chat.id.replace('chatcmpl-', '')])
      expect(await eventsOf(id)).toEqual(await eventsOf(plain.id));
  });

  test('waits, is listed, and goes on by a decision at another gateway, which records the name of the caller', async () => {
    const id = await started('root', 'careful');
    const [waits] = (await messagesTo('waiting', 'root', id)).slice(-1);
    expect(waits?.data).toMatchObject({ wait: { call: '1.1', tool: 'guarded' } });
    const listed = () => jsonOf<{ run: { id: string } }[]>(ask('rita', 'GET /waiting'));
    await expect.poll(async () => (await listed()).map(({ run }) => run.id)).toContain(id);
    const body = { type: 'approve', call: '1.1', wait: 0, by: 'somebody else' };
    await expect(jsonOf(ask('root', `POST /runs/${id}/decisions`, { body }))).resolves.toMatchObject({
      call: '1.1',
      decision: 'approve',
    });
    // The stream goes on where the reader lost it.
    const rest = await messagesTo('run_ended', 'root', id, { 'last-event-id': waits?.id });
    expect(rest[0]?.data).toMatchObject({ type: 'decided', decision: { type: 'approve', by: 'root' } });
    const refused = await jsonOf(ask('root', `POST /runs/${id}/decisions`, { body }), 409);
    expect(refused).toMatchObject({ title: 'Conflict', status: 409, code: 'DecisionRefused' });
  });

  test('is paused, told something, resumed, rewound and forked', async () => {
    const id = await started('root', 'careful');
    await messagesTo('waiting', 'root', id);
    for (const verb of ['pause', 'resume']) {
      await jsonOf(ask('root', `POST /runs/${id}/${verb}`), 204);
    }
    await jsonOf(ask('root', `POST /runs/${id}/messages`, { body: { message: 'hurry' } }), 204);
    await jsonOf(ask('root', `POST /runs/${id}/rewind`, { body: { step: 1 } }));
    const fork = await jsonOf<{ id: string }>(
      ask('root', `POST /runs/${id}/fork`, { body: { step: 1 } }),
      201,
    );
    for (const one of [id, fork.id]) await jsonOf(ask('root', `POST /runs/${one}/cancel`), 204);
    const told = await messagesTo('run_ended', 'root', id);
    expect(told.map(({ event }) => event)).toEqual(expect.arrayContaining(['steered', 'restarted']));
    await messagesTo('run_ended', 'root', fork.id);
    await jsonOf(ask('root', `POST /runs/${id}/retry`));
    await jsonOf(ask('root', `POST /runs/${id}/cancel`), 204);
  });

  test('gets the result of a deferred call by its token', async () => {
    const id = await started('root', 'patient');
    await messagesTo('waiting', 'root', id);
    const token = tokens.at(-1);
    await jsonOf(ask('otto', 'POST /deferred', { body: { token, output: 'x' } }), 404);
    await jsonOf(ask('root', 'POST /deferred', { body: { token, output: { paid: true } } }));
    const told = await messagesTo('run_ended', 'root', id);
    expect(told.at(-1)?.data).toMatchObject({ output: 'done' });
  });
});

describe('an idempotency key', () => {
  const start = (input: string) =>
    ask('root', 'POST /runs', { body: { agent: 'clerk', input }, headers: { 'idempotency-key': 'k1' } });

  test('gives the same run again, and refuses another question', async () => {
    const [first, second] = await Promise.all([jsonOf(start('what?'), 201), jsonOf(start('what?'), 201)]);
    expect(second).toEqual(first);
    await expect(jsonOf(start('what?'), 201)).resolves.toEqual(first);
    await expect(jsonOf(start('where?'), 422)).resolves.toMatchObject({ code: 'KeyUsed' });
  });

  test('gives the same run again for a question with an image', async () => {
    const image = 'data:image/png;base64,iVBORw0KGgo=';
    const input = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', image },
    ];
    const body = { agent: 'clerk', input };
    const ids = [1, 2].map(() =>
      jsonOf(ask('root', 'POST /runs', { body, headers: { 'idempotency-key': 'k2' } }), 201),
    );
    const [first] = await Promise.all(ids);
    await expect(
      jsonOf(ask('root', 'POST /runs', { body, headers: { 'idempotency-key': 'k2' } }), 201),
    ).resolves.toEqual(first);
  });

  test('is one of the caller', async () => {
    const other = await jsonOf(
      ask('ann', 'POST /runs', {
        body: { agent: 'clerk', input: 'what?' },
        headers: { 'idempotency-key': 'k1' },
      }),
      201,
    );
    expect(other).not.toEqual(await jsonOf(start('what?'), 201));
  });
});

describe('a tenant', () => {
  test('sees its own runs only, and no other tenant sees these', async () => {
    const id = await started('ann', 'clerk', { id: 'mine' });
    expect(id).toBe('acme.mine');
    const { raw } = await rig.temporal.workflow.getHandle(id).describe();
    expect(raw.workflowExecutionInfo?.priority).toMatchObject({ fairnessKey: 'acme' });
    await messagesTo('run_ended', 'ann', id);
    const lists = await Promise.all(
      (['ann', 'otto'] as const).map((who) => jsonOf<{ runs: { id: string }[] }>(ask(who, 'GET /runs'))),
    );
    const [own = [], others = []] = lists.map(({ runs }) => runs.map((run) => run.id));
    expect(own).toContain(id);
    expect([
      ...own.filter((one) => !one.startsWith('acme.')),
      ...others.filter((one) => one.startsWith('acme.')),
    ]).toEqual([]);
    const routes = ['GET /runs/ID', 'GET /runs/ID/events', 'GET /runs/ID/export', 'POST /runs/ID/cancel'];
    for (const asked of routes) {
      const problem = await jsonOf(ask('otto', asked.replace('ID', id)), 404);
      expect(problem).toMatchObject({ code: 'RunNotFound' });
    }
  });

  test('has sessions of its own', async () => {
    const first = await started('ann', 'clerk', { session: 'talk' });
    await messagesTo('run_ended', 'ann', first);
    await expect(jsonOf(ask('ann', 'GET /sessions/talk'))).resolves.toMatchObject({ name: 'acme.talk' });
    await jsonOf(ask('otto', 'GET /sessions/talk'), 404);
    const lists = () =>
      Promise.all((['ann', 'otto'] as const).map((who) => jsonOf(ask(who, 'GET /sessions'))));
    await expect.poll(lists).toMatchObject([[{ name: 'acme.talk' }], []]);
    await jsonOf(ask('ann', 'DELETE /sessions/talk/messages'), 204);
  });
});

describe('a request is refused', () => {
  test.each<[number, string, Who | undefined, string, Sent]>([
    [401, 'without a token', undefined, 'GET /runs', {}],
    [401, 'with a token that nobody has', undefined, 'GET /runs', { headers: { authorization: 'Bearer x' } }],
    [403, 'without the scope', 'rita', 'POST /runs', { body: { agent: 'clerk', input: 'what?' } }],
    [404, 'for an agent that is not served', 'root', 'POST /runs', { body: { agent: 'no', input: 'what?' } }],
    [404, 'for a run that is not there', 'root', 'GET /runs/none', {}],
    [404, 'for a route that is not there', 'root', 'GET /nothing', {}],
    [400, 'with an unknown field', 'root', 'POST /runs', { body: { agent: 'clerk', input: 'what?', x: 1 } }],
    [400, 'without a question', 'root', 'POST /runs', { body: { agent: 'clerk', input: ' ' } }],
    [400, 'with an unknown status', 'root', 'GET /runs?status=odd', {}],
    [
      400,
      'with a body that is not JSON',
      'root',
      'POST /runs',
      { headers: { 'content-type': 'application/json' } },
    ],
  ])('with %d %s', async (status, _why, who, asked, sent) => {
    const response = await ask(who, asked, sent);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const problem = (await response.json()) as { status: number; detail: string };
    expect(problem).toMatchObject({ type: 'about:blank', status });
    expect(response.status).toBe(status);
    expect(problem.detail).not.toContain(' at ');
  });
});

test('the description of the API lists each route with its scope', async () => {
  const { openapi, paths } = await jsonOf<{ openapi: string; paths: { [path: string]: object } }>(
    ask('rita', 'GET /openapi.json'),
  );
  expect(openapi).toBe('3.1.0');
  expect(Object.keys(paths)).toMatchSnapshot();
});

test('a probe needs no token, and says whether Temporal answers', async () => {
  await expect(jsonOf(ask(undefined, 'GET /health'))).resolves.toEqual({ status: 'ok' });
});

/** Types of the events of a run's history. */
async function eventsOf(id: string): Promise<unknown[]> {
  const { events } = await rig.temporal.workflow.getHandle(id).fetchHistory();
  return (events ?? []).map(({ eventType }) => eventType);
}
