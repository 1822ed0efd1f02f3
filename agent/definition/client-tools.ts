import { isObject } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { jsonBytes } from '../values/digest.ts';
import { isDeeper } from '../values/values.ts';
import type { AgentManifest, JsonSchema, ToolManifest } from './manifest.ts';

/** A tool that the caller of a run brings and carries out: a call of it waits, for the reason `client_tool`, until the caller sends the result. */
export interface ClientTool {
  /** 1 to 64 letters, digits, `_` and `-`. */
  name: string;
  /** Text for the model. Default: none. */
  description?: string | undefined;
  /** JSON Schema of an object. Default: an object of any fields. */
  inputSchema?: JsonSchema | undefined;
}

export const CLIENT_TOOLS_RULE = `a list of at most ${limits.clientTools} tools, such as {"name":"pick_colour","description":"…","inputSchema":{"type":"object","properties":{}}}: each name once, of 1 to 64 letters, digits, "_" and "-", each inputSchema of type "object", and at most ${limits.clientToolsBytes} bytes as JSON`;

/** Checks tools that may come from any program. */
export function areClientTools(value: unknown): value is readonly ClientTool[] {
  if (!Array.isArray(value) || value.length > limits.clientTools || !value.every(isClientTool)) return false;
  if (new Set(value.map(({ name }) => name)).size < value.length) return false;
  return !isDeeper(value, limits.jsonDepth) && jsonBytes(value) <= limits.clientToolsBytes;
}

const FIELDS: { readonly [F in keyof ClientTool]-?: true } = {
  name: true,
  description: true,
  inputSchema: true,
};

function isClientTool(value: unknown): value is ClientTool {
  if (!isObject(value) || Object.keys(value).some((field) => !Object.hasOwn(FIELDS, field))) return false;
  const { name, description = '', inputSchema = ANY_OBJECT } = value;
  const isNamed = typeof name === 'string' && /^[\w-]{1,64}$/u.test(name);
  return (
    isNamed && typeof description === 'string' && isObject(inputSchema) && inputSchema['type'] === 'object'
  );
}

const ANY_OBJECT = { type: 'object', properties: {} };

/** Adds tools of the caller to an agent's own. One of a name that the agent has is left out. */
export function withClientTools(
  own: readonly ToolManifest[],
  brought: readonly ClientTool[],
): ToolManifest[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...brought.filter(({ name }) => !names.has(name)).map(clientToolManifest)];
}

/** A failure of the caller is an observation. */
function clientToolManifest({ name, description = '', inputSchema = ANY_OBJECT }: ClientTool): ToolManifest {
  return {
    name,
    description,
    inputSchema,
    client: true,
    effects: 'idempotent',
    onFailure: 'observe',
    returnDirect: false,
    maxOutputChars: 100_000,
    timeoutMs: limits.timerMs,
    retry: { maxAttempts: 1, initialMs: 0, backoff: 1, maximumMs: 0 },
  };
}

/** Returns the tools that the caller of a run brought, as one of its agents has them. */
export function clientToolsOf({ tools }: Pick<AgentManifest, 'tools'>): ClientTool[] {
  return tools.flatMap(({ name, description, inputSchema, client }) =>
    client === true ? [{ name, description, inputSchema: inputSchema ?? ANY_OBJECT }] : [],
  );
}

/** Returns the agent without the tools of the caller that started its run. */
export function withoutClientTools(manifest: AgentManifest): AgentManifest {
  return { ...manifest, tools: manifest.tools.filter(({ client }) => client !== true) };
}
