import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentClient } from '../../client/api/agent-client.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { readToken } from '../../agent/calls/defer-token.ts';
import { RunNotFound, unless } from '../../client/connect/errors.ts';
import { runExists } from '../../client/read/run-location.ts';
import { newRunId } from '../../client/start/run-id.ts';
import type { Caller } from '../http/caller.ts';
import { Refused } from '../http/problem.ts';
import { type ServedAgent, route } from '../http/route.ts';
import * as schemas from './schemas.ts';
import { checkOwn, ownPrefix, recordedName } from '../http/tenant.ts';

/** Runs that are read at the same time. */
const READERS = 8;

export const runRoutes = [
  route({
    method: 'post',
    path: '/runs',
    scope: 'run',
    summary:
      'Start a run. The same `Idempotency-Key`, or the same id, gives the same run. 202: the run waits for its turn in the session',
    body: schemas.runStart,
    response: schemas.runStarted,
    status: 201,
    async handle({ client, caller, body: { agent, input, ...options }, agents, request }) {
      checkAgent(agents, agent);
      const key = request.headers.get('idempotency-key') ?? undefined;
      const id = idOf(caller, agent, options.id, key);
      if (key !== undefined) await checkSameStart(client, id, { agent, input });
      const { session, context, ...more } = options;
      await client.start(agent, input, {
        ...more,
        id,
        detach: true,
        tenant: caller.tenant,
        context: context as RunContext | undefined, // a body is JSON
        session: session === undefined ? undefined : recordedName(caller, session),
      });
      const isQueued = session !== undefined && !(await hasBegun(client, id));
      return isQueued ? Response.json({ id }, { status: 202 }) : { id };
    },
  }),
  route({
    method: 'get',
    path: '/runs',
    scope: 'read',
    summary: 'List runs, open ones first, latest first',
    query: schemas.runQuery,
    response: schemas.runPage,
    async handle({ client, caller, query: { tag, session, ...query } }) {
      const { runs, nextPage } = await client.listPage({
        ...query,
        tags: tag,
        session: session === undefined ? undefined : recordedName(caller, session),
        idPrefix: ownPrefix(caller) || undefined,
      });
      return { runs, nextPage };
    },
  }),
  route({
    method: 'get',
    path: '/runs/{id}',
    scope: 'read',
    summary: 'The state of a run',
    response: schemas.runReport,
    handle: ({ run }) => run.describe(),
  }),
  route({
    method: 'get',
    path: '/runs/{id}/events',
    scope: 'read',
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
    scope: 'read',
    summary: 'The whole run, with its sub-agents',
    response: schemas.runExport,
    handle: ({ run }) => run.export(),
  }),
  route({
    method: 'get',
    path: '/waiting',
    scope: 'read',
    summary: 'Runs that wait for a person',
    query: schemas.limitQuery,
    response: schemas.waitingList,
    async handle({ client, caller, query: { limit = 50 } }) {
      const idPrefix = ownPrefix(caller) || undefined;
      const { runs } = await client.listPage({ status: 'waiting', limit, idPrefix });
      // A sub-agent's waits are those of its parent too.
      const own = runs.filter(({ parent, session }) => parent === undefined || session !== undefined);
      return aFewAtATime(own, READERS, async ({ id }) => ({ run: await client.get(id).describe() }));
    },
  }),
  route({
    method: 'post',
    path: '/deferred',
    scope: 'decide',
    summary: 'Give the result of a deferred call, by the token that its tool gave out',
    body: schemas.deferredResult,
    response: schemas.decisionReceipt,
    handle({ client, caller, body: { token, output } }) {
      const found = readToken(token);
      if (found !== undefined) checkOwn(caller, found.id);
      return client.resolve(token, output as Json); // a body is JSON
    },
  }),
];

/** A run of a session that nobody else uses begins at once. */
const BEGIN_MS = 5000;
const POLL_MS = 100;

/** Resolves when the run is there, or false after some seconds. */
async function hasBegun({ temporal }: AgentClient, id: string): Promise<boolean> {
  for (const end = Date.now() + BEGIN_MS; Date.now() < end; await sleep(POLL_MS)) {
    if (await runExists(temporal, id)) return true;
  }
  return false;
}

function checkAgent(agents: readonly ServedAgent[] | undefined, agent: string): void {
  if (agents === undefined || agents.some(({ name }) => name === agent)) return;
  throw new Refused(
    404,
    'AgentNotFound',
    `There is no agent ${JSON.stringify(agent)}. GET /agents lists them.`,
  );
}

/** The id that was given; of an idempotency key always the same one. */
function idOf(caller: Caller, agent: string, id: string | undefined, key: string | undefined): string {
  if (id !== undefined && key !== undefined) {
    throw new Refused(400, 'InvalidInput', 'There are an id and an Idempotency-Key: give one of them.');
  }
  if (key === undefined) return recordedName(caller, id ?? newRunId(agent));
  const digest = createHash('sha256').update(JSON.stringify([caller.tenant ?? '', caller.name, key]));
  return recordedName(caller, `${agent}-${digest.digest('hex').slice(0, 24)}`);
}

/** Throws for a key that began another run. */
async function checkSameStart(
  client: AgentClient,
  id: string,
  start: { agent: string; input: unknown },
): Promise<void> {
  const begun = await unless(RunNotFound, client.get(id).describe());
  if (begun === undefined) return;
  if (begun.agent === start.agent && JSON.stringify(begun.input) === JSON.stringify(start.input)) return;
  throw new Refused(
    422,
    'KeyUsed',
    'This Idempotency-Key has started another run. Take a new key for another question.',
  );
}
