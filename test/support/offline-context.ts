import { Client, Connection } from '@temporalio/client';
import { AgentClient } from '../../client/api/agent-client.ts';

const ADDRESS = '127.0.0.1:1';

/** A command's context that reaches no server: the connection is opened when it is first used. */
export function offlineContext(client = new Client({ connection: Connection.lazy({ address: ADDRESS }) })) {
  return {
    client: new AgentClient(client, ADDRESS, 'reloop'),
    namespace: 'default',
    embedded: undefined,
    workerFailed: new Promise<never>(() => undefined),
    notify: () => undefined,
  };
}
