import type { z } from 'zod/v4';
import { shownUrl } from '../../../agent/text/shown-url.ts';
import { connectionProblem, wasNeverSent } from '../../../agent/values/http-exchange.ts';
import { problemIn } from './result.ts';
import { UnreadableReply } from './unreadable-reply.ts';

/**
 * Reason why a server could not be used, as the end of a sentence. Recognizes errors by their fields: the SDK is loaded
 * late.
 */
export function whyNot(error: unknown, { hide, timeoutMs, ...said }: Circumstances): string {
  const { code, name, status } = errorFields(error);
  const reason = unreadableIn(error)?.reason ?? firstQuestion(error);
  if (reason !== undefined) return whyNot(reason, { hide, timeoutMs, ...said });
  // First of all, since a secret that is cut is not found any more.
  const message = hide(errorFields(error).message);
  const [complaint, unreadable] = [hide(said.complaint), hide(said.unreadable)];
  if (code === REQUEST_TIMEOUT) {
    return `it did not answer within ${timeoutMs / 1000} s${complaint === '' ? '' : ` and said: ${complaint}`}${hint(unreadable)}`;
  }
  if (code === CONNECTION_CLOSED || code === 'EPIPE') {
    return complaint === ''
      ? `it ended without a message${hint(unreadable)}`
      : `it ended, saying: ${complaint}`;
  }
  if (status === 401 || status === 403) return `it refuses us (HTTP ${status}): check its headers`;
  if (saysNoSession(error, said.inSession))
    return `it does not know the session that it has just started (HTTP ${String(status)}): do several servers share its url?`;
  if (status === 404 || status === 405)
    return `nothing speaks MCP there (HTTP ${status}): check the path of its url`;
  const issues = issuesOf(error);
  if (issues !== undefined) return `what it says is not MCP: ${firstLine(hide(problemIn({ issues })))}`;
  if (code === UNEXPECTED_CONTENT || code === INVALID_RESULT || name === 'SyntaxError') {
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
  /** The server has given this connection a session. */
  inSession: boolean;
  /** Removes the server's secrets, which it may repeat, from a text. */
  hide(text: string): string;
}

/** The SDK's codes. */
export const CONNECTION_CLOSED = 'CONNECTION_CLOSED';
export const REQUEST_TIMEOUT = 'REQUEST_TIMEOUT';
const UNEXPECTED_CONTENT = 'CLIENT_HTTP_UNEXPECTED_CONTENT';
const INVALID_RESULT = 'INVALID_RESULT';
/** JSON-RPC's code of MCP. */
const INVALID_PARAMS = -32_602;

/** True if the server refused the request since it does not know the session: it was restarted, or has ended the session. */
export function saysNoSession(error: unknown, inSession: boolean): boolean {
  const { status, message } = errorFields(error);
  // MCP asks for 404. Servers of its TypeScript SDK say 400 as long as no session was started.
  return inSession && (status === 404 || (status === 400 && /session|not initialized/iu.test(message)));
}

/** Statuses by which a server, or a proxy in front of it, refuses a request before a tool runs. */
const REFUSALS: readonly unknown[] = [401, 403, 404, 405, 429];

/** True if the request certainly was not carried out. */
export function wasNotDone(error: unknown, inSession: boolean): boolean {
  const { status } = errorFields(error);
  return (
    REFUSALS.includes(status) || saysNoSession(error, inSession) || wasNeverSent(connectionProblem(error))
  );
}

/** Requests by which a server asks its client in the course of a call. Reloop's client answers only elicitation, and not for tools with `once`. */
const ASKING = /\b(?:elicitation\/create|sampling\/createMessage|roots\/list)\b/u;
/** MCP's code for a call that needs a person to open a page first. */
const PAGE_REQUIRED = -32_042;

/** Pages that a person has to open before the call: the `data` of the server's error. */
export function pagesToOpen(error: unknown): unknown {
  const isForPages = errorFields(error).code === PAGE_REQUIRED && error instanceof Error && 'data' in error;
  return isForPages ? error.data : undefined;
}

/** The reason why no call of the tool can end well with this client, as the end of a sentence, if the server's error says one. */
export function unmetNeed(error: unknown): string | undefined {
  const { name, code, message } = errorFields(error);
  if (name !== MCP_ERROR) return undefined;
  if (code === PAGE_REQUIRED) return `wants a person to open a page first, which Reloop does not show`;
  const [asked] = ASKING.exec(message) ?? [];
  if (asked === 'elicitation/create')
    return `asks a person in the course of the call (${asked}), which works by no revision with effects: 'once', and else only by one before 2026-07-28: see the option protocolVersion`;
  return asked === undefined ? undefined : `needs ${asked}, which Reloop's client does not answer`;
}

/** The server's complaint about the model's input, if the input is at fault. */
export function complaintOfInput(error: unknown): string | undefined {
  const { name, code } = errorFields(error);
  return name === MCP_ERROR && code === INVALID_PARAMS ? wordsOf(error) : undefined;
}

/** Name of a server's own error in histories, since the SDK's first version. */
export const MCP_ERROR = 'McpError';

/** Message of an error. Servers of the SDK's first version put their codes before it. */
export function wordsOf(error: unknown): string {
  return errorFields(error).message.replace(/^(?:MCP error -?\d+: )+/u, '');
}

/** True if the server answered, though with an error: the connection still works. */
export function isAnswer(error: unknown): boolean {
  // The SDK's own errors have texts as codes.
  const { code } = errorFields(error);
  return unreadableIn(error) === undefined && typeof code === 'number';
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

/** Fields of an error that the SDK or Node sets. `status`: of an HTTP response. */
export function errorFields(error: unknown): {
  name: string;
  message: string;
  code: unknown;
  status: unknown;
} {
  if (!(error instanceof Error))
    return { name: '', message: String(error), code: undefined, status: undefined };
  const { name, message } = error;
  const { code, status } = error as { code?: unknown; status?: unknown };
  return { name, message, code, status };
}

/** The problem by which the SDK's first question about revisions failed. */
function firstQuestion(error: unknown): unknown {
  const { code } = errorFields(error);
  return code === 'ERA_NEGOTIATION_FAILED' && error instanceof Error ? error.cause : undefined;
}

function hint(unreadable: string): string {
  return unreadable === '' ? '' : `; what it printed is not MCP (${firstLine(unreadable)})`;
}

/** `fetch failed` alone says nothing. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error && error.cause instanceof Error)) return '';
  const { message, code } = errorFields(error.cause);
  return ` (${message === '' ? String(code) : message})`;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
}
