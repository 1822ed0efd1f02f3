import type { Json } from '../../client/index.ts';
import { readToken } from '../../agent/calls/defer-token.ts';
import { route } from '../http/route.ts';
import * as schemas from './schemas.ts';
import { ownRun, seenOwner } from '../start/own-runs.ts';
import { ownPrefix, recordedName } from '../http/tenant.ts';
import { readFields } from '../start/set-fields.ts';
import { startRun } from '../start/start-run.ts';

export const runRoutes = [
  route({
    method: 'post',
    path: '/runs',
    summary:
      'Start a run. The same `Idempotency-Key`, or the same id, gives the same run. 202: the run waits for its turn in the session',
    body: schemas.runStart,
    response: schemas.runStarted,
    status: 201,
    async handle({
      client,
      caller,
      body: { agent, input, id: requested, session, ...fields },
      agents,
      imageHosts,
      request,
    }) {
      const key = request.headers.get('idempotency-key') ?? undefined;
      const { id, hasBegun } = await startRun(
        { client, caller, agents, imageHosts },
        { agent, input, id: requested, session, key, ...readFields(caller, 'POST /runs', fields) },
      );
      return hasBegun ? { id } : Response.json({ id }, { status: 202 });
    },
  }),
  route({
    method: 'get',
    path: '/runs',
    summary: 'List runs, open ones first, latest first',
    query: schemas.runQuery,
    response: schemas.runPage,
    async handle({ client, caller, query: { tag, session, ...query } }) {
      const { runs, nextPage } = await client.listPage({
        ...query,
        tags: tag,
        session: session === undefined ? undefined : recordedName(caller, session),
        idPrefix: ownPrefix(caller) || undefined,
        owner: seenOwner(caller),
      });
      return { runs, nextPage };
    },
  }),
  route({
    method: 'get',
    path: '/runs/{id}',
    summary: 'The state of a run',
    response: schemas.runReport,
    handle: ({ run }) => run.describe(),
  }),
  route({
    method: 'get',
    path: '/runs/{id}/events',
    summary: 'The events of a run as server-sent events, from the first one, or after `Last-Event-ID`',
    query: schemas.eventsQuery,
    handle: ({ run, query: { after, subAgents }, request }) =>
      run.toResponse({
        after: request.headers.get('last-event-id') || after,
        subAgents,
        signal: request.signal,
      }),
  }),
  route({
    method: 'get',
    path: '/runs/{id}/export',
    summary: 'The whole run, with its sub-agents',
    response: schemas.runExport,
    handle: ({ run }) => run.export(),
  }),
  route({
    method: 'post',
    path: '/deferred',
    summary: 'Give the result of a deferred call, by the token that its tool gave out',
    body: schemas.deferredResult,
    response: schemas.decisionReceipt,
    async handle({ client, caller, body: { token, output } }) {
      const found = readToken(token);
      if (found !== undefined) await ownRun({ client, caller }, found.id);
      return client.resolve(token, output as Json); // a body is JSON
    },
  }),
];
