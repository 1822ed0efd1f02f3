import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import type { ServerRecord } from '../state.ts';

/** The one line a keeper says to each who holds a lease; an error also later, when the server is lost for good. */
export type DeskMessage = { server: ServerRecord } | { error: string };

/**
 * Where commands hold their leases. A lease is an open connection: however its holder dies, the system closes it, and no
 * number of a process can be mistaken for another's.
 */
export interface LeaseDesk {
  port: number;
  /** What a holder says first. */
  token: string;
  /** Resolves when nobody has held a lease for a while. */
  deserted: Promise<void>;
  /** Says from where holders get their server; until then they wait. */
  serve(server: () => Promise<ServerRecord>): void;
  /** No more leases, though the port stays ours. */
  refuse(): void;
  close(error?: string): void;
}

/** Between two commands of one script; also for the first to come. */
const GRACE_MS = 400;
const FIRST_GRACE_MS = 15_000;

export async function openDesk(): Promise<LeaseDesk> {
  const token = randomUUID();
  const sockets = new Set<Socket>();
  const leases = new Set<Socket>();
  let open = true;
  let desert: () => void = () => undefined;
  const deserted = new Promise<void>((resolve) => (desert = resolve));
  let grace = setTimeout(desert, FIRST_GRACE_MS);
  let serve: LeaseDesk['serve'] = () => undefined;
  const served = new Promise<() => Promise<ServerRecord>>((resolve) => (serve = resolve));

  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    lines(socket).once('line', (line) => {
      if (open && line === token) void hold(socket);
      else socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');

  async function hold(socket: Socket): Promise<void> {
    clearTimeout(grace);
    leases.add(socket);
    socket.once('close', () => {
      leases.delete(socket);
      if (leases.size === 0) grace = setTimeout(desert, GRACE_MS);
    });
    const server = await served;
    say(socket, { server: await server() });
  }

  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('A listening server has no port.');
  return {
    port: address.port,
    token,
    deserted,
    serve,
    refuse: () => void (open = false),
    close(error) {
      open = false;
      clearTimeout(grace);
      listener.close();
      for (const socket of sockets) {
        if (error !== undefined && leases.has(socket)) say(socket, { error });
        socket.destroySoon();
      }
    },
  };
}

function say(socket: Socket, message: DeskMessage): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** What the other end says. A lost connection is an error of its reader too; `close` of the socket tells it well enough. */
export function lines(socket: Socket): Interface {
  return createInterface({ input: socket }).on('error', () => undefined);
}
