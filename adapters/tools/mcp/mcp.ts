import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod/v4';
import type { JsonSchema } from '../../../agent/definition/manifest.ts';
import { fieldsOf } from '../../../agent/values/json-object.ts';
import { MCP_TASKS } from '../../../agent/values/names.ts';
import type { Json } from '../../../agent/values/vocabulary.ts';
import { objectInput } from '../json-input.ts';
import { announced } from '../loading-note.ts';
import { LONGEST_MS, callTool } from './server-call.ts';
import { withHeadersOf } from './call-under-way.ts';
import { mcpConnection } from './connection.ts';
import { cancelTask } from './server-task.ts';
import { requirePackage } from '../optional-package.ts';
import {
  type McpProtocolVersion,
  type McpServer,
  PROTOCOL_VERSIONS,
  checkServer,
  serverName,
} from './server-spec.ts';
import { problemOfName } from '../tool-name.ts';
import { checkWhole } from '../whole-number.ts';
import type { Approval, AskedInput, Reconciled, Tool, ToolContext, ToolOptions } from '../tool.ts';

/** Options for every tool of the server, and which they are. */
export interface McpOptions extends Partial<Omit<ToolOptions, 'name' | 'description' | 'approval'>> {
  /**
   * Approval by a person before each call: for all tools, or by the server's names of the tools; 'never' for those not
   * named.
   */
  approval?: McpApproval | { [tool: string]: McpApproval } | undefined;
  /** Put before the server's names. */
  prefix?: string;
  /** The tools to take, by the server's names. Default all. */
  only?: readonly string[];
  /** Longest time in which the server starts and lists all its tools. Default 60 s. */
  connectTimeoutMs?: number;
  /** The revision of MCP to speak with the server, and no other. Default: 2026-07-28 if the server speaks it, otherwise the newest older one. */
  protocolVersion?: McpProtocolVersion;
}

type McpApproval = Approval<{ [field: string]: Json }>;

/**
 * The tools of an MCP server, listed now; the server is asked again at every call, and started or reached again when it
 * was lost. Throws McpUnavailable, with the reason, if it cannot be used. Needs `npm install @modelcontextprotocol/client`.
 */
export async function mcp(
  server: McpServer,
  {
    prefix = '',
    only,
    connectTimeoutMs = 60_000,
    protocolVersion,
    approval = 'never',
    ...options
  }: McpOptions = {},
): Promise<Tool[]> {
  requirePackage('@modelcontextprotocol/client', 'mcp()');
  checkServer(server);
  checkWhole('mcp: connectTimeoutMs', connectTimeoutMs, { unit: 'milliseconds', min: 1, max: LONGEST_MS });
  checkVersion(protocolVersion);
  const connection = mcpConnection(server, connectTimeoutMs, protocolVersion);
  const deadline = performance.now() + connectTimeoutMs;
  const { listed, hasTasks } = await announced(`MCP server ${serverName(server)}`, () =>
    connection.use(async (client) => {
      const { extensions } = client.getServerCapabilities() ?? {};
      return { listed: await listTools(client, deadline), hasTasks: extensions?.[MCP_TASKS] !== undefined };
    }),
  );
  checkNames(only ?? listed.map(({ name }) => name), server);
  const chosen = only === undefined ? listed : only.map((name) => find(listed, name, server));
  const perTool = isPerTool(approval) ? approval : undefined;
  for (const name of Object.keys(perTool ?? {})) find(chosen, name, server);
  return chosen.map((tool) => {
    const once = options.effects === 'once';
    const call: RunOfTool = (input, context) =>
      withHeadersOf(server, context, () => callTool(connection, { ...tool, once }, input, context));
    const cancel = (_input: never, context: ToolContext) =>
      withHeadersOf(server, context, () => cancelTask(connection, context));
    return {
      ...toolOf(tool, prefix, call),
      ...options,
      ...(once && hasTasks && { reconcile: reconcileTask }),
      ...(hasTasks && { cancel }),
      approval: isPerTool(approval) ? (approval[tool.name] ?? 'never') : approval,
    };
  });
}

