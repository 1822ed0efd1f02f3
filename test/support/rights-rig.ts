import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod/v4';
import { createGateway } from '../../gateway/gateway.ts';
import type { Scope, TokenCaller } from '../../gateway/http/caller.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { type Rig, useRig } from './rig.ts';
import { modelOf } from './scripts.ts';

export const paid: { amount: unknown; user: unknown }[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'pays; a person approves each payment',
  approval: 'always',
  input: z.object({ amount: z.number() }),
  run({ amount }, { context }) {
    paid.push({ amount, user: context['user'] });
    return `paid ${amount}`;
  },
});
const whoami = defineTool({
  name: 'whoami',
  description: 'the user of the run',
  input: z.object({}),
  run: (_input, { context }) => context['user'] ?? null,
});
const tokens: string[] = [];
const later = defineTool({
  name: 'later',
  description: 'leaves its result to a webhook',
  input: z.object({}),
  async run(_input, context) {
    tokens.push((await context.defer()).token);
    return 'sent';
  },
});

/** Calls the tool that the last message of the user names, then answers with the request as it was asked. */
const model = modelOf((_step, { prompt }) => {
  const messages = prompt.type === 'messages' ? prompt.messages : [];
  const last = messages.at(-1);
  const [, name, input] = /^CALL (\w+) (.*)$/su.exec(textOf(last?.content)) ?? [];
  if (last?.role !== 'user' || name === undefined) return JSON.stringify(messages);
  return { text: 'One moment.', toolCalls: [{ id: 'c1', name, arguments: input ?? '{}' }] };
});
const textOf = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content));

const plain = { kind: 'tool-calling', model } as const;
export const agents = [
  { ...plain, name: 'desk', clientTools: true, tools: [pay, whoami, later] },
  { ...plain, name: 'hidden', tools: [] },
];
const ADDRESS = 'http://10.7.7.7:8000';
const breaking = (name: string, onFailure: 'ask' | 'fail' | 'observe') =>
  defineTool({
    name,
    description: 'fails',
    onFailure,
    retry: { maxAttempts: 1 },
    run: () => Promise.reject(new Error(`${ADDRESS} refused`)),
  });
/** Calls the tool that the question names; its errors name an address. The question `model` fails at the model. */
export const fragile = {
  name: 'fragile',
  kind: 'tool-calling',
  tools: [breaking('asks', 'ask'), breaking('fails', 'fail'), breaking('tells', 'observe')],
  model: modelOf((step, { prompt }) => {
    const name = prompt.type === 'messages' ? textOf(prompt.messages.at(-1)?.content) : '';
    if (step !== '1') return 'done';
    if (name === 'model') throw new ModelError('ModelBadRequest', `${ADDRESS} refused`, { retryable: false });
    return { toolCalls: [{ id: 'c1', name, arguments: '{"input":"x"}' }] };
  }),
} as const;
let rig: Rig;

/** A worker for these agents, which `ask` reaches through a gateway. */
export function useRightsRig(): Rig {
  rig = useRig({ agents: [...agents, fragile], context: z.object({ user: z.string().optional() }) });
  return rig;
}

/** A caller for one test. Names are unique over files that share a server, so that callers have no runs of other tests. */
let callers = 0;
const file = randomUUID().slice(0, 8);
export function caller(more: Partial<TokenCaller> = {}): TokenCaller {
  callers += 1;
  return {
    token: `token-of-a-caller-${callers}`,
    name: `caller-${file}-${callers}`,
    tenant: 'rights',
    scopes: [],
    ...more,
  };
}
export const EVERY = ['chat', 'run', 'read', 'decide', 'inspect'] satisfies Scope[];

export interface Sent {
  path: string;
  body?: object;
  headers?: { [name: string]: string };
  /** Default: as the route says. */
  method?: string;
}

export async function ask(
  who: TokenCaller,
  route: string,
  { path, body, headers }: Sent,
  served: readonly ({ name: string; clientTools?: boolean } | undefined)[] = [agents[0]],
) {
  const gateway = createGateway(rig.client, {
    chat: true,
    tokens: [who],
    agents: served.flatMap((agent) =>
      agent === undefined ? [] : [{ name: agent.name, clientTools: agent.clientTools }],
    ),
  });
  const [method = ''] = route.split(' ');
  const response = await gateway.fetch(
    new Request(`http://gateway${path}`, {
      method,
      headers: {
        authorization: `Bearer ${who.token}`,
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(20_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  return response;
}

/** The status and the text; of a stream that stays open, the text of 3 s, or until it has what is awaited. */
export async function answered(
  response: Response,
  awaited?: string,
): Promise<{ status: number; text: string }> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream) return { status: response.status, text: await response.text() };
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return { status: response.status, text };
  const ms = awaited === undefined ? 3000 : 30_000;
  const until = Date.now() + ms;
  const hasIt = () => awaited !== undefined && text.includes(awaited);
  while (Date.now() < until && !hasIt()) {
    const next = await Promise.race([
      reader.read(),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms)),
    ]);
    if (next === undefined || next.done) break;
    text += next.value;
  }
  await reader.cancel();
  return { status: response.status, text };
}

/** Owner of the things that the request names. */
export interface Target {
  run: string;
  /** A wait of the run, as protocols write it. */
  approval: string;
  session: string;
  token: string;
}

export const NONE: Target = { run: 'none', approval: 'none:1.1:0', session: 'none', token: 'none' };

let asked = 0;
export const question = () => `Question ${(asked += 1)}`;
export const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
export const tool = (name: string, given: object) => rpc('tools/call', { name, arguments: given });
export const message = (more: object = {}) => ({
  messageId: question(),
  role: 'ROLE_USER',
  parts: [{ text: 'approve' }],
  ...more,
});
/** Somebody's run that waits for approval, with a session and a deferred call. */
export async function belongings(who: TokenCaller): Promise<Target> {
  const start = async (more: object) => {
    const response = await ask(who, 'POST /runs', { path: '/runs', body: { agent: 'desk', ...more } });
    return ((await response.json()) as { id: string }).id;
  };
  const session = `talk-${who.name}`;
  const run = await start({ input: 'CALL pay {"amount":1}' });
  await start({ input: 'SECRET of the session', session });
  const before = tokens.length;
  await start({ input: 'CALL later {}' });
  await expect.poll(() => tokens.length).toBe(before + 1);
  await expect
    .poll(async () => (await rig.client.get(run).describe()).waiting)
    .toMatchObject([{ call: '1.1' }]);
  return { run, approval: `${run}:1.1:0`, session, token: tokens.at(-1) ?? '' };
}
