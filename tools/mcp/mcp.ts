import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchema } from '../../agent/manifest.ts';
import type { Json } from '../../agent/vocabulary.ts';
import { objectInput } from '../json-input.ts';
import { announced } from '../loading-note.ts';
import { type McpConnection, mcpConnection } from './connection.ts';
import { complaintOfInput } from './error.ts';
import { outputOf, progressText } from './result.ts';
import { requirePackage } from '../optional-package.ts';
import { type McpServer, checkServer, serverName } from './server-spec.ts';
import { type Approval, type Tool, type ToolContext, ToolError, type ToolOptions } from '../tool.ts';

/** Options for every tool of the server, and which they are. */
export interface McpOptions extends Partial<Omit<ToolOptions, 'name' | 'description' | 'approval'>> {
  /** Whether a person has to allow each call: of all tools, or by the server's names; of those not named, 'never'. */
  approval?: McpApproval | { [tool: string]: McpApproval } | undefined;
  /** Put before the server's names. */
  prefix?: string;
  /** The tools to take, by the server's names. Default all. */
  only?: readonly string[];
  /** For the server to start and to list its tools. Default 60 s. */
  connectTimeoutMs?: number;
}

type McpApproval = Approval<{ [field: string]: Json }>;

/** As long as a timer can be: a call's time is the tool's `timeout`. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The tools of an MCP server, listed now; the server is asked again at every call, and started or reached again when it
 * was lost. Throws McpUnavailable, with the reason, if it cannot be used. Needs `npm install @modelcontextprotocol/sdk`.
 */
export async function mcp(
  server: McpServer,
  { prefix = '', only, connectTimeoutMs = 60_000, approval = 'never', ...options }: McpOptions = {},
): Promise<Tool[]> {
  requirePackage('@modelcontextprotocol/sdk', 'mcp()');
  checkServer(server);
  const connection = mcpConnection(server, connectTimeoutMs);
  const listed = await announced(`MCP server ${serverName(server)}`, () =>
    connection.use((client) => listTools(client, connectTimeoutMs)),
  );
  const chosen = only === undefined ? listed : only.map((name) => find(listed, name, server));
  if (typeof approval === 'object') for (const name of Object.keys(approval)) find(chosen, name, server);
  return chosen.map((tool) => ({
    ...toolOf(tool, prefix, connection),
    ...options,
    approval: typeof approval === 'object' ? (approval[tool.name] ?? 'never') : approval,
  }));
}

async function listTools(client: Client, timeout: number): Promise<McpTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { ListToolsResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    // Not client.listTools: it compiles the schemas of all results, and a bad one would cost us every tool.
    const page = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, { timeout });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

function find(listed: readonly McpTool[], wanted: string, server: McpServer): McpTool {
  const found = listed.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const names = listed.map(({ name }) => name).join(', ') || 'none';
  throw new Error(`MCP server ${serverName(server)} has no tool "${wanted}". It has: ${names}.`);
}

function toolOf(listed: McpTool, prefix: string, connection: McpConnection): Tool {
  const { title, annotations = {} } = listed;
  const name = `${prefix}${listed.name}`;
  const inputSchema = schemaOf(listed);
  return {
    name,
    description: listed.description || title || annotations.title || listed.name,
    effects: annotations.readOnlyHint === true ? 'none' : 'idempotent',
    inputSchema,
    parseInput: (input) => objectInput(name, inputSchema, input),
    run: (input, context) => call(connection, listed.name, input, context),
  };
}

/** The tool's schema without `$schema`, which costs tokens and which some providers refuse. */
function schemaOf({ inputSchema }: McpTool): JsonSchema {
  const { $schema: _draft, ...schema } = inputSchema as JsonSchema;
  return schema;
}

async function call(
  connection: McpConnection,
  name: string,
  input: { [key: string]: Json },
  { signal, progress, idempotencyKey }: ToolContext,
): Promise<string> {
  const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const params = { name, arguments: input, _meta: { 'reloop/idempotency-key': idempotencyKey } };
  const asked = (client: Client) =>
    client.request({ method: 'tools/call', params }, CallToolResultSchema, {
      signal,
      timeout: LONGEST_MS,
      onprogress: (made) => progress(progressText(made)),
    });
  try {
    return outputOf(await connection.use(asked, signal), connection.hide);
  } catch (error) {
    const complaint = complaintOfInput(error);
    throw complaint === undefined ? error : new ToolError(complaint, { cause: error });
  }
}
