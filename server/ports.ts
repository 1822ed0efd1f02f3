import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

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
  await Promise.all([grpc.release(), ui.release()]);
  return { grpc: grpc.port, ui: ui.port };
}

async function claim(wanted: number): Promise<{ port: number; release(): Promise<unknown> }> {
  // Some systems let two listen on one port, where one of them asked for all addresses.
  const taken = wanted !== 0 && (await accepts(wanted));
  const listener = createServer().listen(taken ? 0 : wanted, '127.0.0.1');
  try {
    await once(listener, 'listening');
  } catch (error) {
    if (wanted === 0) throw error;
    return claim(0);
  }
  const { port } = listener.address() as AddressInfo; // a string only for pipes
  return { port, release: () => once(listener.close(), 'close') };
}

/** Whether anything accepts connections on a loopback port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'timeout').then(() => Promise.reject())]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
