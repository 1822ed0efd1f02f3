import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { AgentClient } from '../../client/api/agent-client.ts';
import { type GatewayOptions, createGateway } from '../../gateway/gateway.ts';

/** An instance of the gateway on a port of its own. */
export interface GatewayServer {
  url: string;
  stop(): void;
}

export async function startGateway(client: AgentClient, options: GatewayOptions): Promise<GatewayServer> {
  const gateway = createGateway(client, options);
  const server = createAdaptorServer({ fetch: (request) => gateway.fetch(request) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // of a TCP server
    stop() {
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    },
  };
}

/** A request of a test, which is a POST. */
export interface Sent {
  path: string;
  body: object;
  headers?: { [name: string]: string };
}

export function post(
  { url }: GatewayServer,
  token: string,
  { path, body, headers }: Sent,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}
