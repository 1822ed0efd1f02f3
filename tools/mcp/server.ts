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
  /** Sent with every request, such as `{ authorization: 'Bearer …' }`. */
  headers?: { [name: string]: string };
}

export type McpServer = McpProcess | McpEndpoint;

/** Throws for what is neither a command nor an address. */
export function checkServer(server: McpServer): void {
  const { command, url } = server as Partial<McpProcess & McpEndpoint>;
  if (typeof command === 'string' && command !== '' && url === undefined) return;
  if (
    typeof url === 'string' &&
    command === undefined &&
    /^https?:\/\/[^/]/u.test(url) &&
    URL.canParse(url)
  ) {
    return;
  }
  throw new Error(
    "mcp: which server? Give { command: 'node', args: ['server.js'] } or { url: 'http://localhost:3000/mcp' }.",
  );
}

/** Options of npx, uvx and python before the name of what they run: no secrets follow these. */
const HARMLESS = ['-y', '--yes', '-m'];

/** A server as messages and histories name it: without what may be secret in an address, or behind an option. */
export function serverName(server: McpServer): string {
  if ('url' in server) {
    const { origin, pathname } = new URL(server.url);
    return `${origin}${pathname}`;
  }
  const { command, args = [] } = server;
  const option = args.findIndex((arg) => arg.startsWith('-') && !HARMLESS.includes(arg));
  return option < 0 ? [command, ...args].join(' ') : [command, ...args.slice(0, option), '…'].join(' ');
}
