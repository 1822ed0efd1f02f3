import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface Ports {
  grpc: number;
  ui: number;
}

/** Temporal's usual ports: the links that Reloop prints are the same from day to day. */
export const usualPorts: Ports = { grpc: 7233, ui: 8233 };

/** Free ones. */
export const anyPorts: Ports = { grpc: 0, ui: 0 };

/** The ports one would like, each replaced by a free one, if possible soon after it, where it is taken. */
export async function freePorts(wanted: Ports): Promise<Ports> {
  const grpc = await claim(candidates(wanted.grpc, wanted.ui));
  const ui = await claim(candidates(wanted.ui, wanted.grpc)); // while the first is still claimed: never the same
  await Promise.all([grpc.release(), ui.release()]);
  return { grpc: grpc.port, ui: ui.port };
}

const NEXT_PORTS = 20;
const LAST_PORT = 65_535;
const ANY = 0;

function candidates(wanted: number, other: number): number[] {
  if (wanted === ANY) return [ANY];
  const next = Array.from({ length: NEXT_PORTS }, (_, index) => wanted + 1 + index);
  return [wanted, ...next.filter((port) => port !== other && port <= LAST_PORT), ANY];
}

async function claim([port = ANY, ...others]: number[]): Promise<{
  port: number;
  release(): Promise<unknown>;
}> {
  // Some systems let two listen on one port, where one of them asked for all addresses.
  if (port !== ANY && (await accepts(port))) return claim(others);
  const listener = createServer().listen(port, '127.0.0.1');
  try {
    await once(listener, 'listening');
  } catch (error) {
    if (port === ANY) throw error;
    return claim(others);
  }
  const { port: claimed } = listener.address() as AddressInfo; // a string only for pipes
  return { port: claimed, release: () => once(listener.close(), 'close') };
}

/** True if a program accepts connections on a loopback port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 10_000 });
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'timeout').then(() => Promise.reject())]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
