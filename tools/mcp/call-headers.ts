import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolContext } from '../tool.ts';
import type { HeaderFields, McpServer } from './server-spec.ts';

/** Headers of the tool call under way. All calls of a server share one connection. */
const ofCall = new AsyncLocalStorage<HeaderFields>();

/** Runs `open` outside of the call under way: a connection belongs to no call. */
export const outsideOfCalls = <T>(open: () => T): T => ofCall.exit(open);

export const headersOfCall = (): HeaderFields | undefined => ofCall.getStore();

/** Runs a call, whose requests then have the headers that the server's `headers` function gives for the call. Rejects as that function does. */
export async function withHeadersOf<T>(
  server: McpServer,
  context: ToolContext,
  call: () => Promise<T>,
): Promise<T> {
  if (!('url' in server) || typeof server.headers !== 'function') return call();
  return ofCall.run(await headersFor(server.headers, context), call);
}

/** Without headers nothing is sent, which the error says for a tool with `effects: 'once'`. */
async function headersFor(headers: HeadersOfCall, context: ToolContext): Promise<HeaderFields> {
  try {
    return await headers(context);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { notDone: true }) : error;
  }
}

type HeadersOfCall = (context: ToolContext) => HeaderFields | Promise<HeaderFields>;
