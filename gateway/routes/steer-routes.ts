import { type AgentRun, newRunId, type RunContext } from '../../client/index.ts';
import { type Caller, isAllowed } from '../http/caller.ts';
import { type RouteRequest, route } from '../http/route.ts';
import { sentDecision } from '../http/sent-decision.ts';
import { hasAsked, ownerName } from '../start/own-runs.ts';
import { Refused } from '../http/problem.ts';
import { decideAs, retryAs } from '../start/decide-as.ts';
import { checkFields } from '../start/set-fields.ts';
import { servedAgent } from '../start/start-run.ts';
import * as schemas from './schemas.ts';
import { recordedName } from '../http/tenant.ts';

export const steerRoutes = [
  route({
    method: 'post',
    path: '/runs/{id}/decisions',
    summary: 'Decide on a waiting call, or cancel a running one',
    body: schemas.decision,
    response: schemas.decisionReceipt,
    handle: ({ client, caller, run, body: { call, wait, ...decision } }) =>
      decideAs({ client, caller }, run, call, sentDecision(decision), wait),
  }),
  route({
    method: 'post',
    path: '/runs/{id}/messages',
    summary: 'Send the model a message; the model sees it at its next turn',
    body: schemas.message,
    status: 204,
    handle: ({ run, body }) => run.say(body.message),
  }),
  plain('pause', 'Start nothing new until the run is resumed', (run) => run.pause()),
  plain('resume', 'Resume a paused run', (run) => run.resume()),
  plain('cancel', 'Cancel the run; its steps stay', (run) => run.cancel()),
  route({
    method: 'post',
    path: '/runs/{id}/extend',
    summary: 'Raise limits of the run by these amounts',
    body: schemas.extension,
    status: 204,
    async handle({ caller, run, body }) {
      checkFields(caller, 'POST /runs/{id}/extend', body);
      return run.extend(body);
    },
  }),
  route({
    method: 'post',
    path: '/runs/{id}/rewind',
    summary: 'Take the run back to before a step',
    body: schemas.rewindOptions,
    response: schemas.restarted,
    async handle({ agents, run, body }) {
      await checkServed(agents, run);
      return run.rewind(body);
    },
  }),
  route({
    method: 'post',
    path: '/runs/{id}/retry',
    summary: 'Continue a failed, cancelled or terminated run',
    body: schemas.retryOptions,
    bodyIsOptional: true,
    response: schemas.restarted,
    async handle({ client, caller, agents, run, body }) {
      await checkServed(agents, run);
      return retryAs({ client, caller }, run, body);
    },
  }),
  route({
    method: 'post',
    path: '/runs/{id}/fork',
    summary: 'Start a new run with the steps of this one before a step',
    body: schemas.forkOptions,
    response: schemas.restarted,
    status: 201,
    async handle({ client, caller, agents, run, body }) {
      checkFields(caller, 'POST /runs/{id}/fork', body);
      await checkServed(agents, run);
      return run.fork({
        ...body,
        id: recordedName(caller, body.id ?? newRunId(run.id)),
        context: await contextOfFork(caller, run),
        keepClientTools: await hasAsked({ client, caller }, run.id),
      });
    },
  }),
];

function plain(verb: string, summary: string, handle: (run: AgentRun) => Promise<unknown>) {
  return route({
    method: 'post',
    path: `/runs/{id}/${verb}`,
    summary,
    status: 204,
    handle: ({ run }) => handle(run),
  });
}

/** Throws Refused for a run of an agent that callers may not start, and RunNotFound. */
async function checkServed(agents: RouteRequest<unknown, unknown>['agents'], run: AgentRun): Promise<void> {
  if (agents !== undefined) servedAgent(agents, (await run.labels()).agent);
}

/**
 * The caller's context, in place of the run's: the tools of the fork serve the caller. undefined: the run's own. Throws Refused where that
 * would be the context of another person.
 */
async function contextOfFork(caller: Caller, run: AgentRun): Promise<RunContext | undefined> {
  if (caller.context !== undefined || isAllowed(caller, 'context')) return caller.context;
  if ((await run.labels()).owner === ownerName(caller)) return undefined;
  const start = await run.recordedStart();
  if (start !== undefined && start.overrides.context === undefined) return undefined;
  throw new Refused(
    403,
    'Forbidden',
    `The fork would act in the context of another person. The entry of ${caller.name} needs a context, or may: ["context"].`,
  );
}
