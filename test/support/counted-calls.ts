import { Connection, type ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** What a client asks the server, by the name of the call: `StartWorkflowExecution`. */
export interface CountedConnection {
  connection: Connection;
  calls: Map<string, number>;
}

export async function countedConnection(address: string): Promise<CountedConnection> {
  const calls = new Map<string, number>();
  const count: Interceptor = (options, nextCall) => {
    const name = options.method_definition.path.split('/').at(-1) ?? '';
    calls.set(name, (calls.get(name) ?? 0) + 1);
    return nextCall(options) as ReturnType<Interceptor>; // what it does is the call's own
  };
  const connection = await Connection.connect({ address, interceptors: [count] });
  calls.clear();
  return { connection, calls };
}
