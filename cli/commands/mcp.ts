import { once } from 'node:events';
import { type Readable, Writable } from 'node:stream';
import { requirePackages } from '../../adapters/tools/optional-package.ts';
import { loadCommandConfig } from '../connection/command-config.ts';
import { needsWorker } from '../connection/command-worker.ts';
import { type ContextOptions, withTemporal } from '../connection/context.ts';
import { servedAgents, servingClient } from '../connection/served-agents.ts';
import { type Io, UsageError, exitCodes, say, untilSignal } from '../shell/io.ts';

/** The sender of decisions, where `--as` names none. */
const SENDER = 'mcp';

/** `reloop mcp`: the agents of the config, or one of them, as tools of an MCP server on stdin and stdout, until its client ends. */
export async function mcpServer(io: Io, named: string | undefined, options: ContextOptions): Promise<number> {
  requirePackages(['@modelcontextprotocol/server', 'hono', '@hono/zod-openapi'], 'reloop mcp');
  const config = await loadCommandConfig(options.config);
  const all = servedAgents(config.loaded);
  const agents = named === undefined ? all : all.filter(({ name }) => name === named);
  if (agents.length === 0) {
    throw new UsageError(
      `The config has no agent "${named}", only: ${all.map(({ name }) => name).join(', ')}.`,
    );
  }
  const { agentServers } = await import('../../gateway/mcp/agent-server.ts');
  const { StdioServerTransport, serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const caller = { name: options.as ?? SENDER, scopes: ['admin'] as const };
  return withTemporal(io, { ...options, loaded: config.loaded }, async (context) => {
    const client = await servingClient(io, context, config, options);
    if (await needsWorker(context, client.taskQueue)) {
      await context.startWorker(config, 'run', [client.taskQueue]);
    }
    const sender = options.as === undefined ? client.as(caller.name) : client;
    const report = (error: unknown) =>
      say(io, error instanceof Error ? (error.stack ?? error.message) : String(error));
    const newServer = await agentServers({ client: sender, caller, agents, report });
    const { signal, stop } = untilSignal(io);
    const left = once(io.stdin, 'end');
    const output = writableOf(io.stdout);
    const transport = new StdioServerTransport(io.stdin as Readable, output); // stdin is the process's
    const server = serveStdio(newServer, { transport, onerror: report });
    try {
      say(io, `MCP server ready: ${agents.map(({ name }) => name).join(', ')}`);
      await Promise.race([signal, left, context.workerFailed]);
      return exitCodes.answered;
    } finally {
      stop();
      await server.close();
    }
  });
}

/** The SDK wants a stream of Node's: it listens for errors. */
function writableOf(output: Io['stdout']): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      output.write(text);
      done();
    },
  });
}
