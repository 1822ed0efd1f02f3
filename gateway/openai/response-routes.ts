import { z } from '@hono/zod-openapi';
import { RunNotFound } from '../../client/index.ts';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import { demand } from '../http/caller.ts';
import type { ProtocolRequest, ProtocolRoute } from '../http/protocol.ts';
import { orErrorText, sseResponse } from '../replies/sse-response.ts';
import type { Approval } from '../start/approvals.ts';
import { readFields } from '../start/set-fields.ts';
import { type StartedRun, startRun } from '../start/start-run.ts';
import { giveResults } from '../start/give-results.ts';
import { sentHistory } from './sent-history.ts';
import { type Reply, type ReplyOptions, followReply } from '../replies/follow-reply.ts';
import { partsAfter } from '../replies/parts-after.ts';
import { Refused } from '../http/problem.ts';
import { itemPage } from './input-items.ts';
import { askedMessages, ownRunOf, previousMessages } from './previous-messages.ts';
import { bad } from '../http/read-body.ts';
import { type ResponseRequest, readResponseRequest } from './requests/read-response.ts';
import { createResponseItems } from './response-items.ts';
import {
  type RequestEcho,
  type ResponseObject,
  queuedResponse,
  responseObject,
  statusAtEnd,
  statusOf,
} from './response-object.ts';
import { responseErrorText, responseStream } from './response-stream.ts';
import { answerAfterStart } from './answer-after-start.ts';

export const responseRoutes: readonly ProtocolRoute[] = [
  { method: 'post', path: '/responses', handle: createResponse },
  { method: 'get', path: '/responses/:id', handle: getResponse },
  { method: 'get', path: '/responses/:id/input_items', handle: listInputItems },
  { method: 'post', path: '/responses/:id/cancel', handle: cancelResponse },
  { method: 'delete', path: '/responses/:id', handle: refuseDeletion },
];

async function createResponse(request: ProtocolRequest): Promise<Response> {
  const asked = await readResponseRequest(request.request, request.agents);
  const { started, answered } = await startOrDecide(request, asked);
  const { stream, isBackground, echo } = asked;
  if (stream) {
    const until = isBackground ? 'end' : 'wait';
    const texts = (signal: AbortSignal) => {
      const open = async () => replyAfter(await followReply(request, started, { until, signal }), answered);
      return responseStream(open, { echo, report: request.report });
    };
    return answerAfterStart(request, started.id, { texts, errorText: responseErrorText });
  }
  if (!started.hasBegun) return Response.json(queuedResponse(started.id, { agent: asked.agent ?? '', echo }));
  const until = isBackground ? 'now' : 'wait';
  const answer = (signal: AbortSignal) =>
    responseOf(request, started.id, { until, signal }, { echo, answered });
  return answerAfterStart(request, started.id, { answer });
}

async function getResponse(request: ProtocolRequest): Promise<Response> {
  const id = await ownRunOf(request, request.params['id'] ?? '');
  const { stream, starting_after: after } = readQuery(request.request);
  if (stream !== 'true') {
    return Response.json(await responseOf(request, id, { until: 'now', signal: request.request.signal }));
  }
  if (!(await request.client.get(id).exists())) throw new RunNotFound(id);
  return sseResponse(request.request, (signal) => {
    const open = () => followReply(request, { id }, { until: 'end', signal });
    return orErrorText(responseStream(open, { after, report: request.report }), (error) => {
      request.report(error);
      return responseErrorText(error);
    });
  });
}

async function listInputItems(request: ProtocolRequest): Promise<Response> {
  const run = await ownRunOf(request, request.params['id'] ?? '');
  return Response.json(itemPage(run, await askedMessages(request, run), request.request));
}

/** The record of a run shows what its tools have done. */
async function refuseDeletion(request: ProtocolRequest): Promise<never> {
  const run = await ownRunOf(request, request.params['id'] ?? '');
  const what = `A response is the record of run ${run}, which stays until the retention of Temporal's namespace is over. \`cancel\` ends a run that has not ended.`;
  throw new Refused(405, 'RunsAreKept', what);
}

/** A run that is over stays as it is. */
async function cancelResponse(request: ProtocolRequest): Promise<Response> {
  const run = await ownRunOf(request, request.params['id'] ?? '');
  const before = await responseOf(request, run, { until: 'now', signal: request.request.signal });
  if (before.status !== 'in_progress') return Response.json(before);
  await request.client.get(run).cancel();
  const after = await withTimeLimit(CANCEL_MS, request.request.signal, (signal) =>
    responseOf(request, run, { until: 'end', signal }),
  );
  return Response.json(after);
}

/** A run ends at once when it is cancelled, unless a tool takes its time. */
const CANCEL_MS = 5000;

const query = z.object({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
});

function readQuery({ url }: Request): z.output<typeof query> {
  const { data, error } = query.safeParse(Object.fromEntries(new URL(url).searchParams));
  if (error !== undefined) throw bad('`stream` is true or false, and `starting_after` is a sequence number.');
  return data;
}

/** `answered`: the waits for the client that it has answered in a run that continues. */
async function startOrDecide(
  request: ProtocolRequest,
  { approvals, results, question, agent, session, body }: ResponseRequest,
): Promise<{ started: StartedRun; answered: readonly Approval[] }> {
  const ready = () => {
    const asked = question();
    if (asked.previous !== undefined) demand(request.caller, 'POST /v1/responses previous_response_id');
    return { ...asked, fields: readFields(request.caller, 'POST /v1/responses', body) };
  };
  const answers = { persons: approvals, results };
  const taken =
    approvals.length + results.length > 0
      ? await giveResults(request, agent, answers, { question: ready, route: 'POST /v1/responses approvals' })
      : undefined;
  if (taken?.run !== undefined)
    return { started: { id: taken.run, hasBegun: true }, answered: taken.results };
  if (agent === undefined) throw bad('model: name the agent.');
  const { input, clientTools, previous, chatHistory: sent, fields: set } = ready();
  const before = previous === undefined ? [] : await previousMessages(request, previous);
  const { chatHistory: given = [], ...fields } = set;
  const chatHistory = [...given, ...before, ...sentHistory(request.caller, sent)];
  const key = request.request.headers.get('idempotency-key') ?? taken?.left;
  const started = await startRun(request, {
    ...fields,
    clientTools,
    agent,
    input,
    chatHistory,
    session,
    key,
  });
  return { started, answered: [] };
}

async function responseOf(
  request: ProtocolRequest,
  run: string,
  options: ReplyOptions,
  { echo, answered = [] }: { echo?: RequestEcho; answered?: readonly Approval[] } = {},
): Promise<ResponseObject> {
  const reply = replyAfter(await followReply(request, { id: run }, options), answered);
  const output = await outputOf(reply);
  const { view, startedAt } = reply;
  const status = options.until === 'wait' ? statusAtEnd(view) : statusOf(view);
  return responseObject({ view, startedAt, output, echo, status });
}

/** A response to results of the client's tools has the items after them: a client would carry out their calls again. */
function replyAfter(reply: Reply, answered: readonly Approval[]): Reply {
  return answered.length === 0 ? reply : { ...reply, parts: partsAfter(reply.parts, answered) };
}

async function outputOf({ view, parts }: Reply): Promise<ResponseObject['output']> {
  const items = createResponseItems(view.id);
  for await (const { part } of parts) items.next(part);
  return items.output();
}
