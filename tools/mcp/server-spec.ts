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

/** Options of npx, uvx and python before the name of what they run. */
const HARMLESS = ['-y', '--yes', '-m'];

/**
 * A server as messages and histories name it, without what may be secret: of an address the origin, of a command itself
 * and the program it runs. All that follows may be a key or an address with a password.
 */
export function serverName(server: McpServer): string {
  if ('url' in server) return new URL(server.url).origin;
  const { command, args = [] } = server;
  const shown = [command, ...args.slice(0, programOf(args) + 1)];
  return shown.length > args.length ? shown.join(' ') : `${shown.join(' ')} …`;
}

/** Where a command is told what to run; -1: nowhere. */
export function programOf(args: readonly string[]): number {
  const first = args.findIndex((arg) => !HARMLESS.includes(arg));
  return first !== -1 && isProgram(args[first] ?? '') ? first : -1;
}

/** A name or a path, not an option, an address or a setting. */
function isProgram(word: string): boolean {
  return !word.startsWith('-') && !/:\/\/|[=\s]/u.test(word);
}
