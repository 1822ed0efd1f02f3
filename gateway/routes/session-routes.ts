import { route } from '../http/route.ts';
import * as schemas from './schemas.ts';
import { ownSession, seenOwner } from '../start/own-runs.ts';
import { ownPrefix } from '../http/tenant.ts';

export const sessionRoutes = [
  route({
    method: 'get',
    path: '/sessions',
    summary: 'List sessions, latest first',
    query: schemas.limitQuery,
    response: schemas.sessionList,
    handle: ({ client, caller, query: { limit = 50 } }) =>
      allOf(client.sessions(limit, ownPrefix(caller), seenOwner(caller))),
  }),
  route({
    method: 'get',
    path: '/sessions/{name}',
    summary: 'The messages of a session, and its runs',
    response: schemas.sessionReport,
    handle: async (request) => (await ownSession(request, request.name)).describe(),
  }),
  route({
    method: 'delete',
    path: '/sessions/{name}/messages',
    summary: 'Forget the conversation',
    status: 204,
    handle: async (request) => (await ownSession(request, request.name)).clear(),
  }),
  route({
    method: 'get',
    path: '/agents',
    summary: 'The agents that can be started',
    response: schemas.agentList,
    handle: async ({ agents = [] }) => agents.map(({ name, description }) => ({ name, description })),
  }),
];

async function allOf<T>(found: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of found) all.push(one);
  return all;
}
