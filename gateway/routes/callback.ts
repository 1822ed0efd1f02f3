import { readToken } from '../../agent/calls/defer-token.ts';
import { parseJson } from '../../agent/values/json-object.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import { Refused } from '../http/problem.ts';

/** Requests that answer deferred calls without a caller's token: the token of the call is in the path. */
export interface CallbackOptions {
  /** Key of Standard Webhooks with which the senders sign: 'whsec_…'. Default: the token of the call is enough. */
  secret?: string | undefined;
}

/** The sender of the decisions. */
const SENDER = 'callback';

/** Gives the body as the output of the deferred call: JSON, or a text. Throws the errors of the client, and Refused. */
export async function answerDeferred(
  client: AgentClient,
  request: Request,
  { secret }: CallbackOptions,
): Promise<Response> {
  const body = await request.text();
  if (secret !== undefined) await checkSignature(secret, body, request);
  const receipt = await client.as(SENDER).resolve(tokenIn(request), parseJson(body) ?? body);
  return Response.json(receipt);
}

async function checkSignature(secret: string, body: string, { headers }: Request): Promise<void> {
  const { Webhook } = await import('standardwebhooks');
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers), { jsonParse: false });
  } catch (cause) {
    const { message } = cause instanceof Error ? cause : { message: 'The signature is wrong' };
    throw new Refused(401, 'Unauthorized', `${message}.`);
  }
}

/** The token, which the sender may have encoded once more. */
function tokenIn({ url }: Request): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return readToken(last) === undefined ? decoded(last) : last;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
