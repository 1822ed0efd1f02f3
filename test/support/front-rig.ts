import { createAdaptorServer } from '@hono/node-server';
import { beforeAll } from 'vitest';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { createGateway } from '../../gateway/gateway.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { createGate } from './gate.ts';
import { type Rig, useRig } from './rig.ts';
import { guarded } from './sample-tools.ts';
import { inHalves, modelOf, promptOf, toolCall } from './scripts.ts';

let isBroken = true;
const fragile = defineTool({
  name: 'fragile',
  description: 'fails at first',
  run() {
    if (isBroken) throw new Error('no ink');
    return 'printed';
  },
});
const gate = createGate();
const slow = inHalves(gate);
const calling = (tool: string) =>
  modelOf((step) => (step === '1' ? { text: 'One moment.', toolCalls: [toolCall(tool)] } : 'done'));

const plain = { kind: 'tool-calling' } as const;
const agents = [
  { ...plain, name: 'echo', model: modelOf((_step, request) => `Asked: ${promptOf(request)}`) },
  { ...plain, name: 'careful', model: calling('guarded'), tools: [guarded] },
  { ...plain, name: 'printer', model: calling('fragile'), tools: [fragile] },
  { ...plain, name: 'slow', model: slow },
] satisfies AgentDefinition[];
const callers = {
  root: { token: 'admin-token-0123456789', name: 'root', scopes: ['admin'] },
  rita: { token: 'starter-token-0123456789', name: 'rita', scopes: ['run', 'read'] },
  ann: { token: 'acme-token-0123456789', name: 'ann', tenant: 'front-acme', scopes: ['admin'] },
  otto: { token: 'other-token-0123456789', name: 'otto', tenant: 'front-other', scopes: ['admin'] },
} satisfies { [name: string]: TokenCaller };
export type Who = keyof typeof callers;

/** Agents that echo, ask for approval, fail once, and write slowly, behind gateways. */
export interface FrontRig {
  rig: Rig;
  gate: ReturnType<typeof createGate>;
  /** Where the gateways are. */
  readonly url: string;
  headersOf(who: Who): { authorization: string };
  /** Breaks all connections. */
  cut(): void;
  /** The tool `fragile` does not fail any more. */
  repair(): void;
}

export function useFrontRig(): FrontRig {
  // Files of tests share this module.
  isBroken = true;
  const rig = useRig({ agents });
  let url = '';
  let cut = (): void => undefined;
  beforeAll(async () => {
    // Each request goes to a gateway of its own, as behind a balancer.
    const server = createAdaptorServer({
      fetch: (request) =>
        createGateway(rig.client, { tokens: Object.values(callers), agents }).fetch(request),
    });
    cut = () => 'closeAllConnections' in server && server.closeAllConnections();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    return () => void server.close();
  });
  return {
    rig,
    gate,
    get url() {
      return url;
    },
    headersOf: (who) => ({ authorization: `Bearer ${callers[who].token}` }),
    cut: () => cut(),
    repair: () => void (isBroken = false),
  };
}
