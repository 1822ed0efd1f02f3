import type { ToolContext } from '../tool.ts';

/** Revision that has no session: a server asks a person by the result of a call, and not over the connection. */
export const STATELESS = '2026-07-28';

/** Revisions of MCP, as the SDK (2.4.0) speaks them. */
export const PROTOCOL_VERSIONS = [
  STATELESS,
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

export type McpProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** Revisions to connect by. `any`: 2026-07-28 if the server speaks it, otherwise an older one that it speaks. */
export type Revision = 'any' | 'older' | McpProtocolVersion;

/** A server that is started here and asked over its standard input and output. */
export interface McpProcess {
  command: string;
  args?: readonly string[];
  /** Added to HOME, LOGNAME, PATH, SHELL, TERM and USER; nothing else is passed on. */
  env?: { [name: string]: string };
  /** Default: the folder of this process. */
  cwd?: string;
}

/** A server that is reached by HTTP (MCP's "streamable HTTP"). */
export interface McpEndpoint {
  url: string;
  /**
   * Sent with every request, such as `{ authorization: 'Bearer …' }`. A function is asked for each tool call, with the call's context, and
   * without a context for the requests that connect and list the tools.
   */
  headers?: HeaderFields | ((context?: ToolContext) => HeaderFields | Promise<HeaderFields>);
}

export interface HeaderFields {
  readonly [name: string]: string;
}

export type McpServer = McpProcess | McpEndpoint;

/** Throws for a server that is neither a command nor an address. */
export function checkServer(server: McpServer): void {
  const { command, url } = server as Partial<McpProcess & McpEndpoint>;
  if (typeof command === 'string' && command !== '' && url === undefined) return;
  if (
    typeof url === 'string' &&
    command === undefined &&
    /^https?:\/\/[^/]/u.test(url) &&
    URL.canParse(url)
  ) {
    const { username, password } = new URL(url);
    if (username === '' && password === '') return;
    throw new Error(
      'mcp: put user name and password into headers, as `authorization`, not into url: no request is sent with them.',
    );
  }
  throw new Error(
    "mcp: which server? Give { command: 'node', args: ['server.js'] } or { url: 'http://localhost:3000/mcp' }.",
  );
}

/** Options of npx, uvx and python before the name of the program. */
const IGNORED_OPTIONS = ['-y', '--yes', '-m'];

/**
 * A server's name in messages and histories, without possible secrets: the origin of an address, or a command and the
 * program that it runs. Further arguments may be keys or addresses with passwords.
 */
export function serverName(server: McpServer): string {
  if ('url' in server) return new URL(server.url).origin;
  const { command, args = [] } = server;
  const shown = [command, ...args.slice(0, programOf(args) + 1)];
  return shown.length > args.length ? shown.join(' ') : `${shown.join(' ')} …`;
}

/** Index of the argument that names the program to run; -1: none. */
export function programOf(args: readonly string[]): number {
  const first = args.findIndex((arg) => !IGNORED_OPTIONS.includes(arg));
  // A name or a path, not an option, an address or a setting.
  return /^-|:\/\/|[=\s]/u.test(args[first] ?? '-') ? -1 : first;
}
