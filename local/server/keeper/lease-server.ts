import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ServerRecord } from '../state-folder.ts';
import { onLine } from './lines.ts';

/** Message to each lease holder: the server's address, or the reason why it is gone. */
export type KeeperMessage = { server: ServerRecord } | { error: string };

/**
 * Server for the leases of commands. A lease is an open connection: however its holder dies, the system closes it, and
 * no process id can be mistaken for another's.
 */
export interface LeaseServer {
  port: number;
  /** First line of a lease holder. */
  token: string;
  /** Aborts when there has been no lease for a while. */
  idle: AbortSignal;
  /** Sets the server that lease holders get; undefined: it is down for now, and they wait. */
  offer(server: ServerRecord | undefined): void;
  /** No more leases, though the port stays ours. */
  refuse(): void;
  /** Ends all leases; `error` says why. */
  close(error?: string): void;
}

/** Longest time without a lease: between two commands of one script, and until the first command. */
const GRACE_MS = 400;
const FIRST_GRACE_MS = 15_000;

export async function openLeaseServer(): Promise<LeaseServer> {
  const token = randomUUID();
  const leases = new Set<Socket>();
  let offered: ServerRecord | undefined;
  let refusing = false;
  const idle = new AbortController();
  const endIdle = () => idle.abort();
  let grace = setTimeout(endIdle, FIRST_GRACE_MS);

  function hold(socket: Socket): void {
    clearTimeout(grace);
    leases.add(socket);
    socket.once('close', () => {
      leases.delete(socket);
      if (leases.size === 0) grace = setTimeout(endIdle, GRACE_MS);
    });
    if (offered !== undefined) say(socket, { server: offered });
  }

  const listener = createServer((socket) => {
    socket.unref(); // a silent holder does not keep this process alive
    onLine(socket, (line) => (line === token && !refusing ? hold(socket) : socket.destroy()));
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');

  return {
    port: (listener.address() as AddressInfo).port, // a string only for pipes
    token,
    idle: idle.signal,
    offer(server) {
      offered = server;
      if (server !== undefined) for (const socket of leases) say(socket, { server });
    },
    refuse: () => void (refusing = true),
    close(error) {
      refusing = true;
      clearTimeout(grace);
      listener.close();
      for (const socket of leases) {
        if (error !== undefined) say(socket, { error });
        socket.end();
      }
    },
  };
}

function say(socket: Socket, message: KeeperMessage): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}
