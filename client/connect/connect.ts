import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { ExternalStorage } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createCodec } from '../../features/encryption/codec.ts';
import {
  type EncryptionOptions,
  type Keyring,
  createKeyring,
  environmentKeyring,
  noKeys,
} from '../../features/encryption/keys.ts';
import { type StorageOptions, createStorage } from '../../features/storage/storage.ts';
import { checkedLive, environmentLive } from '../../features/live/brokers.ts';
import type { LiveOption } from '../../features/live/live-channel.ts';
import { readFrom } from '../../features/live/subscription.ts';
import { InvalidInput, TemporalUnreachable } from './errors.ts';
import { readJson } from '../../local/server/json-file.ts';
import { type ProcessIdentity, isAlive, pidHere } from '../../local/server/process-identity.ts';
import { projectFolder, stateDirectory } from '../../local/server/project-folder.ts';
import { TASK_QUEUE } from '../../agent/values/names.ts';
import { setValue } from '../../agent/values/set-value.ts';
import { pollers } from './task-queue.ts';
import { cliName } from './cli-name.ts';
import { retryInterceptors } from './closed-channel.ts';

export interface ConnectOptions {
  address?: string;
  namespace?: string;
  taskQueue?: string;
  /** Keys of the runs' payloads, as in the config of the workers. Default: RELOOP_ENCRYPTION_KEYS. */
  encryption?: EncryptionOptions | undefined;
  /** The place of large payloads, as in the config of the workers. */
  storage?: StorageOptions | undefined;
  /** The side channel of live text, as in the config of the workers. Default: RELOOP_LIVE_URL. */
  live?: LiveOption | undefined;
}

export interface Connected {
  client: Client;
  address: string;
  taskQueue: string;
}

type ConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

/** Settings of the server from the options, the environment and temporal.toml. */
export interface TemporalSettings {
  /** undefined: no setting names a server. */
  address: string | undefined;
  namespace: string;
  /** TLS, key, metadata; made for that address and no other. */
  connection: ConnectionOptions;
}

/** Options for reading and writing the payloads and the texts of runs. */
export interface PayloadOptions {
  keys?: Keyring | undefined;
  live?: LiveOption | undefined;
  storage?: ExternalStorage | undefined;
}

/** A history page may be larger than gRPC's own limit of 4 MB. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

export async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const { address, namespace, connection } = temporalSettings(options);
  const keys = options.encryption && createKeyring(options.encryption);
  const live = options.live && checkedLive(options.live);
  const storage = options.storage && createStorage(options.storage);
  const payloads = { keys, live, storage };
  const taskQueue = options.taskQueue ?? setValue(process.env['TEMPORAL_TASK_QUEUE']) ?? TASK_QUEUE;
  const place = address ?? (await localServer());
  if (place !== undefined) {
    return { client: await connectTo(place, namespace, connection, payloads), address: place, taskQueue };
  }
  const client = await connectTo(USUAL_ADDRESS, namespace, connection, payloads);
  await refuseNeighbour(client, taskQueue);
  return { client, address: USUAL_ADDRESS, taskQueue };
}

/** Address of a Temporal server that no setting names. */
const USUAL_ADDRESS = 'localhost:7233';

/**
 * The server at the usual address may be another project's: that is so if a poller of the queue is a `reloop` command of
 * this machine.
 */
async function refuseNeighbour(client: Client, taskQueue: string): Promise<void> {
  const isCommand = (identity: string) =>
    /^reloop (?:dev|run|program) \d+@/u.test(identity) && pidHere(identity) !== undefined;
  const neighbour = (await pollers(client, taskQueue)).find(isCommand);
  if (neighbour === undefined) return;
  await client.connection.close();
  throw new TemporalUnreachable(
    `This project (${projectFolder()}) has no Temporal server running, and the one at ${USUAL_ADDRESS} is another project's (its worker: ${neighbour}). Start one here with \`${cliName()} dev\`, or name that one with TEMPORAL_ADDRESS=${USUAL_ADDRESS}.`,
  );
}

/** Throws InvalidInput for a temporal.toml that cannot be read. */
export function temporalSettings({
  address,
  namespace,
}: Pick<ConnectOptions, 'address' | 'namespace'>): TemporalSettings {
  try {
    const { connectionOptions, namespace: configured } = loadClientConnectConfig({
      overrideEnvVars: environment(),
    });
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

/** The environment as envconfig is to see it, which takes an empty variable for an address, a namespace, a key. */
function environment(): { [name: string]: string } {
  const values = Object.entries(process.env).map(([name, value]) => {
    return [name, name.startsWith('TEMPORAL_') ? setValue(value) : value] as const;
  });
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/**
 * Throws TemporalUnreachable, also for a server that is none of Temporal's. `keys`: default RELOOP_ENCRYPTION_KEYS, `live`: RELOOP_LIVE_URL;
 * throws InvalidInput for wrong values there.
 */
export async function connectTo(
  address: string,
  namespace: string,
  options: ConnectionOptions = {},
  { keys = environmentKeyring() ?? noKeys, live = environmentLive(), storage }: PayloadOptions = {},
): Promise<Client> {
  try {
    const connection = await Connection.connect({
      ...options,
      address,
      connectTimeout: '5s',
      interceptors: retryInterceptors(),
      channelArgs: { 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
    });
    await connection.workflowService.getSystemInfo({});
    const client = new Client({
      connection,
      namespace,
      dataConverter: {
        payloadCodecs: [createCodec(keys)],
        ...(storage !== undefined && { externalStorage: storage }),
      },
    });
    if (live !== undefined) readFrom(client, live);
    return client;
  } catch (error) {
    throw new TemporalUnreachable(unreachable(address, error), { cause: error });
  }
}

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;

function unreachable(address: string, error: unknown): string {
  const { code, details } = error as { code?: unknown; details?: unknown }; // fields of a gRPC error
  switch (code) {
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
      return `The Temporal server at ${address} refuses us: ${String(details)}. Check TEMPORAL_API_KEY and the TLS settings.`;
    case UNIMPLEMENTED:
      return `What answers at ${address} is not a Temporal server: ${String(details)}. Correct TEMPORAL_ADDRESS or --address.`;
    default:
      return setValue(process.env['TEMPORAL_ADDRESS']) === address
        ? `No Temporal server answers at ${address}, which TEMPORAL_ADDRESS names. Start that one, correct the variable, or unset it: then \`${cliName()} dev\` has its own server.`
        : `No Temporal server answers at ${address}. Start one with \`${cliName()} dev\`, or set TEMPORAL_ADDRESS.`;
  }
}

/** Address of the server that a `reloop` command keeps for this project, if its state file names a running one. */
async function localServer(): Promise<string | undefined> {
  const record = readJson(join(stateDirectory(), 'server.json')) ?? {};
  const { address, pid = 0, startedAt = null } = record as Partial<ServerRecord>; // written by the launcher
  // The file is still there after a crash.
  return address !== undefined && (await isAlive({ pid, startedAt })) ? address : undefined;
}

type ServerRecord = ProcessIdentity & { address: string };
