import { describe, expect, test } from 'vitest';
import type { RouteName } from '../../gateway/access/route-table.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { mcpRequest } from '../support/mcp-requests.ts';
import { requests } from '../support/rights-requests.ts';
import {
  EVERY,
  NONE,
  type Sent,
  type Target,
  agents,
  answered,
  ask,
  belongings,
  caller,
  fragile,
  message,
  paid,
  rpc,
  tool,
  useRightsRig,
} from '../support/rights-rig.ts';

const rig = useRightsRig();

describe('who asked cannot approve', () => {
  const ways = [
    'POST /ui/:agent/chat approvals',
    'POST /ag-ui/:agent resume',
    'POST /v1/responses approvals',
  ] satisfies RouteName[];
  const approving = (sent: Sent): Sent => ({
    ...sent,
    body: JSON.parse(JSON.stringify(sent.body).replaceAll(/"(approved?)":false/gu, '"$1":true')) as object,
  });
  const more: { [way: string]: (target: Target) => Sent } = {
    ...Object.fromEntries(ways.map((route) => [route, (to: Target) => approving(requests[route].send(to))])),
    'POST /runs/{id}/decisions': ({ run }) => ({ path: `/runs/${run}/decisions`, body: { type: 'approve' } }),
    'POST /runs/{id}/decisions with a result': ({ run }) => ({
      path: `/runs/${run}/decisions`,
      body: { type: 'resolve', call: '1.1', output: 'paid' },
    }),
    'POST /mcp decide_on_run': ({ run: id }) => ({
      path: '/mcp',
      body: tool('decide_on_run', { id, decision: 'approve' }),
    }),
    'POST /mcp tasks/update': ({ run: taskId }) => ({
      path: '/mcp',
      ...mcpRequest('tasks/update', {
        taskId,
        inputResponses: { '1.1:0': { action: 'accept', content: { decision: 'approve' } } },
      }),
    }),
    'POST /a2a/:agent SendMessage taskId': ({ run: taskId }) => ({
      path: '/a2a/desk',
      body: rpc('SendMessage', { message: message({ taskId }) }),
    }),
  };

  test.each(Object.keys(more))('by %s, unless allowed', async (way) => {
    const ann = caller({ scopes: EVERY });
    const target = await belongings(ann);
    const before = paid.length;
    const sent = () => more[way]?.(target) ?? { path: '' };
    const refused = await answered(await ask(ann, way, sent()));
    expect(refused.text).toContain('another person approves');
    expect(paid.length).toBe(before);
    await answered(await ask({ ...ann, may: ['own-approvals'] }, way, sent()));
    await expect.poll(async () => (await rig.client.get(target.run).describe()).status).toBe('completed');
  });
});

describe('a retry', () => {
  test('with another input is for another person than who asked', async () => {
    const ann = caller({ scopes: EVERY });
    const body = { agent: 'fragile', input: 'fails' };
    const started = await ask(ann, 'POST', { path: '/runs', body }, [fragile]);
    const { id } = (await started.json()) as { id: string };
    const failed = async () => {
      await expect.poll(async () => (await rig.client.get(id).describe()).status).toBe('failed');
    };
    const retry = (may: TokenCaller['may'] = [], more: object = { call: '1.1', input: 'other' }) =>
      ask({ ...ann, may }, 'POST', { path: `/runs/${id}/retry`, body: more }, [fragile]);
    await failed();
    const refused = await answered(await retry());
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('another person approves')]);
    expect((await retry([], {})).status).toBe(200);
    await failed();
    expect((await retry(['own-approvals'])).status).toBe(200);
    await failed();
  });
});

describe('a fork', () => {
  const fork = (who: TokenCaller, run: string, body: object, served = [agents[0]]) =>
    ask(who, 'POST', { path: `/runs/${run}/fork`, body }, served);
  const idOf = async (response: Response) => ((await response.json()) as { id: string }).id;
  const statusOf = async (id: string) => (await rig.client.get(id).describe()).status;

  test('asks again for an approval that was remembered in its run', async () => {
    const ann = caller({ scopes: EVERY });
    const { run } = await belongings(ann);
    await rig.client.get(run).decide('1.1', { type: 'approve', remember: 'tool' });
    await expect.poll(() => statusOf(run)).toBe('completed');
    const before = paid.length;
    const id = await idOf(await fork(ann, run, { step: 2, say: 'CALL pay {"amount":99999}' }));
    await expect.poll(() => statusOf(id)).toBe('waiting');
    expect(paid.length).toBe(before);
  });

  test("has the caller's context, and not that of another person", async () => {
    const bob = caller({ scopes: EVERY, context: { user: 'bob' } });
    const { run } = await belongings(bob);
    await rig.client.get(run).decide('1.1', { type: 'approve' });
    await expect.poll(() => statusOf(run)).toBe('completed');
    const say = { step: 2, say: 'CALL whoami {}' };
    const observation = async (id: string) => {
      await expect.poll(() => statusOf(id)).toBe('completed');
      return (await rig.client.get(id).describe()).intermediateSteps.at(-1)?.observation;
    };
    expect(await observation(await idOf(await fork(bob, run, say)))).toBe('bob');
    const staff = caller({ scopes: EVERY, may: ['all-runs'] });
    const refused = await answered(await fork(staff, run, say));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('context of another')]);
    const named = { ...staff, context: { user: 'staff' } };
    expect(await observation(await idOf(await fork(named, run, say)))).toBe('staff');
  });

  test.each(['fork', 'rewind', 'retry'])('%s is for agents that the gateway serves', async (verb) => {
    const ann = caller({ scopes: EVERY });
    const { run } = await belongings(ann);
    const body = verb === 'retry' ? {} : { step: 1 };
    const sent = { path: `/runs/${run}/${verb}`, body };
    expect((await ask(ann, 'POST', sent, [agents[1]])).status).toBe(404);
  });
});

const CONTEXT = { user: 'ann' };

describe('the context of a caller', () => {
  test.each([
    'POST /runs',
    'POST /ui/:agent/chat',
    'POST /ag-ui/:agent',
    'POST /v1/chat/completions',
    'POST /v1/responses',
    'POST /mcp',
    'POST /a2a/:agent SendMessage',
  ] satisfies RouteName[])('is that of the runs that start by %s', async (route) => {
    const ann = caller({ scopes: EVERY, context: CONTEXT });
    await answered(await ask(ann, route, requests[route].send({ ...NONE, session: `of-${ann.name}` })));
    const own = async () => {
      const { runs } = await rig.client.listPage({ owner: ann.name });
      return Promise.all(runs.map(async ({ id }) => (await rig.client.get(id).recordedStart())?.overrides));
    };
    await expect.poll(own).toMatchObject([{ context: CONTEXT, tenant: 'rights' }]);
  });
});
