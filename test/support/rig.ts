import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { connectTo } from '../../client/connect/connect.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { type CreateWorkerOptions, createAgentWorker } from '../../worker/create-worker.ts';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { type DevServer, startDevServer } from './dev-server.ts';
import { quiet } from './quiet.ts';
import { inTextFormat } from './scripts.ts';
import { allOf } from './all-of.ts';

type Settings = Pick<
  CreateWorkerOptions,
  'transcriptCacheBytes' | 'rollingDeploys' | 'identity' | 'address' | 'taskQueue'
>;

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

export async function startRig(
  config: ConfigDefinition,
  settings: Settings = {},
  address = inject('temporalAddress'),
): Promise<Rig> {
  quiet();
  const { taskQueue = `test-${randomUUID()}` } = settings;
  const native = await NativeConnection.connect({ address });
  // Tests change their config between two workers.
  const load = () => createLoadedConfig({ heartbeats: 'lively', ...inTextFormat(config) });
  const { encryption: keys, storage } = load();
  const temporal = await connectTo(address, 'default', {}, { keys, storage });

  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  const start = async () => {
    const bundle = { codePath: inject('bundlePath') };
    worker = await createAgentWorker(load(), {
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
      await temporal.connection.close();
      await native.close();
    },
  };
}

/** A rig for the tests of one file. `server`: flags of a server for this file alone. */
export function useRig(config: ConfigDefinition, more: Settings & { server?: string[] } = {}): Rig {
  const { server: flags, ...settings } = more;
  let server: DevServer | undefined;
  let started: Rig | undefined;
  const rig = () => {
    if (started === undefined) throw new Error('The rig starts before the first test, not before.');
    return started;
  };
  beforeAll(async () => {
    if (flags !== undefined) {
      const { path } = await findTemporalBinary({ onProgress: () => undefined });
      server = await startDevServer(path ?? 'temporal', flags);
    }
    started = await startRig(config, settings, server?.address);
  }, 60_000);
  afterAll(async () => {
    await started?.stop();
    await server?.stop();
  });
  return {
    get client() {
      return rig().client;
    },
    get temporal() {
      return rig().temporal;
    },
    get taskQueue() {
      return rig().taskQueue;
    },
    restart: (meanwhile) => rig().restart(meanwhile),
    stop: () => rig().stop(),
  };
}

/** Flags of a server that has a run continued as new after so many events. */
export function continuedAfter(events: number): string[] {
  return ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${events}`];
}

/** Waits for the first event that fits; fails when the run ends without one. Of a run, the recorded events. */
export async function eventOf<T extends RunEvent['type']>(
  of: AgentRun | AsyncIterable<RunEvent>,
  type: T,
  fits: (event: Extract<RunEvent, { type: T }>) => boolean = () => true,
): Promise<Extract<RunEvent, { type: T }>> {
  for await (const event of 'events' in of ? of.events({ live: false }) : of) {
    if (event.type === type && fits(event as Extract<RunEvent, { type: T }>)) {
      return event as Extract<RunEvent, { type: T }>; // just compared
    }
  }
  throw new Error(`The run ended without an event ${type}.`);
}

/** Waits until a call of the run waits: the first one that has these fields. */
export async function waitOf(run: AgentRun, fields: Partial<WaitingCall> = {}): Promise<WaitingCall> {
  const wanted = Object.entries(fields);
  const fits = (wait: WaitingCall) =>
    wanted.every(([name, value]) => wait[name as keyof WaitingCall] === value);
  return (await eventOf(run, 'waiting', ({ wait }) => fits(wait))).wait;
}

/** All recorded events of a run that ends. */
export const eventsOf = (run: AgentRun): Promise<RunEvent[]> => allOf(run.events({ live: false }));

/** Runs an agent to its end; `steps` are call, tool and observation of each. */
export async function stepsOf({ client }: Rig, agent: string) {
  const run = await client.start(agent, 'what?');
  const result = await run.result();
  return {
    ...result,
    steps: result.intermediateSteps.map(({ call, action, observation }) => [call, action.tool, observation]),
  };
}
