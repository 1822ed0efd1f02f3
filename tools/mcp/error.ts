import type { z } from 'zod/v4';
import { shownUrl } from '../../agent/text/shown-url.ts';
import { problemIn } from './result.ts';
import { UnreadableReply } from './unreadable-reply.ts';

/**
 * Reason why a server could not be used, as the end of a sentence. Recognizes errors by their fields: the SDK is loaded
 * late.
 */
export function whyNot(error: unknown, { hide, timeoutMs, ...said }: Circumstances): string {
  const { code, name } = fieldsOf(error);
  const unreadableReply = unreadableIn(error);
  if (unreadableReply !== undefined) return whyNot(unreadableReply.reason, { hide, timeoutMs, ...said });
  // First of all, since a secret that is cut is not found any more.
  const message = hide(fieldsOf(error).message);
  const [complaint, unreadable] = [hide(said.complaint), hide(said.unreadable)];
  if (code === REQUEST_TIMEOUT) {
    return `it did not answer within ${timeoutMs / 1000} s${complaint === '' ? '' : ` and said: ${complaint}`}${hint(unreadable)}`;
  }
  if (code === CONNECTION_CLOSED || code === 'EPIPE') {
    return complaint === '' ? `it ended without a word${hint(unreadable)}` : `it ended, saying: ${complaint}`;
  }
  if (code === 401 || code === 403) return `it refuses us (HTTP ${code}): check its headers`;
  if (code === 404 || code === 405)
    return `nothing speaks MCP there, or it forgot us (HTTP ${code}): check the path of its url`;
  const issues = issuesOf(error);
  if (issues !== undefined) return `what it says is not MCP: ${firstLine(hide(problemIn({ issues })))}`;
  if (code === UNEXPECTED_CONTENT || name === 'SyntaxError') {
    return `what it says is not MCP: ${firstLine(message)}`;
  }
  // The errors of fetch and the SDK show whole addresses.
  return `${firstLine(message)}${hide(causeOf(error))}`.replaceAll(/https?:\/\/[^\s"'<>()]+/giu, shownUrl);
}

export interface Circumstances {
  timeoutMs: number;
  /** Last lines that the server's process wrote to standard error. */
  complaint: string;
  /** Problem of a line that is not a message, if there was one. */
  unreadable: string;
  /** Removes the server's secrets, which it may repeat, from a text. */
  hide(text: string): string;
}

/** JSON-RPC codes of MCP. */
const CONNECTION_CLOSED = -32_000;
export const REQUEST_TIMEOUT = -32_001;
const INVALID_PARAMS = -32_602;
/** The SDK's, for an answer of another content type. */
const UNEXPECTED_CONTENT = -1;

/** The server's complaint about the model's input, if the input is at fault. */
export function complaintOfInput(error: unknown): string | undefined {
  const { name, code, message } = fieldsOf(error);
  if (name !== 'McpError' || code !== INVALID_PARAMS) return undefined;
  return message.replace(/^(?:MCP error -?\d+: )+/u, '');
}

/** True if the server answered, though with an error: the connection still works. */
export function isAnswer(error: unknown): boolean {
  const { name, code } = fieldsOf(error);
  if (unreadableIn(error) !== undefined) return false;
  return name === 'McpError' && code !== CONNECTION_CLOSED && code !== REQUEST_TIMEOUT;
}

/** A reply came, and could not be read: the connection is as good as before. */
export function unreadableIn(error: unknown): UnreadableReply | undefined {
  const data = error instanceof Error && 'data' in error ? error.data : undefined;
  return data instanceof UnreadableReply ? data : undefined;
}

/** Issues of a zod error, from any copy of zod. */
function issuesOf(error: unknown): z.core.$ZodIssue[] | undefined {
  const isZod = error instanceof Error && /^\$?ZodError$/u.test(error.name) && 'issues' in error;
  return isZod ? (error.issues as z.core.$ZodIssue[]) : undefined; // all copies have a path and a message
}

function fieldsOf(error: unknown): { name: string; message: string; code: unknown } {
  if (!(error instanceof Error)) return { name: '', message: String(error), code: undefined };
  const { name, message } = error;
  return { name, message, code: 'code' in error ? error.code : undefined };
}

function hint(unreadable: string): string {
  return unreadable === '' ? '' : `; what it printed is not MCP (${firstLine(unreadable)})`;
}

/** `fetch failed` alone says nothing. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error && error.cause instanceof Error)) return '';
  const { message, code } = fieldsOf(error.cause);
  return ` (${message === '' ? String(code) : message})`;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
}
