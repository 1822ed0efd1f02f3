import type { Model } from 'openai/resources/models';
import type { ProtocolRequest, ProtocolRoute } from '../http/protocol.ts';
import { answerClientCalls } from '../start/client-calls.ts';
import { type SetFields, readFields } from '../start/set-fields.ts';
import type { ServedAgent } from '../http/route.ts';
import { type StartedRun, servedAgent, startRun } from '../start/start-run.ts';
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
  const { asked, body, stream, includeUsage } = await readChat(request.request, request.agents);
  const fields = readFields(request.caller, 'POST /v1/chat/completions', body);
  const started = await startOrAnswer(request, asked, fields);
  const open = async (signal: AbortSignal) => {
    const reply = await followReply(request, started, { until: 'wait', signal });
    return 'results' in asked ? { ...reply, parts: partsAfter(reply.parts, asked.results) } : reply;
  };
  return answerAfterStart(
    request,
    started.id,
    stream
      ? { texts: (signal) => chatChunks(() => open(signal), { includeUsage }), errorText: chatErrorText }
      : { answer: async (signal) => chatCompletion(await open(signal)) },
  );
}

async function startOrAnswer(
  request: ProtocolRequest,
  asked: ChatRequest['asked'],
  { chatHistory: given = [], ...fields }: SetFields,
): Promise<StartedRun> {
  if ('results' in asked) return { id: await answerClientCalls(request, asked.results), hasBegun: true };
  const chatHistory = [...given, ...sentHistory(request.caller, asked.chatHistory)];
  return startRun(request, { ...asked, ...fields, chatHistory });
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
