import type { Model } from 'openai/resources/models';
import type { ProtocolRequest, ProtocolRoute } from '../http/protocol.ts';
import { readFields } from '../start/set-fields.ts';
import type { ServedAgent } from '../http/route.ts';
import { servedAgent, startRun } from '../start/start-run.ts';
import { sentHistory } from './sent-history.ts';
import { chatChunks, chatCompletion } from './chat-reply.ts';
import { followReply } from '../replies/follow-reply.ts';
import { answerAfterStart, chatErrorText } from './answer-after-start.ts';
import { readChat } from './requests/read-chat.ts';

export const chatRoutes: readonly ProtocolRoute[] = [
  { method: 'post', path: '/chat/completions', handle: completeChat },
  { method: 'get', path: '/models', handle: listModels },
  { method: 'get', path: '/models/:id', handle: getModel },
];

async function completeChat(request: ProtocolRequest): Promise<Response> {
  const { start, body, stream, includeUsage } = await readChat(request.request);
  const { chatHistory: given = [], ...fields } = readFields(
    request.caller,
    'POST /v1/chat/completions',
    body,
  );
  const chatHistory = [...given, ...sentHistory(request.caller, start.chatHistory)];
  const started = await startRun(request, { ...start, ...fields, chatHistory });
  const open = (signal: AbortSignal) => followReply(request, started, { until: 'wait', signal });
  return answerAfterStart(
    request,
    started.id,
    stream
      ? { texts: (signal) => chatChunks(() => open(signal), { includeUsage }), errorText: chatErrorText }
      : { answer: async (signal) => chatCompletion(await open(signal)) },
  );
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
