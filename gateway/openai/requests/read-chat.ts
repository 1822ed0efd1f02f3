import { z } from '@hono/zod-openapi';
import { optional, readBody } from '../../http/read-body.ts';
import type { RequestedStart } from '../../start/start-run.ts';
import { type ChatQuestion, message, readMessages } from './read-messages.ts';
import { refuseFields, setsToolsAside } from './refuse-fields.ts';

export interface ChatRequest {
  start: RequestedStart & Pick<ChatQuestion, 'chatHistory'>;
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
export async function readChat(request: Request): Promise<ChatRequest> {
  const {
    model: agent,
    messages,
    stream = false,
    stream_options,
    metadata,
    ...rest
  } = await readBody(request, body);
  refuseFields(rest, setsToolsAside);
  const session = metadata?.session;
  const asked = readMessages(session === undefined ? messages : messages.slice(-1));
  const key = request.headers.get('idempotency-key') ?? undefined;
  return {
    start: { agent, ...asked, session, key },
    body: rest,
    stream,
    includeUsage: stream_options?.include_usage === true,
  };
}
