import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningWorker } from './run-worker.ts';

export interface HealthServer {
  port: number;
  close(): Promise<void>;
}

type Probed = Pick<RunningWorker, 'isReady' | 'callsUnderWay' | 'drain'>;

interface ProbeResponse {
  code: number;
  status: 'live' | 'ready' | 'draining' | 'not found' | 'only from this machine';
}

/**
 * Answers the probes of a platform: `/live`, `/ready` (503 while the worker drains) and `/drain`, which only this machine may ask for. Port
 * 0 takes any port. Throws if the port is taken.
 */
export async function serveHealth(worker: Probed, host: string, port: number): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const { code, status } = responseTo(request, worker);
    response.writeHead(code, { 'content-type': 'application/json', connection: 'close' });
    response.end(`${JSON.stringify({ status, calls: worker.callsUnderWay() })}\n`);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo; // of a TCP server
  return { port: taken, close: () => closed(server) };
}

function responseTo({ url = '', socket }: IncomingMessage, worker: Probed): ProbeResponse {
  switch (url.replace(/\?.*$/su, '')) {
    case '/live':
      return { code: 200, status: 'live' };
    case '/ready':
      return worker.isReady() ? { code: 200, status: 'ready' } : { code: 503, status: 'draining' };
    case '/drain':
      if (!isHere(socket.remoteAddress)) return { code: 403, status: 'only from this machine' };
      worker.drain();
      return { code: 200, status: 'draining' };
    default:
      return { code: 404, status: 'not found' };
  }
}

function isHere(address = ''): boolean {
  return /^(?:::ffff:)?127\.|^::1$/u.test(address);
}

async function closed(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
