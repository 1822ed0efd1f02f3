import { AgentClient } from '../client/agent-client.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { LogListener } from '../worker/worker-log.ts';
import { type RunWorkerOptions, startWorker } from '../worker/run-worker.ts';

/** A Temporal server, and how this process speaks to it. */
export interface ServerHere {
  temporal: AgentClient['temporal'];
  address: string;
  namespace: string;
  /** TLS, key, metadata. */
  connection: Omit<RunWorkerOptions['connection'], 'address'>;
}

export interface WorkHereOptions {
  /** Where the client's runs are started, and the worker works. */
  taskQueue: string;
  /** What the config is called in the worker's identity. */
  config?: string | undefined;
  /** Where the worker keeps which calls it has in hand, for one that comes after its death. */
  stateDir?: string | undefined;
  onLog: LogListener;
}

/** A worker in this process, and a client whose runs it takes. */
export interface WorkHere {
  client: AgentClient;
  /** Rejects when the worker ends by itself; pending for ever where it does not. */
  failed: Promise<never>;
  /** Ends the worker; the connection of the client is the caller's. */
  stop(): Promise<void>;
}

export async function workHere(
  loaded: LoadedConfig,
  { temporal, address, namespace, connection }: ServerHere,
  { taskQueue, config, stateDir, onLog }: WorkHereOptions,
): Promise<WorkHere> {
  const worker = await startWorker(loaded, {
    connection: { ...connection, address },
    namespace,
    taskQueues: [taskQueue],
    role: 'program',
    config,
    stateDir,
    onLog,
  });
  const failed = new Promise<never>((_, reject) => void worker.ended.catch(reject));
  failed.catch(() => undefined); // whoever follows a run hears of it
  return {
    client: new AgentClient(temporal, address, taskQueue),
    failed,
    stop: () => worker.stop().catch(() => undefined), // `failed` has told
  };
}
