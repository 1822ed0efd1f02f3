import type { AgentClient, Json } from '../../client/index.ts';
import { readToken } from '../../agent/calls/defer-token.ts';
import { parseJson } from '../../agent/values/json-object.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { limits } from '../../agent/values/limits.ts';
import { plainJson } from '../../agent/values/values.ts';
import { Refused } from '../http/problem.ts';
import { bad } from '../http/read-body.ts';

/** Requests that answer deferred calls without a caller's token: the token of the call is in the path. */
export interface CallbackOptions {
  /** Key of Standard Webhooks with which the senders sign: 'whsec_…'. Default: the token of the call is enough. */
  secret?: string | undefined;
}

/** The sender of the decisions. */
export const CALLBACK_SENDER = 'callback';

/** One answer for every token that does not fit: a stranger must not learn which runs there are and what waits. */
const WRONG_TOKEN = new Refused(
  409,
  'DecisionRefused',
  'This token belongs to no call that waits for a result now.',
);
/** Errors of a token that does not fit. */
const REFUSALS: ReadonlySet<string> = new Set(['InvalidInput', 'RunNotFound', 'DecisionRefused']);

/** Gives the body as the output of the deferred call: JSON, or a text. Throws Refused, and errors of the client that say nothing about the run. */
export async function answerDeferred(
  client: AgentClient,
  request: Request,
  { secret }: CallbackOptions,
): Promise<Response> {
  const body = await request.text();
  if (secret !== undefined) await checkSignature(secret, body, request);
  const output = outputOf(body);
  try {
    return Response.json(await client.resolve(tokenIn(request), output));
  } catch (error) {
    const { name } = error instanceof Error ? error : { name: '' };
    throw REFUSALS.has(name) ? WRONG_TOKEN : error;
  }
}

/** The JSON of a body, or its text. Throws Refused for an output that no run takes. */
function outputOf(body: string): Json {
  if (utf8Length(body) > limits.decisionBytes) {
    throw new Refused(413, 'BodyTooLarge', `A result has at most ${limits.decisionBytes} bytes.`);
  }
  try {
    return plainJson(parseJson(body) ?? body);
  } catch (error) {
    throw bad(error instanceof Error ? error.message : String(error));
  }
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
