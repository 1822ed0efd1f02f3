import { route } from '../http/route.ts';
import * as schemas from './schemas.ts';
import { ownPrefix, recordedName } from '../http/tenant.ts';

export const sessionRoutes = [
  route({
    method: 'get',
    path: '/sessions',
    scope: 'read',
    summary: 'List sessions, latest first',
    query: schemas.limitQuery,
    response: schemas.sessionList,
    handle: ({ client, caller, query: { limit = 50 } }) => allOf(client.sessions(limit, ownPrefix(caller))),
  }),
  route({
    method: 'get',
    path: '/sessions/{name}',
    scope: 'read',
    summary: 'The messages of a session, and its runs',
    response: schemas.sessionReport,
    handle: ({ client, caller, name }) => client.session(recordedName(caller, name)).describe(),
  }),
  route({
    method: 'delete',
    path: '/sessions/{name}/messages',
    scope: 'run',
    summary: 'Forget the conversation',
    status: 204,
    handle: ({ client, caller, name }) => client.session(recordedName(caller, name)).clear(),
  }),
  route({
    method: 'get',
    path: '/agents',
    scope: 'read',
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
