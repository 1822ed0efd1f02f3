import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { fieldsOf, parseJson } from '../../../agent/values/json-object.ts';

/** Reason why a reply could not be read. Passes through the SDK as the `data` of an error; an instance is not JSON, so no server can send it. */
export class UnreadableReply {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** JSON-RPC's code for a parse error. */
const PARSE_ERROR = -32_700;

/** An error for the request that a line answers, so that its caller does not wait; undefined for a line that answers none. */
export function unreadableReply(line: string, reason: unknown): JSONRPCMessage | undefined {
  const id = answeredId(line);
  if (id === undefined) return undefined;
  return failedReply(id, reason);
}

/** An error for a request whose reply cannot be read, or ends before it is whole. */
export function failedReply(id: number | string, reason: unknown): JSONRPCMessage {
  const error = { code: PARSE_ERROR, message: 'unreadable', data: new UnreadableReply(reason) };
  return { jsonrpc: '2.0', id, error };
}

/** Finds the id in a line that is not JSON (Python writes NaN). The id counts only before the result. */
const REPLY_BEGINS =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,\s*"(?:result|error)"\s*:/u;

function answeredId(line: string): number | string | undefined {
  const message = parseJson(line);
  if (message === undefined) {
    const id = REPLY_BEGINS.exec(line)?.[1];
    return id === undefined ? undefined : Number(id);
  }
  const { id, method } = fieldsOf(message);
  return method === undefined && (typeof id === 'number' || typeof id === 'string') ? id : undefined;
}