function checkVersion(version: string | undefined): void {
  if (version === undefined || PROTOCOL_VERSIONS.some((known) => known === version)) return;
  throw new Error(
    `mcp: protocolVersion ${JSON.stringify(version)} is not a revision of MCP. Known: ${PROTOCOL_VERSIONS.join(', ')}.`,
  );
}

type ApprovalOption = NonNullable<McpOptions['approval']>;

/** Returns false for one rule for all tools: `{ by: [...] }` is such a rule too. */
function isPerTool(approval: ApprovalOption): approval is { [tool: string]: McpApproval } {
  return typeof approval === 'object' && !Array.isArray(approval.by);
}

const ListedTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z.object({ title: z.string().optional(), readOnlyHint: z.boolean().optional() }).optional(),
});
type ListedTool = z.output<typeof ListedTool>;

const ToolPage = z.object({ tools: z.array(ListedTool), nextCursor: z.string().optional() });

/** More than any config takes; a server with more of them has no end. */
const MAX_TOOLS = 5_000;

/** All pages of a server's tools, by `deadline` (milliseconds, as `performance.now()`). */
async function listTools(client: Client, deadline: number): Promise<ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: ListedTool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const timeout = Math.max(1, deadline - performance.now());
    // client.listTools has no deadline for all pages, and ends at 64 of them.
    const page = ToolPage.parse(
      await client.request({ method: 'tools/list', params }, z.unknown(), { timeout }),
    );
    tools.push(...page.tools);
    cursor = page.nextCursor;
    if (tools.length > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`);
    if (cursor === undefined) return tools;
    if (cursors.has(cursor)) throw new Error('its list of tools has no end: it gave one cursor twice');
    cursors.add(cursor);
  } while (performance.now() < deadline);
  throw new Error(`it was still listing its tools at the end of connectTimeoutMs, ${tools.length} so far`);
}

/** A server chooses its names, and people read them. */
function checkNames(names: readonly string[], server: McpServer): void {
  const problem = names.map(problemOfName).find((found) => found !== undefined);
  if (problem === undefined) return;
  throw new Error(`MCP server ${serverName(server)}: ${problem}. Take other tools of it by the option only.`);
}

function find(listed: readonly ListedTool[], wanted: string, server: McpServer): ListedTool {
  const found = listed.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const shown = listed.map(({ name }) => name).filter((name) => problemOfName(name) === undefined);
  const names = shown.join(', ') || 'none';
  throw new Error(`MCP server ${serverName(server)} has no tool "${wanted}". It has: ${names}.`);
}

type RunOfTool = (input: { [key: string]: Json }, context: ToolContext) => Promise<string | AskedInput>;

function toolOf(listed: ListedTool, prefix: string, caller: RunOfTool): Tool {
  const { title, annotations = {} } = listed;
  const name = `${prefix}${listed.name}`;
  const inputSchema = schemaOf(listed);
  return {
    name,
    description: listed.description || title || annotations.title || listed.name,
    effects: annotations.readOnlyHint === true ? 'none' : 'idempotent',
    inputSchema,
    parseInput: (input) => objectInput(name, inputSchema, input),
    run: caller,
  };
}

/** A call that a task of the server does may run again: it asks for the same task. */
function reconcileTask(_input: never, { lastCheckpoint }: ToolContext): Reconciled {
  return { status: typeof fieldsOf(lastCheckpoint)['task'] === 'string' ? 'notDone' : 'unknown' };
}

/** The tool's schema without `$schema`, which costs tokens and which some providers refuse. */
function schemaOf({ inputSchema }: ListedTool): JsonSchema {
  const { $schema: _draft, ...schema } = inputSchema as JsonSchema;
  return schema;
}
