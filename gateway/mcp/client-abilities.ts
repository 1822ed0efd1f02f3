import type { ClientCapabilities, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { MCP_TASKS } from '../../agent/values/names.ts';
import { fieldOf } from '../../agent/values/values.ts';

/** Field of the metadata in which a request of 2026-07-28 has the capabilities of its client. */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Abilities that a client has declared: with each request since 2026-07-28, with `initialize` before. */
export interface ClientAbilities {
  /** The request is of 2026-07-28: a server cannot send requests, and asks by its result. */
  isModern: boolean;
  /** The client can show a form to a person. */
  asksPeople: boolean;
  /** A result of `tools/call` may be a task. */
  takesTasks: boolean;
}

export function abilitiesOf({ server }: McpServer, { mcpReq }: ServerContext): ClientAbilities {
  const { envelope } = mcpReq;
  const isModern = envelope !== undefined;
  const declared = isModern
    ? (fieldOf(envelope, CAPABILITIES) as ClientCapabilities | undefined) // the SDK has checked it
    : server.getClientCapabilities();
  const { elicitation, extensions } = declared ?? {};
  return {
    isModern,
    // A declaration without a mode is one of forms.
    asksPeople:
      elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    takesTasks: isModern && extensions !== undefined && Object.hasOwn(extensions, MCP_TASKS),
  };
}
