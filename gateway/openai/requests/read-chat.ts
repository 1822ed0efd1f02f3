import { z } from '@hono/zod-openapi';
import { optional, readBody } from '../../http/read-body.ts';
import type { RequestedStart } from '../../start/start-run.ts';
import type { ServedAgent } from '../../http/route.ts';
import { takesClientTools } from '../../start/brought-tools.ts';
import type { ClientResult } from '../../start/client-calls.ts';
import { type ChatQuestion, message, readMessages, resultsIn } from './read-messages.ts';
import { takeFunctions } from './read-tools.ts';
import { refuseFields, setsToolsAside } from './refuse-fields.ts';

export interface ChatRequest {
  asked: (RequestedStart & Pick<ChatQuestion, 'chatHistory'>) | { results: ClientResult[] };
  /** The fields of the body that are not OpenAI's. */
  body: object;
  stream: boolean;
  includeUsage: boolean;
}

const body = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: optional(z.boolean()),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  metadata: optional(z.object({ session: z.string().optional() })),
});

/** Reads a request for a chat completion. With a session, the session has the messages before the last one. Throws Refused. */
export async function readChat(
  request: Request,
  agents: readonly ServedAgent[] | undefined,
): Promise<ChatRequest> {
  const {
    model: agent,
    messages,
    stream = false,
    stream_options,
    metadata,
    ...sent
  } = await readBody(request, body);
  // Tools for an agent that takes none are set aside: chat front ends send theirs to every model.
  const isTaken = takesClientTools(agents, agent) === true;
  const { clientTools, rest } = isTaken ? takeFunctions(sent) : { clientTools: undefined, rest: sent };
  refuseFields(rest, setsToolsAside);
  const common = {
    body: { ...rest, tools: clientTools },
    stream,
    includeUsage: stream_options?.include_usage === true,
  };
  const results = resultsIn(messages.map((one) => ({ ...one, isQuestion: one.role === 'user' })));
  if (results.length > 0) return { ...common, asked: { results } };
  const session = metadata?.session;
  const asked = readMessages(session === undefined ? messages : messages.slice(-1));
  const key = request.headers.get('idempotency-key') ?? undefined;
  return { ...common, asked: { agent, ...asked, session, key, clientTools } };
}
