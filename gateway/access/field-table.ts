import { type CallerField, type StartPermission, startFieldList } from '../../agent/start/start-fields.ts';

/**
 * Rights beside the scopes. The fields of a body that a caller may set: `history` (messages of the roles system and assistant), `variables`
 * (texts in the prompt), `model`, `limits` (iterations and time), `budget` (tokens and money), `context` (for whom tools act), `tags`, `priority`,
 * `client-tools` (tools that the caller carries out), `edits` (results of tools). `all-runs`: see and steer the runs and sessions of all
 * callers of the tenant. `own-approvals`: decide on approvals of runs that the caller started.
 */
export type Permission = StartPermission | 'edits' | 'all-runs' | 'own-approvals';

/** The fields of a start that a caller may set, with their permissions. */
const callerFields = startFieldList.flatMap(({ name, may }) =>
  may === undefined ? [] : [{ name: name as CallerField, may }],
); // the fields with `may`

export const permissions: readonly Permission[] = [
  ...new Set<Permission>(callerFields.map(({ may }) => may)),
  'edits',
  'all-runs',
  'own-approvals',
];

/** Routes that take a body with fields. `a2a` and `mcp` have one body for all: their messages. */
export const bodyRoutes = [
  'POST /runs',
  'POST /runs/{id}/fork',
  'POST /runs/{id}/extend',
  'POST /ui/:agent/chat',
  'POST /ag-ui/:agent',
  'POST /v1/chat/completions',
  'POST /v1/responses',
  'POST /a2a/:agent',
  'POST /mcp',
] as const;
export type BodyRoute = (typeof bodyRoutes)[number];

/**
 * A field on a route. `needs`: 403 without the permission. `unknown`: refused from everybody (400). `ignored`: no effect. `quoted`:
 * without the permission the messages are one message of the role user. `agent`: names the agent.
 */
export type FieldRule = 'needs' | 'unknown' | 'ignored' | 'quoted' | 'agent';

interface BodyField {
  may: Permission;
  on: { readonly [R in BodyRoute]: FieldRule };
}

/** A field of a start, on the routes that start runs. */
const start = {
  'POST /runs': 'needs',
  'POST /runs/{id}/fork': 'unknown',
  'POST /runs/{id}/extend': 'unknown',
  'POST /ui/:agent/chat': 'needs',
  'POST /ag-ui/:agent': 'needs',
  'POST /v1/chat/completions': 'needs',
  'POST /v1/responses': 'needs',
  'POST /a2a/:agent': 'ignored',
  'POST /mcp': 'ignored',
} as const;

/** A field that one route has. */
const nowhere = {
  ...start,
  'POST /runs': 'unknown',
  'POST /ui/:agent/chat': 'ignored',
  'POST /ag-ui/:agent': 'ignored',
  'POST /v1/chat/completions': 'ignored',
  'POST /v1/responses': 'ignored',
} as const;

const messages = {
  ...nowhere,
  'POST /v1/chat/completions': 'quoted',
  'POST /v1/responses': 'quoted',
} as const;

const extend = { ...nowhere, 'POST /runs/{id}/extend': 'needs' } as const;

/** Rules of single fields of a start on single routes. */
const exceptions: { readonly [F in CallerField]?: { readonly [R in BodyRoute]?: FieldRule } } = {
  model: {
    'POST /runs/{id}/fork': 'needs',
    'POST /v1/chat/completions': 'agent',
    'POST /v1/responses': 'agent',
  },
  maxIterations: { 'POST /runs/{id}/fork': 'needs' },
  maxExecutionTime: { 'POST /runs/{id}/fork': 'needs' },
  // AG-UI has a field of this name, which is another.
  context: { 'POST /ag-ui/:agent': 'unknown' },
  // These protocols have tools of the caller in their own field.
  clientTools: {
    'POST /ag-ui/:agent': 'ignored',
    'POST /v1/chat/completions': 'ignored',
    'POST /v1/responses': 'ignored',
  },
};

function fieldsOfStart() {
  return Object.fromEntries(
    callerFields.map(({ name, may }) => [name, { may, on: { ...start, ...exceptions[name] } }]),
  ) as { readonly [F in CallerField]: BodyField }; // one for each
}

/**
 * The one table of fields that decide over identity, model, money or history. The gateway asks this table, and SECURITY.md shows it. The
 * fields of messages are those of an earlier message in the list `messages` or `input`.
 */
export const bodyFields = {
  ...fieldsOfStart(),
  tools: {
    may: 'client-tools',
    on: {
      ...nowhere,
      'POST /ag-ui/:agent': 'needs',
      'POST /v1/chat/completions': 'needs',
      'POST /v1/responses': 'needs',
    },
  },
  edits: { may: 'edits', on: { ...nowhere, 'POST /runs/{id}/fork': 'needs' } },
  'system message': { may: 'history', on: messages },
  'developer message': { may: 'history', on: messages },
  'assistant message': { may: 'history', on: messages },
  instructions: { may: 'history', on: { ...nowhere, 'POST /v1/responses': 'quoted' } },
  iterations: { may: 'limits', on: extend },
  time: { may: 'limits', on: extend },
  tokens: { may: 'budget', on: extend },
  cost: { may: 'budget', on: extend },
} as const satisfies { readonly [field: string]: BodyField };

export type FieldName = keyof typeof bodyFields;

/** The fields that need a permission on a route. */
export function fieldsThatNeed(route: BodyRoute): { field: FieldName; may: Permission }[] {
  return Object.entries(bodyFields).flatMap(
    ([field, { may, on }]) => (on[route] === 'needs' ? [{ field: field as FieldName, may }] : []), // a key of the table
  );
}
