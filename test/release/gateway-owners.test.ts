import { describe, expect, test } from 'vitest';
import { type RouteName, routeScopes } from '../../gateway/access/route-table.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { requests } from '../support/rights-requests.ts';
import {
  EVERY,
  type Target,
  answered,
  ask,
  belongings,
  caller,
  useRightsRig,
} from '../support/rights-rig.ts';

const rig = useRightsRig();
const routes = Object.keys(routeScopes) as RouteName[]; // the keys of the table

/** A chat that is not there has nothing to resume: 204. */
const MISSING = /There is no|NotFound|not found|TaskNotFound|^204 /u;

describe('what belongs to another caller of the tenant', () => {
  const ann = caller({ scopes: EVERY });
  const ben = caller({ scopes: EVERY });
  const staff = caller({ scopes: EVERY, may: ['all-runs'] });
  let target: Target | undefined;
  const named = routes.filter((route) => requests[route].names !== undefined);

  test.each(named)('is not there for %s', async (route) => {
    target ??= await belongings(ann);
    const { status, text } = await answered(await ask(ben, route, requests[route].send(target)));
    expect(`${status} ${text}`).toMatch(MISSING);
    expect(text).not.toMatch(/SECRET|pay/u);
    const { status: now } = await rig.client.get(target.run).describe();
    expect(now).toBe('waiting');
  });

  test('is in no list', async () => {
    target ??= await belongings(ann);
    const listed = async (who: TokenCaller, path: string) =>
      (await answered(await ask(who, 'GET', { path }))).text;
    await expect.poll(() => listed(ann, '/runs')).toContain(target.run);
    await expect.poll(() => listed(staff, '/runs')).toContain(target.run);
    await expect.poll(() => listed(ann, '/sessions')).toContain(target.session);
    await expect.poll(() => listed(ann, '/waiting')).toContain(target.run);
    for (const path of ['/runs', '/sessions', '/waiting', '/waiting/events']) {
      const text = await listed(ben, path);
      expect(text).not.toContain(target.run);
      expect(text).not.toContain(target.session);
    }
    await expect.poll(() => listed(ann, '/waiting/events')).toContain(target.run);
  });

  test('is there for a caller with all-runs, who approves', async () => {
    target ??= await belongings(ann);
    const { status } = await answered(await ask(staff, 'GET', { path: `/runs/${target.run}` }));
    expect(status).toBe(200);
    const body = { type: 'approve', call: '1.1', wait: 0 };
    const sent = await ask(staff, 'POST', { path: `/runs/${target.run}/decisions`, body });
    expect(sent.status).toBe(200);
  });

  test('an id that another run has gives nothing', async () => {
    const { run } = await belongings(ann);
    const body = { agent: 'desk', input: 'Mine?', id: run };
    expect((await ask(ben, 'POST', { path: '/runs', body })).status).toBe(404);
    const own = (await (
      await ask(ben, 'POST', { path: '/runs', body: { ...body, id: 'of-ben' } })
    ).json()) as object;
    expect(own).toEqual({ id: 'rights.of-ben' });
    expect((await ask(ben, 'POST', { path: '/runs', body: { ...body, id: 'of-ben' } })).status).toBe(201);
  });
});

describe('an owner', () => {
  test('is the person who started the run or forked it, also of sub-runs of a session and after a retry', async () => {
    const ann = rig.client.as('ann');
    const run = await ann.start('desk', 'Hi.');
    await run.result();
    expect(await run.describe()).toMatchObject({ owner: 'ann' });
    const fork = await rig.client.as('ben').get(run.id).fork({ step: 1 });
    expect(await rig.client.get(fork.id).describe()).toMatchObject({ owner: 'ben' });
    await rig.client.as('ben').get(run.id).rewind({ step: 1 });
    expect(await rig.client.get(run.id).describe()).toMatchObject({ owner: 'ann' });
    const talk = await ann.start('desk', 'Hi.', { session: 'of-ann' });
    await rig.client.as('ben').start('desk', 'Hi.', { session: 'of-ann', id: 'asked-by-ben' });
    expect(await rig.client.session('of-ann').describe()).toMatchObject({ owner: 'ann' });
    expect(await talk.labels()).toEqual({ agent: 'desk', owner: 'ann' });
    expect(await rig.client.get('asked-by-ben').labels()).toEqual({
      agent: 'desk',
      owner: 'ann',
      askedBy: 'ben',
    });
  });
});
