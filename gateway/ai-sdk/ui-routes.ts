import { RunNotFound, SessionNotFound } from '../../client/index.ts';
import { unless } from '../../client/connect/errors.ts';
import { mayUse } from '../http/caller.ts';
import type { ProtocolRequest, ProtocolRoute } from '../http/protocol.ts';
import { ownRun, ownSession } from '../start/own-runs.ts';
import { followReply, partsUntilBegun } from '../replies/follow-reply.ts';
import { sseResponse } from '../replies/sse-response.ts';
import { answerRun } from '../start/answer-run.ts';
import { type SetFields, readFields } from '../start/set-fields.ts';
import { type StartedRun, servedAgent, startRun } from '../start/start-run.ts';
import { type UiRequest, knowsNewerChunks, readUiRequest } from './read-ui-request.ts';
import type { ChunkOptions } from './ui-chunks.ts';
import { uiStream } from './ui-stream.ts';

export const uiRoutes: readonly ProtocolRoute[] = [
  { method: 'post', path: '/:agent/chat', handle: chat },
  { method: 'get', path: '/:agent/chat/:id/stream', handle: resume },
];

const APPROVALS = 'POST /ui/:agent/chat approvals';

async function chat(request: ProtocolRequest): Promise<Response> {
  const isNewer = knowsNewerChunks(request.request.headers);
  const asked = await readUiRequest(request.request);
  const fields = readFields(request.caller, 'POST /ui/:agent/chat', asked.body);
  if (asked.type === 'question') return streamOf(request, await ask(request, asked, fields), { isNewer });
  const use = { route: APPROVALS, agent: agentOf(request) } as const;
  const { id, waits } = await answerRun(request, asked, use);
  return streamOf(request, { id, hasBegun: true }, { isNewer, answered: waits });
}

/** Streams the message of the chat's latest run from its start, if that is a run of the agent. A page that has the message replaces it. */
async function resume(request: ProtocolRequest): Promise<Response> {
  const isNewer = knowsNewerChunks(request.request.headers);
  servedAgent(request.agents, agentOf(request));
  const own = ownSession(request, request.params['id'] ?? '');
  const found = await unless(
    SessionNotFound,
    own.then((session) => session.describe()),
  );
  const id = found?.queued.at(-1) ?? found?.runs.at(-1);
  if (found === undefined || id === undefined) return new Response(null, { status: 204 });
  const labels = await unless(RunNotFound, request.client.get(id).labels());
  const isQueued = labels === undefined;
  if (!isQueued && labels.agent !== agentOf(request)) return new Response(null, { status: 204 });
  const hasBegun = id !== found.running && !found.queued.includes(id);
  return streamOf(request, { id, hasBegun, session: found.name }, { isNewer, isQueued });
}

/** The chat is the session, and the message is the key: a message that is sent again gives the same run. */
function ask(
  request: ProtocolRequest,
  { chat: session, input, message }: Extract<UiRequest, { type: 'question' }>,
  fields: SetFields,
): Promise<StartedRun> {
  const agent = agentOf(request);
  return startRun(request, { ...fields, agent, input, session, key: `${session}/${message}` });
}

function agentOf({ params }: ProtocolRequest): string {
  return params['agent'] ?? '';
}

function streamOf(
  request: ProtocolRequest,
  run: StartedRun,
  { isQueued = false, ...options }: Pick<ChunkOptions, 'isNewer' | 'answered'> & { isQueued?: boolean },
): Response {
  const response = sseResponse(request.request, (signal) =>
    uiStream(
      run.id,
      {
        before: partsUntilBegun(request.client, run, signal),
        async open() {
          if (isQueued) await ownRun(request, run.id, agentOf(request));
          return followReply(request, run, { until: 'end', signal });
        },
      },
      { ...options, mayDecide: mayUse(request.caller, APPROVALS), report: request.report },
    ),
  );
  response.headers.set('x-vercel-ai-ui-message-stream', 'v1');
  return response;
}
