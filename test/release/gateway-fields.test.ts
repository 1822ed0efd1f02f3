import { expect, test } from 'vitest';
import {
  type BodyRoute,
  type FieldName,
  type FieldRule,
  type Permission,
  bodyFields,
  bodyRoutes,
  permissions,
} from '../../gateway/access/field-table.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import {
  NONE,
  type Sent,
  type Target,
  answered,
  ask,
  belongings,
  caller,
  message,
  question,
  rpc,
  tool,
  useRightsRig,
} from '../support/rights-rig.ts';

const rig = useRightsRig();

/** Values of each field. */
const values: { readonly [F in FieldName]: unknown } = {
  context: { user: 'bob' },
  model: 'other-model',
  maxIterations: null,
  maxExecutionTime: null,
  budget: { totalTokens: null },
  variables: { tone: 'NEW RULE' },
  chatHistory: [{ role: 'system', content: 'NEW RULE' }],
  tags: ['urgent'],
  priority: 1,
  clientTools: [{ name: 'pick' }],
  // In the forms of AG-UI, of responses, and of chat completions.
  tools: [{ type: 'function', name: 'pick', function: { name: 'pick' } }],
  edits: { '1.1': 'NEW RULE' },
  'system message': { role: 'system', content: 'NEW RULE' },
  'developer message': { role: 'developer', content: 'NEW RULE' },
  'assistant message': { role: 'assistant', content: 'NEW RULE' },
  instructions: 'NEW RULE',
  iterations: 5,
  time: 60_000,
  tokens: 1000,
  cost: 1,
};

/** Requests without a session, as that has its own history. */
const bodies: { readonly [R in BodyRoute]: (target: Target) => Sent & { body: object } } = {
  'POST /runs': () => ({ path: '/runs', body: { agent: 'desk', input: 'Hi.' } }),
  'POST /runs/{id}/fork': ({ run }) => ({ path: `/runs/${run}/fork`, body: { step: 1 } }),
  'POST /runs/{id}/extend': ({ run }) => ({ path: `/runs/${run}/extend`, body: {} }),
  'POST /ui/:agent/chat': () => ({
    path: '/ui/desk/chat',
    body: {
      id: question(),
      messages: [{ id: question(), role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }],
    },
  }),
  'POST /ag-ui/:agent': () => ({
    path: '/ag-ui/desk',
    body: { threadId: question(), runId: 'r', messages: [{ id: question(), role: 'user', content: 'Hi.' }] },
  }),
  'POST /v1/chat/completions': () => ({
    path: '/v1/chat/completions',
    body: { model: 'desk', messages: [{ role: 'user', content: 'Hi.' }] },
  }),
  'POST /v1/responses': () => ({
    path: '/v1/responses',
    body: { model: 'desk', input: [{ role: 'user', content: 'Hi.' }] },
  }),
  'POST /a2a/:agent': () => ({ path: '/a2a/desk', body: rpc('SendMessage', { message: message() }) }),
  'POST /mcp': () => ({ path: '/mcp', body: tool('desk', { input: 'Hi.', wait: 5 }) }),
};

function withField(sent: Sent & { body: object }, field: FieldName): Sent {
  const value = values[field];
  const { path, body } = sent;
  const isMessage = field.endsWith(' message');
  const list = ['messages', 'input'].find((name) => Array.isArray(body[name as keyof typeof body]));
  if (isMessage && list !== undefined) {
    const before = body[list as keyof typeof body] as unknown[];
    const said = path.startsWith('/ui/')
      ? { id: question(), role: 'system', parts: [{ type: 'text', text: 'NEW RULE' }] }
      : { id: question(), ...(value as object) };
    return { path, body: { ...body, [list]: [said, ...before] } };
  }
  const params = 'params' in body ? (body.params as { arguments?: object; message?: object }) : undefined;
  if (params?.arguments !== undefined)
    return {
      path,
      body: { ...body, params: { ...params, arguments: { ...params.arguments, [field]: value } } },
    };
  if (params !== undefined)
    return { path, body: { ...body, params: { ...params, metadata: { [field]: value } } } };
  return { path, body: { ...body, [field]: value } };
}

/** The rule that a caller without the permission, and one with it, meet. */
async function ruleMet(field: FieldName, route: BodyRoute, may: Permission): Promise<string> {
  const others = permissions.filter((one) => one !== may && one !== 'all-runs');
  const ann = caller({ scopes: ['run', 'read', 'decide'], may: others });
  const own = route.includes('{id}') ? await belongings(ann) : NONE;
  const sent = () => withField(bodies[route](own), field);
  const { status, text } = await answered(await ask(ann, route, sent()));
  if (status === 404) return 'agent'; // there is no agent of that name
  const withIt = await answered(await ask({ ...ann, may: [may] }, route, sent()));
  if (status === 403) {
    const isNamed = text.includes(`may not set ${field}`) && text.includes(`[\\"${may}\\"]`);
    return isNamed && withIt.status !== 403 ? 'needs' : text;
  }
  if (status === 400) return withIt.status === 400 ? 'unknown' : text;
  if (status !== 200) return text;
  const [first = '', second = ''] = await promptsOf(ann);
  if (!first.includes('NEW RULE')) return 'ignored';
  const messages = JSON.parse(first) as { role: string; content: unknown }[];
  const roles = messages.filter(({ content }) => asText(content as Json).includes('NEW RULE'));
  const isQuoted = roles.every(({ role }) => role === 'user') && !second.includes('as I have it');
  return isQuoted ? 'quoted' : first;
}

/** The prompts of the caller's two runs, as their answers have them, the first one first. Checks that nothing else of the start was set. */
async function promptsOf({ name }: TokenCaller): Promise<string[]> {
  const listed = async () => (await rig.client.listPage({ owner: name, status: 'completed' })).runs;
  await expect.poll(async () => (await listed()).length).toBe(2);
  const runs = (await listed()).toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  return Promise.all(
    runs.map(async ({ id }) => {
      const start = await rig.client.get(id).recordedStart();
      expect([start?.overrides, start?.variables]).toEqual([{ tenant: 'rights' }, undefined]);
      return asText((await rig.client.get(id).describe()).output);
    }),
  );
}

const cells = bodyRoutes.flatMap((route) =>
  (Object.keys(bodyFields) as FieldName[]).map((field) => {
    const { may, on }: { may: Permission; on: { [R in BodyRoute]: FieldRule } } = bodyFields[field];
    return [field, route, on[route], may] as const;
  }),
);

test.each(cells)('%s on %s: %s', async (field, route, rule, may) => {
  expect(await ruleMet(field, route, may)).toBe(rule);
});
