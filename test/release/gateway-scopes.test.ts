import { describe, expect, test } from 'vitest';
import { type RouteName, type RouteScopes, routeScopes, scopes } from '../../gateway/access/route-table.ts';
import type { Scope } from '../../gateway/http/caller.ts';
import { requests } from '../support/rights-requests.ts';
import { NONE, answered, ask, caller, question, useRightsRig } from '../support/rights-rig.ts';

useRightsRig();
const routes = Object.keys(routeScopes) as RouteName[]; // the keys of the table

const needsOf = (route: RouteName): RouteScopes => routeScopes[route];
const fits = (route: RouteName, given: readonly Scope[]) =>
  given.includes('admin') ||
  needsOf(route).every((one) =>
    typeof one === 'string' ? given.includes(one) : one.some((other) => given.includes(other)),
  );

describe('a scope', () => {
  test.each(routes)('of %s is what the table says', async (route) => {
    const target = { ...NONE, session: `rights.${question()}`.replace(' ', '-') };
    // Requests that find nothing change nothing, so a start names a session that is not there yet.
    const whole = needsOf(route).map((one) => (typeof one === 'string' ? one : (one[0] ?? 'admin')));
    const sets: Scope[][] = [[], ...scopes.map((scope) => [scope]), whole];
    const wrong: object[] = [];
    for (const given of sets) {
      const { status, text } = await answered(
        await ask(caller({ scopes: given, may: ['all-runs'] }), route, requests[route].send(target)),
      );
      const isRefused = status === 403 || text.includes('does not have the scope');
      if (isRefused === fits(route, given)) wrong.push({ given, status, text });
    }
    expect(wrong).toEqual([]);
  });
});
