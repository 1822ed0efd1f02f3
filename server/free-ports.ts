import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

export interface Ports {
  grpc: number;
  ui: number;
}

/** Temporal's usual ports: the links that Reloop prints are the same from day to day. */
export const usualPorts: Ports = { grpc: 7233, ui: 8233 };

/** The ports one would like, each replaced by a free one where it is taken. */
export async function freePorts(wanted: Ports): Promise<Ports> {
  const grpc = await claim(wanted.grpc);
  const ui = await claim(wanted.ui); // while the first is still claimed: never the same
  const ports = { grpc: portOf(grpc), ui: portOf(ui) };
  await Promise.all([release(grpc), release(ui)]);
  return ports;
}

async function claim(port: number): Promise<Server> {
  // Some systems let two listen on one port, where one of them asked for all addresses.
  const taken = await accepts(port);
  return (taken ? undefined : await listen(port)) ?? (await listenAnywhere());
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

async function listenAnywhere(): Promise<Server> {
  const server = await listen(0);
  if (server === undefined) throw new Error('No port can be opened on 127.0.0.1.');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A listening server has no port.');
  return address.port;
}

async function release(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** Whether anything accepts connections on a loopback port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('timeout', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
