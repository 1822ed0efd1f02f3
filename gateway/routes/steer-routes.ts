import { newRunId } from '../../client/start/run-id.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { route } from '../http/route.ts';
import { sentDecision } from '../http/sent-decision.ts';
import * as schemas from './schemas.ts';
import { recordedName } from '../http/tenant.ts';

export const steerRoutes = [
  route({
    method: 'post',
    path: '/runs/{id}/decisions',
    scope: 'decide',
    summary: 'Decide on a waiting call, or cancel a running one',
    body: schemas.decision,
    response: schemas.decisionReceipt,
    handle: ({ run, body: { call, wait, ...decision } }) => run.decide(call, sentDecision(decision), wait),
  }),
  route({
    method: 'post',
    path: '/runs/{id}/messages',
    scope: 'decide',
    summary: 'Tell the model something; the model sees the message at its next turn',
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
    scope: 'decide',
    summary: 'Raise limits of the run by these amounts',
    body: schemas.extension,
    status: 204,
    handle: ({ run, body }) => run.extend(body),
  }),
  route({
    method: 'post',
    path: '/runs/{id}/rewind',
    scope: 'decide',
    summary: 'Take the run back to before a step',
    body: schemas.rewindOptions,
    response: schemas.restarted,
    handle: ({ run, body }) => run.rewind(body),
  }),
  route({
    method: 'post',
    path: '/runs/{id}/retry',
    scope: 'decide',
    summary: 'Go on with a failed, cancelled or terminated run',
    body: schemas.retryOptions,
    bodyIsOptional: true,
    response: schemas.restarted,
    handle: ({ run, body }) => run.retry(body),
  }),
  route({
    method: 'post',
    path: '/runs/{id}/fork',
    scope: 'run',
    summary: 'Start a new run with the steps of this one before a step',
    body: schemas.forkOptions,
    response: schemas.restarted,
    status: 201,
    handle: ({ run, caller, body }) =>
      run.fork({ ...body, id: recordedName(caller, body.id ?? newRunId(run.id)) }),
  }),
];

function plain(verb: string, summary: string, handle: (run: AgentRun) => Promise<unknown>) {
  return route({
    method: 'post',
    path: `/runs/{id}/${verb}`,
    scope: 'decide',
    summary,
    status: 204,
    handle: ({ run }) => handle(run),
  });
}
