import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { z } from '@hono/zod-openapi';
import { problemOf, problemResponse } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { readBody } from '../http/read-body.ts';
import { eventText, sseResponse } from '../replies/sse-response.ts';
import { answerOrResponse } from '../replies/whole-answer.ts';
import { servedAgent } from '../start/start-run.ts';
import { versionOf } from './a2a-version.ts';
import { errorBody } from './protocol-error.ts';
import { createRequestHandler } from './request-handler.ts';
import { type Sdk, loadSdk } from './sdk.ts';

const call = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() });

/** Calls a method of A2A by JSON-RPC. A refusal has the id of the request; null only where the body cannot be read. */
export async function callMethod(request: ProtocolRequest): Promise<Response> {
  const body = await readBody(request.request, call);
  try {
    servedAgent(request.agents, request.params['agent'] ?? '');
    versionOf(request.request);
    return await answerTo(request, body);
  } catch (error) {
    request.report(error);
    return problemResponse(error, (problem) => errorBody(problem, idOf(body)));
  }
}

/** An error before the first event is the answer in place of the stream. Throws what HTTP's status says. */
async function answerTo(request: ProtocolRequest, body: z.output<typeof call>): Promise<Response> {
  const sdk = await loadSdk();
  const left = new AbortController();
  const whole = new AbortController();
  const { handler, fault } = createRequestHandler(request, sdk, {
    stream: AbortSignal.any([request.request.signal, left.signal]),
    whole: whole.signal,
  });
  const { transport, errorOf } = transportOf(body.method, handler, sdk);
  const handle = async (signal: AbortSignal) => {
    signal.addEventListener('abort', () => whole.abort());
    const answered = await transport.handle(body, new sdk.server.ServerCallContext());
    if (fault() !== undefined) throw fault();
    return answered;
  };
  const answer = await answerOrResponse(request.request, handle, {
    errorBody(error) {
      request.report(error);
      return errorBody(problemOf(error), idOf(body));
    },
  });
  if (answer instanceof Response) return answer;
  if (!(Symbol.asyncIterator in answer)) return Response.json(answer);
  const events: AsyncGenerator<object, void> = answer;
  let first: IteratorResult<object, void>;
  try {
    first = await events.next();
  } catch (error) {
    if (fault() !== undefined) throw fault();
    return Response.json({ jsonrpc: '2.0', id: idOf(body), error: errorOf(error) });
  }
  return sseResponse(request.request, (readerLeft) => {
    readerLeft.addEventListener('abort', () => left.abort());
    return texts();
  });

  async function* texts(): AsyncGenerator<string> {
    try {
      for (let next = first; next.done !== true; next = await events.next()) yield eventText(next.value);
    } catch (error) {
      request.report(fault() ?? error);
      throw error; // the client subscribes again
    } finally {
      await events.return();
    }
  }
}

/** The id of a request of JSON-RPC. */
function idOf({ id }: { readonly [field: string]: unknown }): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Names of the methods of 0.3 have a slash: `message/send`. */
function transportOf(method: string, handler: A2ARequestHandler, sdk: Sdk) {
  const { JsonRpcTransportHandler: Transport } = sdk.server;
  const { LegacyJsonRpcTransportHandler: OlderTransport } = sdk.older;
  return method.includes('/')
    ? { transport: new OlderTransport(handler), errorOf: OlderTransport.mapToLegacyJSONRPCError }
    : { transport: new Transport(handler), errorOf: Transport.mapToJSONRPCError };
}
