import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { withoutSecrets } from '../../agent/secrets.ts';
import { type Circumstances, isAnswer, whyNot } from './error.ts';
import { httpTransport } from './http-transport.ts';
import { type McpServer, serverName } from './server-spec.ts';
import { secretsOf } from './server-secrets.ts';
import { type StdioTransport, stdioTransport } from './stdio-transport.ts';

/** The way to one server: opened when it is first used, and again when it was lost. Keeps no finished process alive. */
export interface McpConnection {
  /**
   * Throws the server's own errors (McpError), without secrets, the signal's reason as it is, and McpUnavailable for all
   * that happens on the way.
   */
  use<T>(task: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** What the server says, without the secrets that it was given: for messages. */
  hide(text: string): string;
}

/** The server could not be reached, or was lost; it may be there at the next attempt. */
class McpUnavailable extends Error {
  override name = 'McpUnavailable';
}

export function mcpConnection(server: McpServer, timeoutMs: number): McpConnection {
  const secrets = secretsOf(server);
  const hide = (text: string) => withoutSecrets(text, secrets);
  let current: Promise<Link> | undefined;

  const connected = () => {
    const opening = open(server, { timeoutMs, hide }, () => {
      if (current === opening) current = undefined;
    });
    current = opening;
    return opening;
  };

  return {
    async use(task, signal) {
      const link = await (current ?? connected());
      link.process?.keepAlive(++link.users > 0);
      try {
        return await task(link.client);
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        if (isAnswer(error)) throw withHidden(error, hide);
        link.forget();
        await link.client.close();
        throw unavailable(server, error, link.seen());
      } finally {
        link.process?.keepAlive(--link.users > 0);
      }
    },
    hide,
  };
}

interface Link {
  client: Client;
  /** Of a server that was started here. */
  process: StdioTransport | undefined;
  users: number;
  forget(): void;
  seen(): Circumstances;
}

/** Throws McpUnavailable. `forget` is called as soon as the link is of no more use. */
async function open(
  server: McpServer,
  { timeoutMs, hide }: Pick<Circumstances, 'timeoutMs' | 'hide'>,
  forget: () => void,
): Promise<Link> {
  const { Client: SdkClient } = await import('@modelcontextprotocol/sdk/client/index.js');
  const transport = 'url' in server ? await httpTransport(server) : await stdioTransport(server);
  const process = 'keepAlive' in transport ? transport : undefined;
  const client = new SdkClient({ name: 'reloop', version: '1.0.0' });
  let unreadable = '';
  Object.assign(client, {
    onclose: forget,
    onerror: ({ message }: Error) => {
      unreadable = message;
    },
  });
  const seen = () => ({ timeoutMs, complaint: process?.complaint() ?? '', unreadable, hide });
  try {
    await client.connect(transport, { timeout: timeoutMs });
  } catch (error) {
    forget();
    throw unavailable(server, error, seen());
  }
  return { client, process, users: 0, forget, seen };
}

/** The same error: its code and its place say what happened. */
function withHidden(error: unknown, hide: (text: string) => string): unknown {
  if (error instanceof Error) error.message = hide(error.message);
  return error;
}

/** Without the error as its cause, whose own message would be recorded as the server said it. */
function unavailable(server: McpServer, error: unknown, seen: Circumstances): McpUnavailable {
  return new McpUnavailable(`MCP server ${serverName(server)}: ${whyNot(error, seen)}`);
}
