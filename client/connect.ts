import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { InvalidInput, TemporalUnreachable } from './errors.ts';
import { projectFolder } from './project-folder.ts';
import { TASK_QUEUE } from '../agent/names.ts';
import { pollers } from './task-queue.ts';
import { reloop } from './typed-command.ts';

export interface ConnectOptions {
  address?: string;
  namespace?: string;
  taskQueue?: string;
}

export interface Connected {
  client: Client;
  address: string;
  taskQueue: string;
}

type ConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

/** Settings of the server from the options, the environment and temporal.toml. */
export interface TemporalSettings {
  /** undefined: nobody named a server. */
  address: string | undefined;
  namespace: string;
  /** TLS, key, metadata; made for that address and no other. */
  connection: ConnectionOptions;
}

/** A history page may be larger than gRPC's own limit of 4 MB. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

export async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const { address, namespace, connection } = temporalSettings(options);
  const taskQueue = options.taskQueue ?? process.env['TEMPORAL_TASK_QUEUE'] ?? TASK_QUEUE;
  const place = address ?? localServer();
  if (place !== undefined) {
    return { client: await connectTo(place, namespace, connection), address: place, taskQueue };
  }
  const client = await connectTo(USUAL_ADDRESS, namespace, connection);
  await refuseNeighbour(client, taskQueue);
  return { client, address: USUAL_ADDRESS, taskQueue };
}

/** Where a Temporal server of one's own listens that nobody configured. */
const USUAL_ADDRESS = 'localhost:7233';

/** The server at that address may be one that `reloop` keeps for another project: then its worker is a command here. */
async function refuseNeighbour(client: Client, taskQueue: string): Promise<void> {
  const isCommand = (identity: string) =>
    /^reloop (?:dev|run|program) \d+@/u.test(identity) && identity.includes(hostname());
  const neighbour = (await pollers(client, taskQueue)).find(isCommand);
  if (neighbour === undefined) return;
  await client.connection.close();
  throw new TemporalUnreachable(
    `This project (${projectFolder()}) has no Temporal server running, and the one at ${USUAL_ADDRESS} is another project's (its worker: ${neighbour}). Start one here with \`${reloop()} dev\`, or name that one with TEMPORAL_ADDRESS=${USUAL_ADDRESS}.`,
  );
}

/** Throws InvalidInput for a temporal.toml that cannot be read. */
export function temporalSettings({
  address,
  namespace,
}: Pick<ConnectOptions, 'address' | 'namespace'>): TemporalSettings {
  try {
    const { connectionOptions, namespace: configured } = loadClientConnectConfig({});
    return {
      address: address ?? connectionOptions.address,
      namespace: namespace ?? configured ?? 'default',
      connection: connectionOptions,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidInput(
      `The settings for Temporal cannot be used: ${reason}. Correct temporal.toml or TEMPORAL_….`,
    );
  }
}

/** Throws TemporalUnreachable, also for a server that is none of Temporal's. */
export async function connectTo(
  address: string,
  namespace: string,
  options: ConnectionOptions = {},
): Promise<Client> {
  try {
    const connection = await Connection.connect({
      ...options,
      address,
      connectTimeout: '5s',
      channelArgs: { 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
    });
    await connection.workflowService.getSystemInfo({});
    return new Client({ connection, namespace });
  } catch (error) {
    throw new TemporalUnreachable(unreachable(address, error), { cause: error });
  }
}

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;

function unreachable(address: string, error: unknown): string {
  const { code, details } = error as { code?: unknown; details?: unknown }; // of a gRPC error; else absent
  switch (code) {
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
      return `The Temporal server at ${address} refuses us: ${String(details)}. Check TEMPORAL_API_KEY and the TLS settings.`;
    case UNIMPLEMENTED:
      return `What answers at ${address} is no Temporal server: ${String(details)}. Correct TEMPORAL_ADDRESS or --address.`;
    default:
      return process.env['TEMPORAL_ADDRESS'] === address
        ? `No Temporal server answers at ${address}, which TEMPORAL_ADDRESS names. Start that one, correct the variable, or unset it: then \`${reloop()} dev\` has a server of its own.`
        : `No Temporal server answers at ${address}. Start one with \`${reloop()} dev\`, or set TEMPORAL_ADDRESS.`;
  }
}

/** Address of the server that a `reloop` command keeps for this project, if its state file names one. */
function localServer(cwd = process.cwd()): string | undefined {
  const folder = process.env['RELOOP_STATE_DIR'] ?? join(projectFolder(cwd), '.reloop');
  try {
    const { address, pid } = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as {
      address?: unknown;
      pid?: unknown;
    }; // written by the launcher
    process.kill(Number(pid), 0); // throws for one that is gone: after a crash the file is still there
    return typeof address === 'string' ? address : undefined;
  } catch {
    return undefined;
  }
}
