import { type Artifact, SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';

export interface A2aClientOptions {
  headers: { [name: string]: string };
  /** Speaks A2A 0.3. */
  isOld?: boolean;
}

/** The protocol's own client, from the card at the URL. */
export function a2aClient(url: string, { headers, isOld = false }: A2aClientOptions): Promise<Client> {
  const fetchImpl: typeof fetch = async (asked, { headers: own, ...init } = {}) => {
    const all = new Headers(own);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    if (!isOld) return fetch(asked, { ...init, headers: all });
    all.delete('a2a-version');
    const answer = await fetch(asked, { ...init, headers: all });
    if (init.method === 'POST') return answer;
    // A client of 0.3 does not know this field of the card.
    const { supportedInterfaces: _, ...card } = (await answer.json()) as { supportedInterfaces: unknown };
    return Response.json(card);
  };
  const legacyCompat = { enabled: isOld };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
  });
  return new ClientFactory(options).createFromUrl(url);
}

let messages = 0;

/** A message of a user: a text, or the data of a decision. */
export function sent(
  said: string | object,
  { returnImmediately = false, ...more }: { [field: string]: unknown } = {},
): SendMessageRequest {
  const messageId = `m${process.pid}-${messages++}`;
  const parts = [typeof said === 'string' ? { text: said } : { data: said }];
  return SendMessageRequest.fromJSON({
    message: { messageId, role: 'ROLE_USER', parts, ...more },
    configuration: { returnImmediately },
  });
}

/** The text of a task's answer. */
export function answerOf(task: Task): string {
  return task.artifacts.map(textOf).join('');
}

/** The answer as a client has it after an event. */
export function answerAfter(before: string, { payload }: StreamResponse): string {
  if (payload?.$case === 'task') return answerOf(payload.value);
  if (payload?.$case !== 'artifactUpdate' || payload.value.artifact === undefined) return before;
  const { append, artifact } = payload.value;
  return (append ? before : '') + textOf(artifact);
}

function textOf({ parts }: Artifact): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}
