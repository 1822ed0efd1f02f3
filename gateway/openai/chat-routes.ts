import type { Model } from 'openai/resources/models';
import type { ProtocolRequest, ProtocolRoute } from '../http/protocol.ts';
import type { Approval } from '../start/approvals.ts';
import { type SetFields, readFields } from '../start/set-fields.ts';
import type { ServedAgent } from '../http/route.ts';
import { type StartedRun, servedAgent, startRun } from '../start/start-run.ts';
import { giveResults } from '../start/give-results.ts';
import { sentHistory } from './sent-history.ts';
import { chatChunks, chatCompletion } from './chat-reply.ts';
import { followReply } from '../replies/follow-reply.ts';
import { answerAfterStart, chatErrorText } from './answer-after-start.ts';
import { partsAfter } from '../replies/parts-after.ts';
import { type ChatRequest, readChat } from './requests/read-chat.ts';

export const chatRoutes: readonly ProtocolRoute[] = [
  { method: 'post', path: '/chat/completions', handle: completeChat },
  { method: 'get', path: '/models', handle: listModels },
  { method: 'get', path: '/models/:id', handle: getModel },
];

async function completeChat(request: ProtocolRequest): Promise<Response> {
  const asked = await readChat(request.request, request.agents);
  const { stream, includeUsage } = asked;
  const fields = readFields(request.caller, 'POST /v1/chat/completions', asked.body);
  const { started, answered } = await startOrAnswer(request, asked, fields);
  const open = async (signal: AbortSignal) => {
    const reply = await followReply(request, started, { until: 'wait', signal });
    return answered.length > 0 ? { ...reply, parts: partsAfter(reply.parts, answered) } : reply;
  };
  return answerAfterStart(
    request,
    started.id,
    stream
      ? { texts: (signal) => chatChunks(() => open(signal), { includeUsage }), errorText: chatErrorText }
      : { answer: async (signal) => chatCompletion(await open(signal)) },
  );
}

/** `answered`: the waits that the client has answered in a run that continues. */
async function startOrAnswer(
  request: ProtocolRequest,
  { agent, results, question }: ChatRequest,
  { chatHistory: given = [], ...fields }: SetFields,
): Promise<{ started: StartedRun; answered: readonly Approval[] }> {
  const taken =
    results.length > 0
      ? await giveResults(request, agent, { persons: [], results }, { question })
      : undefined;
  if (taken?.run !== undefined)
    return { started: { id: taken.run, hasBegun: true }, answered: taken.results };
  const asked = question();
  const chatHistory = [...given, ...sentHistory(request.caller, asked.chatHistory)];
  const key = asked.key ?? taken?.left;
  return { started: await startRun(request, { ...asked, ...fields, chatHistory, key }), answered: [] };
}

async function listModels({ agents = [] }: ProtocolRequest): Promise<Response> {
  return Response.json({ object: 'list', data: agents.map(modelOf) });
}

async function getModel({ agents, params }: ProtocolRequest): Promise<Response> {
  return Response.json(modelOf(servedAgent(agents, params['id'] ?? '')));
}

function modelOf({ name }: ServedAgent): Model {
  return { id: name, object: 'model', created: 0, owned_by: 'reloop' };
}
