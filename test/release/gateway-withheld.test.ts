import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { RouteName } from '../../gateway/access/route-table.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { requests } from '../support/rights-requests.ts';
import { EVERY, NONE, answered, ask, caller, fragile, useRightsRig } from '../support/rights-rig.ts';

const rig = useRightsRig();

const ADDRESS = '10.7.7.7';
const customer = caller({ scopes: ['chat', 'run', 'read', 'decide'] });
const inspector = caller({ scopes: EVERY });
const staff = caller({ scopes: ['read', 'decide', 'run'], may: ['all-runs'] });

/** Failing part, and the status of the run then. */
const FAILURES = { asks: 'waiting', fails: 'failed', tells: 'completed', model: 'failed' } as const;
type Failure = keyof typeof FAILURES;
const failures = Object.keys(FAILURES) as Failure[]; // the keys of the table

const served = [fragile];
async function sent(who: TokenCaller, route: RouteName, run: string, awaited?: string) {
  const request = requests[route].send({ ...NONE, run });
  const path = request.path.replace('/a2a/desk', '/a2a/fragile');
  return answered(await ask(who, route, { ...request, path }, served), awaited);
}

async function failedRun(who: TokenCaller, failure: Failure): Promise<string> {
  const body = { agent: 'fragile', input: failure };
  const { id } = (await (await ask(who, 'POST /runs', { path: '/runs', body }, served)).json()) as {
    id: string;
  };
  await vi.waitUntil(async () => (await rig.client.get(id).describe()).status === FAILURES[failure], {
    timeout: 20_000,
  });
  return id;
}

async function failedRuns(who: TokenCaller): Promise<Map<Failure, string>> {
  const runs = new Map<Failure, string>();
  for (const failure of failures) runs.set(failure, await failedRun(who, failure));
  return runs;
}

describe('the address in an error', () => {
  let own: Map<Failure, string>;
  let inspected: Map<Failure, string>;
  beforeAll(async () => {
    own = await failedRuns(customer);
    inspected = await failedRuns(inspector);
  });

  const routes: RouteName[] = [
    'GET /runs',
    'GET /runs/{id}',
    'GET /runs/{id}/events',
    'GET /waiting',
    'GET /waiting/events',
    'GET /sessions',
    'GET /v1/responses/:id',
    'POST /mcp get_run',
    'POST /mcp tasks/get',
    'POST /a2a/:agent GetTask',
    'POST /a2a/:agent SubscribeToTask',
  ];

  test.each(routes)('is not told by %s to who asked', async (route) => {
    for (const run of own.values()) {
      const { status, text } = await sent(customer, route, run);
      expect(status).toBe(200);
      expect(text).not.toMatch(/not found/iu);
      expect(text).not.toContain(ADDRESS);
    }
  });

  test('leaves the type of the error', async () => {
    const { text } = await sent(customer, 'GET /runs/{id}', own.get('fails') ?? '');
    expect(JSON.parse(text)).toMatchObject({
      error: { type: 'Error', message: 'The run failed (Error). Its operator can see why.' },
    });
  });

  test.each(failures)('is told to inspect and to staff that decides, in the run "%s"', async (failure) => {
    for (const [who, runs] of [
      [inspector, inspected],
      [staff, own],
    ] as const) {
      const run = runs.get(failure) ?? '';
      expect((await sent(who, 'GET /runs/{id}', run)).text).toContain(ADDRESS);
      expect((await sent(who, 'GET /runs/{id}/events', run, ADDRESS)).text).toContain(ADDRESS);
    }
  });

  test('is told to staff in the list of what waits', async () => {
    expect((await sent(staff, 'GET /waiting', '')).text).toContain(ADDRESS);
    expect((await sent(staff, 'GET /waiting/events', '', ADDRESS)).text).toContain(ADDRESS);
  });
});
