import type { ClientOptions, ConnectOptions } from '@modelcontextprotocol/client';
import { connectionProblem, wasNeverSent } from '../../../agent/values/http-exchange.ts';
import { MCP_TASKS } from '../../../agent/values/names.ts';
import { errorFields } from './error.ts';
import { type Revision, STATELESS } from './server-spec.ts';

export const CLIENT = { name: 'reloop', version: '1.0.0' };

/** Longest time that a server may take to say whether it speaks 2026-07-28; then it is asked in the older way. */
const FIRST_ANSWER_MS = 10_000;

export function clientOptions(revision: Revision, timeoutMs: number): ClientOptions {
  const mode = revision === STATELESS ? { pin: revision } : 'auto';
  const probe = mode === 'auto' ? { timeoutMs: Math.min(FIRST_ANSWER_MS, timeoutMs / 2) } : {};
  const capabilities = { elicitation: { form: {}, url: {} }, extensions: { [MCP_TASKS]: {} } };
  const only = revision === 'any' || revision === 'older' ? {} : { supportedProtocolVersions: [revision] };
  return { capabilities, versionNegotiation: { mode, probe }, ...only };
}

export function connectOptions(revision: Revision, timeout: number): ConnectOptions {
  const isOlder = revision !== 'any' && revision !== STATELESS;
  return isOlder ? { timeout, prior: { kind: 'legacy' } } : { timeout };
}

/** The SDK's code for a first question without a usable answer. */
const NO_REVISION_AGREED = 'ERA_NEGOTIATION_FAILED';
/** JSON-RPC's code of MCP for a revision that the server does not speak. */
const UNSUPPORTED_REVISION = -32_022;
/** Codes of connections that the other side closed before it had answered. */
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/**
 * The revision to try next with a new connection, after `tried`, the last of which failed. `older`: the first question, which older servers do
 * not know, has no usable answer. Where its connection was closed, or got a status of 500 and more, a proxy or a restart may be the cause, so
 * it is asked a second time. 2026-07-28: the server needed too long to say that it speaks nothing else.
 */
export function nextRevision(error: unknown, tried: readonly Revision[]): Revision | undefined {
  if (tried.some((revision) => revision !== 'any')) return undefined;
  const { code, status } = errorFields(error);
  if (code === UNSUPPORTED_REVISION) return STATELESS;
  if (code !== NO_REVISION_AGREED) return undefined;
  const problem = error instanceof Error ? connectionProblem(error.cause) : '';
  if (wasNeverSent(problem)) return undefined;
  const mayPass = CLOSED.has(problem) || Number(status) >= 500;
  return mayPass && tried.length === 1 ? 'any' : 'older';
}
