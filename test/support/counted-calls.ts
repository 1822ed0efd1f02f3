import { Connection, type ConnectionOptions } from '@temporalio/client';
import { vi } from 'vitest';
import type { Rig } from './rig.ts';

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

/** The requests for history that have not been answered yet, and how many there were at most. */
export function countOpenPolls({ temporal }: Pick<Rig, 'temporal'>) {
  const service = temporal.workflowService;
  const ask = service.getWorkflowExecutionHistory.bind(service);
  const open = Object.assign(new Set<unknown>(), { most: 0 });
  vi.spyOn(service, 'getWorkflowExecutionHistory').mockImplementation((...args: unknown[]) => {
    const asked: ReturnType<typeof ask> = Reflect.apply(ask, service, args);
    open.add(asked);
    open.most = Math.max(open.most, open.size);
    const over = () => void open.delete(asked);
    asked.then(over, over);
    return asked;
  });
  return open;
}
