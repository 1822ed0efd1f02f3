/**
 * Rights of a caller. `chat`: ask, and read the answers, on the routes of chat pages. `run`: start and fork runs. `read`: see runs. `decide`:
 * decide on calls, and steer runs. `inspect`: see prompts, definitions of tools and addresses of inner servers. `admin`: all of these, and
 * all permissions.
 */
export type Scope = 'chat' | 'run' | 'read' | 'decide' | 'inspect' | 'admin';

export const scopes = ['chat', 'run', 'read', 'decide', 'inspect', 'admin'] as const satisfies Scope[];

/** The scopes that a route needs: each of them. A list in the list: one of these. Empty: any caller. */
export type RouteScopes = readonly (Scope | readonly Scope[])[];

/**
 * The one table of routes: each route of the gateway, each tool and method of `/mcp`, each method of `/a2a`, and each other use of a route. The gateway
 * asks this table, and SECURITY.md shows it. Routes of runs and sessions are for those of the caller, unless the caller may `all-runs`.
 */
export const routeScopes = {
  'POST /runs': ['run'],
  'GET /runs': ['read'],
  'GET /runs/{id}': ['read'],
  'GET /runs/{id}/events': ['read'],
  'GET /runs/{id}/export': ['read', 'inspect'],
  'GET /runs/{id}/page': ['read', 'inspect'],
  'GET /runs/{id}/page/events': ['read', 'inspect'],
  'POST /runs/{id}/decisions': ['decide'],
  'POST /runs/{id}/messages': ['decide'],
  'POST /runs/{id}/pause': ['decide'],
  'POST /runs/{id}/resume': ['decide'],
  'POST /runs/{id}/cancel': ['decide'],
  'POST /runs/{id}/extend': ['decide'],
  'POST /runs/{id}/rewind': ['decide'],
  'POST /runs/{id}/retry': ['decide'],
  'POST /runs/{id}/fork': ['run'],
  'POST /deferred': ['decide'],
  'GET /waiting': ['read'],
  'GET /waiting/events': ['read'],
  'GET /sessions': ['read'],
  'GET /sessions/{name}': ['read'],
  'DELETE /sessions/{name}/messages': ['run'],
  'GET /agents': ['read'],
  'GET /budgets': ['admin'],
  'POST /budgets/{name}/extend': ['admin'],
  'POST /ui/:agent/chat': [['chat', 'run']],
  'POST /ui/:agent/chat approvals': [['chat', 'run'], 'decide'],
  'GET /ui/:agent/chat/:id/stream': [['chat', 'read']],
  'GET /chat/:agent/caller': [],
  'POST /ag-ui/:agent': [['chat', 'run']],
  'POST /ag-ui/:agent resume': [['chat', 'run'], 'decide'],
  'POST /v1/chat/completions': ['run'],
  'GET /v1/models': ['read'],
  'GET /v1/models/:id': ['read'],
  'POST /v1/responses': ['run'],
  'POST /v1/responses approvals': ['run', 'decide'],
  'POST /v1/responses previous_response_id': ['run', 'read'],
  'GET /v1/responses/:id': ['read'],
  'GET /v1/responses/:id/input_items': ['read'],
  'POST /v1/responses/:id/cancel': ['decide', 'read'],
  'DELETE /v1/responses/:id': ['decide'],
  'POST /mcp': ['run'],
  'POST /mcp get_run': ['run'],
  'POST /mcp decide_on_run': ['run', 'decide'],
  'POST /mcp inputResponses': ['run', 'decide'],
  'POST /mcp tasks/get': ['run'],
  'POST /mcp tasks/update': ['run', 'decide'],
  'POST /mcp tasks/cancel': ['run', 'decide'],
  'GET /mcp': ['run'],
  'DELETE /mcp': ['run'],
  'POST /a2a/:agent': [],
  'POST /a2a/:agent SendMessage': ['run'],
  'POST /a2a/:agent SendMessage taskId': ['decide', 'read'],
  'POST /a2a/:agent GetTask': ['read'],
  'POST /a2a/:agent SubscribeToTask': ['read'],
  'POST /a2a/:agent CancelTask': ['decide', 'read'],
  'GET /a2a/:agent/.well-known/agent-card.json': [],
  'GET /.well-known/agent-card.json': [],
} as const satisfies { readonly [route: string]: RouteScopes };

export type RouteName = keyof typeof routeScopes;

/** The scopes of a route. */
export function scopesOf(route: RouteName): RouteScopes {
  return routeScopes[route];
}

/** The name of a route in the table. Throws an Error for a route that the table does not have: no caller may use it. */
export function routeName({ method, path }: { method: string; path: string }): RouteName {
  const name = `${method.toUpperCase()} ${path}`;
  if (Object.hasOwn(routeScopes, name)) return name as RouteName; // just looked for
  throw new Error(`The table of routes does not have ${name}.`);
}
