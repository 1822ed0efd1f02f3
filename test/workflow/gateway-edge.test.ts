import { describe, expect, test } from 'vitest';
import { sessionId } from '../../agent/session/session.ts';
import { type GatewayOptions, createGateway } from '../../gateway/gateway.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { deferringTool, guarded } from '../support/sample-tools.ts';
import { act, answer, modelOf, script } from '../support/scripts.ts';

const { deferring, tokens } = deferringTool();
const agents = [
  { name: 'clerk', kind: 'tool-calling' as const, model: modelOf(() => 'ok'), tools: [] },
  { name: 'careful', model: script(act('guarded', 'x'), answer('done')), tools: [guarded] },
  { name: 'patient', model: script(act('deferring', 'x'), answer('done')), tools: [deferring] },
];
const rig = useRig({ agents });

const callers = {
  root: { token: 'admin-token-0123456789', name: 'root', scopes: ['admin'] },
  small: { token: 'small-token-0123456789', name: 'small', tenant: 'edge', scopes: ['admin'] },
  great: { token: 'great-token-0123456789', name: 'great', tenant: 'EDGE', scopes: ['admin'] },
} satisfies { [name: string]: TokenCaller };
type Who = keyof typeof callers;
const options: GatewayOptions = { tokens: Object.values(callers), agents };

