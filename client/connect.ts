import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { TemporalUnreachable } from './errors.ts';

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

/** A history page may be larger than gRPC's own limit of 4 MB. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

export async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const { connectionOptions, namespace } = loadClientConnectConfig({});
  const address = options.address ?? connectionOptions.address ?? localServer() ?? 'localhost:7233';
  const taskQueue = options.taskQueue ?? process.env['TEMPORAL_TASK_QUEUE'] ?? 'reloop';
  try {
    const connection = await Connection.connect({
      ...connectionOptions,
      address,
      connectTimeout: '5s',
      channelArgs: { 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
    });
    const client = new Client({ connection, namespace: options.namespace ?? namespace ?? 'default' });
    return { client, address, taskQueue };
  } catch (error) {
    throw new TemporalUnreachable(
      `No Temporal server answers at ${address}. Start one with \`reloop dev\`, or set TEMPORAL_ADDRESS.`,
      { cause: error },
    );
  }
}

/** Address of the server that a `reloop` command keeps for this project, if its state file names one. */
export function localServer(cwd = process.cwd()): string | undefined {
  const folder = process.env['RELOOP_STATE_DIR'] ?? join(projectFolder(cwd), '.reloop');
  try {
    const { address } = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as {
      address?: unknown;
    }; // written by the launcher
    return typeof address === 'string' ? address : undefined;
  } catch {
    return undefined;
  }
}

function projectFolder(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
