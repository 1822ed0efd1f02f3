import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { Refused } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import type { TaskUpdate } from './a2a-types.ts';
import { CAPABILITIES } from './agent-card.ts';
import { protocolErrorOf } from './protocol-error.ts';
import type { Sdk } from './sdk.ts';
import { cancelTask, getTask, noPushNotifications, sendMessage, streamMessage, subscribe } from './tasks.ts';

export interface RequestHandler {
  handler: A2ARequestHandler;
  /** The error of the request, if A2A has no name for the error: its status is the answer. */
  fault(): unknown;
}

/**
 * The SDK's interface of a server over the tasks of a request. The signals end what waits: an answer that is a `stream`, and one that is sent
 * `whole`.
 */
export function createRequestHandler(
  request: ProtocolRequest,
  sdk: Sdk,
  { stream, whole }: { stream: AbortSignal; whole: AbortSignal },
): RequestHandler {
  let fault: unknown;
  const refuse = (error: Refused) => () => answered<never>(() => Promise.reject(error));
  const noPush = refuse(noPushNotifications());
  const handler: A2ARequestHandler = {
    sendMessage: (sent) =>
      answered(async () => sdk.types.Task.fromJSON(await sendMessage(request, sent, whole))),
    sendMessageStream: (sent) => streamed(streamMessage(request, sent, stream)),
    getTask: ({ id }) => answered(async () => sdk.types.Task.fromJSON(await getTask(request, id))),
    cancelTask: ({ id }) => answered(async () => sdk.types.Task.fromJSON(await cancelTask(request, id))),
    resubscribe: ({ id }) => streamed(subscribe(request, id, stream)),
    listTasks: refuse(unsupported('GET /runs lists runs.')),
    getAgentCard: async () => sdk.types.AgentCard.fromJSON({ capabilities: CAPABILITIES }), // the SDK asks for these only
    getAuthenticatedExtendedAgentCard: refuse(unsupported('The card is at its well-known path.')),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
  return { handler, fault: () => fault };

  async function answered<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw inWords(error);
    }
  }

  async function* streamed(updates: AsyncGenerator<TaskUpdate>) {
    try {
      for await (const update of updates) yield sdk.types.StreamResponse.fromJSON(update);
    } catch (error) {
      throw inWords(error);
    }
  }

  function inWords(error: unknown): unknown {
    const known = protocolErrorOf(error, sdk);
    if (known === undefined) fault = error;
    return known ?? error;
  }
}

function unsupported(what: string): Refused {
  return new Refused(409, 'NotSupported', what);
}