async function ask(
  who: Who | undefined,
  asked: string,
  body?: unknown,
  more: Partial<GatewayOptions> = {},
): Promise<{ status: number; text: string }> {
  const [method = '', path = ''] = asked.split(' ');
  const request = new Request(`http://gateway${path}`, {
    method,
    headers: {
      ...(who !== undefined && { authorization: `Bearer ${callers[who].token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await createGateway(rig.client, { ...options, ...more }).fetch(request);
  return { status: response.status, text: await response.text() };
}

test('tenants whose names differ in capitals only do not see each other in a list', async () => {
  await rig.client.run('clerk', 'Hi', { session: 'EDGE.capitals' });
  await rig.client.run('clerk', 'Hi', { session: 'edge.letters' });
  const listed = async (who: Who, path: string) => {
    const { text } = await ask(who, `GET ${path}`);
    return text;
  };
  await expect.poll(() => listed('small', '/sessions')).toContain('edge.letters');
  expect(await listed('small', '/sessions')).not.toContain('EDGE');
  expect(await listed('great', '/sessions')).toContain('EDGE.capitals');
});

describe('what is not a run', () => {
  test.each<[what: string, begin: (id: string) => Promise<string>]>([
    [
      'a session',
      async (id) => {
        await rig.client.run('clerk', 'Hi', { session: id });
        return sessionId(id);
      },
    ],
    [
      'a workflow of another program',
      async (id) => {
        await rig.temporal.workflow.start('payroll', { workflowId: id, taskQueue: `payroll-${id}` });
        return id;
      },
    ],
  ])('is neither read, cancelled nor steered as one: %s', async (_what, begin) => {
    const id = await begin(`other-${rig.taskQueue}`);
    const path = `/runs/${encodeURIComponent(id)}`;
    const routes: [asked: string, body?: unknown][] = [
      [`GET ${path}`],
      [`GET ${path}/events`],
      [`GET ${path}/export`],
      [`GET ${path}/page`],
      [`POST ${path}/cancel`],
      [`POST ${path}/pause`],
      [`POST ${path}/messages`, { message: 'hello' }],
      [`POST ${path}/decisions`, { type: 'approve', call: '1.1' }],
      [`POST /a2a/clerk`, { jsonrpc: '2.0', id: 1, method: 'tasks/cancel', params: { id } }],
    ];
    for (const [asked, body] of routes) {
      const { status, text } = await ask('root', asked, body);
      expect(`${asked} ${status} ${text}`).toMatch(
        asked.includes('a2a') ? /no run|not found|not a run/iu : / 404 /u,
      );
      expect(text).not.toContain('reloop ');
    }
    await expect(rig.client.get(id).cancel()).rejects.toMatchObject({ name: 'RunNotFound' });
    const { events } = await rig.temporal.workflow.getHandle(id).fetchHistory();
    expect(events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes)).toBe(false);
  });
});

test('a callback with a wrong token learns nothing, and has a limit', async () => {
  const run = await rig.client.start('patient', 'x');
  await waitOf(run, { reason: 'deferred' });
  const right = tokens.at(-1) ?? '';
  const [secret = '', call = '', id = ''] = right.split(':');
  const forged = '0'.repeat(32);
  const wrong = [
    'no-token',
    `${forged}:${call}:${id}`,
    `${secret}:9.9:${id}`,
    `${secret}:${call}:nobody`,
    `${secret}:${call}:${encodeURIComponent(sessionId('x'))}`,
  ];
  const callbacks = { callbacks: true };
  const answers = await Promise.all(
    wrong.map((token) => ask(undefined, `POST /deferred/${token}`, {}, callbacks)),
  );
  expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 409));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await ask(undefined, `POST /deferred/${right}`, {}, callbacks)).status).toBe(200);
  const gateway = createGateway(rig.client, { ...options, callbacks: true, requestsPerMinute: 2 });
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) {
    const request = new Request('http://gateway/deferred/no-token', { method: 'POST', body: '{}' });
    statuses.push((await gateway.fetch(request)).status);
  }
  expect(statuses).toEqual([409, 409, 429]);
});

test('a question names no image of a private network, over any protocol', async () => {
  const url = 'https://169.254.169.254/latest/meta-data';
  const input = [
    { type: 'text', text: 'What?' },
    { type: 'image', image: url },
  ];
  const content = [
    { type: 'text', text: 'What?' },
    { type: 'image_url', image_url: { url } },
  ];
  const ui = [
    { type: 'text', text: 'What?' },
    { type: 'file', mediaType: 'image/png', url },
  ];
  const agui = [
    { type: 'text', text: 'What?' },
    { type: 'image', source: { type: 'url', value: url } },
  ];
  const starts: [asked: string, body: unknown][] = [
    ['POST /runs', { agent: 'clerk', input }],
    ['POST /v1/chat/completions', { model: 'clerk', messages: [{ role: 'user', content }] }],
    ['POST /ui/clerk/chat', { id: 'c', messages: [{ id: 'm', role: 'user', parts: ui }] }],
    [
      'POST /ag-ui/clerk',
      { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: agui }] },
    ],
  ];
  for (const [asked, body] of starts) {
    const { status, text } = await ask('root', asked, body);
    expect(`${asked} ${status} ${text}`).toContain('400');
    expect(text).toContain('cannot be asked about here');
  }
});

test('a decision, a message and a callback that no worker takes are not held', async () => {
  const waiting = await rig.client.start('careful', 'x');
  await waitOf(waiting, { reason: 'approval' });
  const patient = await rig.client.start('patient', 'x');
  await waitOf(patient, { reason: 'deferred' });
  const token = tokens.at(-1) ?? '';
  await rig.restart(async () => {
    const path = `/runs/${encodeURIComponent(waiting.id)}`;
    const asked: [asked: string, body?: unknown][] = [
      [`POST ${path}/decisions`, { type: 'approve', call: '1.1', wait: 0 }],
      [`POST ${path}/messages`, { message: 'hello' }],
      [`POST ${path}/pause`],
      [`POST ${path}/rewind`, { step: 1 }],
      ['POST /deferred', { token, output: 1 }],
      [`POST /deferred/${token}`, 1],
    ];
    const answers = await Promise.all(
      asked.map(([route, body]) => ask('root', route, body, { callbacks: true })),
    );
    for (const [index, { status, text }] of answers.entries())
      expect(`${asked[index]?.[0]} ${status} ${text}`).toMatch(/ 503 .*No worker has taken this/u);
  });
  await waiting.cancel();
  await patient.cancel();
}, 60_000);
