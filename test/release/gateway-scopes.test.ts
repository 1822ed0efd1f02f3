import { describe, expect, test } from 'vitest';
import { type RouteName, type RouteScopes, routeScopes, scopes } from '../../gateway/access/route-table.ts';
import type { Scope } from '../../gateway/http/caller.ts';
import { mcpRequest } from '../support/mcp-requests.ts';
import { requests } from '../support/rights-requests.ts';
import { NONE, answered, ask, caller, question, rpc, tool, useRightsRig } from '../support/rights-rig.ts';

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

/** A use of a route, by its body; the rest of the body does not fit. */
const oddUses: { readonly [R in RouteName]?: object } = {
  'POST /ui/:agent/chat approvals': {
    id: 'c',
    messages: [
      { id: 'm', role: 'assistant', parts: [{ type: 'tool-x', state: 'approval-responded', approval: 7 }] },
    ],
  },
  'POST /ag-ui/:agent resume': { threadId: 't', runId: 'r', messages: [], resume: 7 },
  'POST /v1/responses approvals': { input: [{ type: 'mcp_approval_response', approve: 7 }] },
  'POST /mcp inputResponses': mcpRequest('tools/call', {
    name: 'get_run',
    arguments: { id: 'none' },
    inputResponses: { x: { action: 'accept' } },
  }).body,
  'POST /mcp decide_on_run': tool('decide_on_run', { decision: 7 }),
  'POST /mcp tasks/update': mcpRequest('tasks/update').body,
  'POST /mcp tasks/cancel': mcpRequest('tasks/cancel').body,
  'POST /a2a/:agent SendMessage': rpc('SendMessage', {}),
  'POST /a2a/:agent SendMessage taskId': rpc('SendMessage', { message: { taskId: 'none' } }),
  'POST /a2a/:agent GetTask': rpc('GetTask', {}),
  'POST /a2a/:agent SubscribeToTask': rpc('SubscribeToTask', {}),
  'POST /a2a/:agent CancelTask': rpc('CancelTask', {}),
};
const DEEP = JSON.parse('['.repeat(600) + ']'.repeat(600)) as object;

describe('a caller without a scope is told so, whatever it sends', () => {
  const isUse = (route: RouteName) => route.split(' ').length > 2;
  const limited = routes.filter(
    (route) => needsOf(route).length > 0 && (!isUse(route) || oddUses[route] !== undefined),
  );
  test.each(limited)('to %s', async (route) => {
    const lacking = needsOf(route).slice(0, -1);
    const given = lacking.map((one) => (typeof one === 'string' ? one : (one[0] ?? 'admin')));
    const sent = requests[route].send(NONE);
    const odd = isUse(route) ? [oddUses[route] ?? {}] : [[], { x: 1 }, DEEP];
    const requestsOf = route.startsWith('GET')
      ? [{ ...sent, path: `${sent.path}?limit=x&subAgents=x&starting_after=x` }]
      : odd.map((body) => ({ ...sent, body }));
    for (const one of requestsOf) {
      const { text } = await answered(await ask(caller({ scopes: given, may: ['all-runs'] }), route, one));
      expect(text).toContain('does not have the scope');
    }
  });
});
