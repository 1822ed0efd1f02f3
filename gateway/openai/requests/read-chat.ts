import { z } from '@hono/zod-openapi';
import { optional, readBody } from '../../http/read-body.ts';
import type { RequestedStart } from '../../start/start-run.ts';
import type { ServedAgent } from '../../http/route.ts';
import { takesClientTools } from '../../start/brought-tools.ts';
import type { ClientResult } from '../../start/client-calls.ts';
import {
  type ChatQuestion,
  type Message,
  message,
  readMessages,
  resultsIn,
  throughQuestion,
} from './read-messages.ts';
import { takeFunctions } from './read-tools.ts';
import { refuseFields, setsToolsAside } from './refuse-fields.ts';

export interface ChatRequest {
  agent: string;
  /** Results of the client's tools after its last question. */
  results: ClientResult[];
  /** The question, with the messages before it. Throws Refused. */
  question(): RequestedStart & Pick<ChatQuestion, 'chatHistory'>;
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
  const results = resultsIn(messages, isQuestion);
  const session = metadata?.session;
  const question = () => {
    const all = results.length === 0 ? messages : throughQuestion(messages, isQuestion);
    const asked = readMessages(session === undefined ? all : all.slice(-1));
    const key = request.headers.get('idempotency-key') ?? undefined;
    return { agent, ...asked, session, key, clientTools };
  };
  return {
    agent,
    results,
    question,
    body: { ...rest, tools: clientTools },
    stream,
    includeUsage: stream_options?.include_usage === true,
  };
}

function isQuestion({ role }: Message): boolean {
  return role === 'user';
}
