import { Refused } from '../http/problem.ts';
import type { ProtocolRequest, ProtocolRoute } from '../http/protocol.ts';
import type { ServedAgent } from '../http/route.ts';
import { servedAgent } from '../start/start-run.ts';
import { versionOf } from './a2a-version.ts';
import { agentCard } from './agent-card.ts';
import { callMethod } from './call-method.ts';

const CARD = '/agent-card.json';
const WELL_KNOWN_CARD = `/.well-known${CARD}`;

export const a2aRoutes: readonly ProtocolRoute[] = [
  { method: 'post', path: '/:agent', handle: callMethod },
  { method: 'get', path: `/:agent${WELL_KNOWN_CARD}`, handle: cardOfAgent },
];

/** A host has one well-known path. The gateway has the card of its only agent there. */
export const wellKnownRoutes: readonly ProtocolRoute[] = [
  { method: 'get', path: CARD, handle: cardOfOnlyAgent },
];

async function cardOfAgent({ request, agents, params, publicUrl }: ProtocolRequest): Promise<Response> {
  const agent = servedAgent(agents, params['agent'] ?? '');
  return cardResponse(request, agent, publicUrl && `${publicUrl}${pathOf(agent)}`);
}

async function cardOfOnlyAgent({ request, agents = [], publicUrl }: ProtocolRequest): Promise<Response> {
  const [agent, ...others] = agents;
  if (agent === undefined || others.length > 0) {
    const what = `The card of each agent is at /a2a/AGENT${WELL_KNOWN_CARD}. GET /agents lists the agents.`;
    throw new Refused(404, 'AgentNotFound', what);
  }
  return cardResponse(request, agent, `${publicUrl ?? urlBeforeCard(request)}${pathOf(agent)}`);
}

function pathOf({ name }: ServedAgent): string {
  return `/a2a/${encodeURIComponent(name)}`;
}

function cardResponse(request: Request, agent: ServedAgent, url = urlBeforeCard(request)): Response {
  const hasToken = /^Bearer /iu.test(request.headers.get('authorization') ?? '');
  return Response.json(agentCard(agent, { url, version: versionOf(request), hasToken }));
}

/** The URL of the request without the well-known path. A proxy with TLS says so in a header. */
function urlBeforeCard({ url, headers }: Request): string {
  const { host, protocol, pathname } = new URL(url);
  const isTls = headers.get('x-forwarded-proto')?.startsWith('https') === true;
  return `${isTls ? 'https:' : protocol}//${host}${pathname.slice(0, -WELL_KNOWN_CARD.length)}`;
}
