import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import { AgentClient } from '../../client/agent-client.ts';
import type { RunEvent } from '../../agent/events.ts';
import { createLoadedConfig } from '../../config/loaded-config.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { type CreateWorkerOptions, createAgentWorker } from '../../worker/create-worker.ts';
import { quiet } from './quiet.ts';

/** A worker for one config on a task queue of its own, and a client that starts runs there. */
export interface Rig {
  client: AgentClient;
  temporal: Client;
  taskQueue: string;
  /**
   * Another worker for the same queue and config, as after a crash: with nothing in its caches. Nobody is there
   * `meanwhile`.
   */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

quiet();

export async function startRig(
  config: ConfigDefinition,
  settings: Pick<
    CreateWorkerOptions,
    'transcriptCacheBytes' | 'rollingDeploys' | 'identity' | 'address'
  > = {},
  address = inject('temporalAddress'),
): Promise<Rig> {
  const taskQueue = `test-${randomUUID()}`;
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const temporal = new Client({ connection });

  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  const start = async () => {
    const bundle = { codePath: inject('bundlePath') };
    worker = await createAgentWorker(createLoadedConfig({ heartbeats: 'lively', ...config }), {
      connection: native,
      taskQueue,
      bundle,
      ...settings,
    });
    running = worker.run();
  };
  const halt = async () => {
    worker?.shutdown();
    await running;
  };
  await start();
  return {
    client: new AgentClient(temporal, address, taskQueue),
    temporal,
    taskQueue,
    async restart(meanwhile) {
      await halt();
      await meanwhile?.();
      await start();
    },
    async stop() {
      await halt();
      await connection.close();
      await native.close();
    },
  };
}

/** Waits for the first event that fits; fails when the run ends without one. */
export async function eventOf<T extends RunEvent['type']>(
  events: AsyncIterable<RunEvent>,
  type: T,
  fits: (event: Extract<RunEvent, { type: T }>) => boolean = () => true,
): Promise<Extract<RunEvent, { type: T }>> {
  for await (const event of events) {
    if (event.type === type && fits(event as Extract<RunEvent, { type: T }>)) {
      return event as Extract<RunEvent, { type: T }>; // just compared
    }
  }
  throw new Error(`The run ended without an event ${type}.`);
}

/** Runs an agent to its end; `steps` are call, tool and observation of each. */
export async function stepsOf({ client }: Rig, agent: string) {
  const run = await client.start(agent, 'what?');
  const result = await run.result();
  return {
    ...result,
    steps: result.intermediateSteps.map(({ call, action, observation }) => [call, action.tool, observation]),
  };
}
