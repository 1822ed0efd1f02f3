import { describe, expect, test } from 'vitest';
import {
  EVERY,
  type Sent,
  answered,
  ask,
  belongings,
  caller,
  fragile,
  message,
  rpc,
  useRightsRig,
} from '../support/rights-rig.ts';

const rig = useRightsRig();

test("another person's session, looked up as a run, is as if it were not there", async () => {
  const { tenant: _of, ...ann } = caller({ scopes: EVERY });
  const { tenant: _by, ...eve } = caller({ scopes: EVERY });
  const { session } = await belongings(ann);
  const detailOf = async (id: string) => {
    const { text } = await answered(await ask(eve, 'GET', { path: `/runs/${encodeURIComponent(id)}` }));
    return (JSON.parse(text) as { detail: string }).detail;
  };
  for (const id of [`session:${session}`, 'session:of-nobody'])
    expect(await detailOf(id)).toBe(`There is no run "${id}".`);
});

describe('a request that no program should send', () => {
  const ann = caller({ scopes: EVERY, may: ['own-approvals', 'limits'] });
  const start = { agent: 'desk', input: 'Hi.' };
  test.each<[what: string, method: string, sent: Sent, says: [status: number, text: string]]>([
    ['an unknown filter', 'GET', { path: '/runs?owner=x' }, [400, 'The query: Unrecognized key']],
    [
      'an unknown field',
      'POST',
      { path: '/runs', body: { ...start, x: 1 } },
      [400, 'The body: Unrecognized'],
    ],
    [
      'an unknown status',
      'GET',
      { path: '/runs?status=open' },
      [400, 'status: Write one or more of running'],
    ],
    [
      'an odd duration',
      'POST',
      { path: '/runs/none/extend', body: { time: [] } },
      [400, 'time: Write a dura'],
    ],
    ['a chat of no agent', 'GET', { path: '/ui/nobody/chat/c/stream' }, [404, 'There is no agent']],
    [
      'a question in the name of the agent',
      'POST',
      { path: '/a2a/desk', body: rpc('SendMessage', { message: message({ role: 'ROLE_AGENT' }) }) },
      [200, 'its role is ROLE_USER'],
    ],
    [
      'an odd conversation',
      'POST',
      { path: '/v1/responses', body: { model: 'desk', input: 'Hi.', conversation: 5 } },
      [400, 'conversation: Write the name of a session'],
    ],
  ])('is refused with a sentence, before it has an effect: %s', async (_, method, sent, says) => {
    const { status, text } = await answered(await ask(ann, method, sent));
    expect([status, text]).toEqual([says[0], expect.stringContaining(says[1])]);
    expect((await rig.client.listPage({ owner: ann.name })).runs).toEqual([]);
  });
});

test('an interrupt is cancelled without a payload, as AG-UI has it', async () => {
  const ann = caller({ scopes: EVERY, may: ['own-approvals'] });
  const { run, approval } = await belongings(ann);
  const resume = [{ interruptId: approval, status: 'cancelled' }];
  const body = { threadId: 'of-the-cancelled', runId: 'r', messages: [], resume };
  expect((await answered(await ask(ann, 'POST', { path: '/ag-ui/desk', body }))).status).toBe(200);
  await expect.poll(async () => (await rig.client.get(run).describe()).status).toBe('completed');
});

test('a body that is not sent as JSON is refused where a body may be left out', async () => {
  const ann = caller({ scopes: EVERY, may: ['own-approvals'] });
  const started = await ask(ann, 'POST', { path: '/runs', body: { agent: 'fragile', input: 'fails' } }, [
    fragile,
  ]);
  const { id } = (await started.json()) as { id: string };
  await expect.poll(async () => (await rig.client.get(id).describe()).status).toBe('failed');
  const sent = {
    path: `/runs/${id}/retry`,
    body: { call: '1.1', input: 'other' },
    headers: { 'content-type': 'text/plain' },
  };
  expect((await ask(ann, 'POST', sent, [fragile])).status).toBe(415);
  expect((await rig.client.get(id).describe()).status).toBe('failed');
});
