import type { ClientOptions, ConnectOptions } from '@modelcontextprotocol/client';
import { MCP_TASKS } from '../../agent/values/names.ts';
import { errorFields } from './error.ts';

export const CLIENT = { name: 'reloop', version: '1.0.0' };

/** Revisions of MCP to connect by. `any`: 2026-07-28 where the server speaks it, else what it speaks of the older ones. */
export type Revision = 'any' | 'older' | '2026-07-28';

/** Longest time that a server may take to say whether it speaks 2026-07-28; then it is asked in the older way. */
const FIRST_ANSWER_MS = 10_000;

export function clientOptions(revision: Revision, timeoutMs: number): ClientOptions {
  const mode = revision === '2026-07-28' ? { pin: revision } : 'auto';
  const probe = mode === 'auto' ? { timeoutMs: Math.min(FIRST_ANSWER_MS, timeoutMs / 2) } : {};
  const capabilities = { elicitation: { form: {}, url: {} }, extensions: { [MCP_TASKS]: {} } };
  return { capabilities, versionNegotiation: { mode, probe } };
}

export function connectOptions(revision: Revision, timeout: number): ConnectOptions {
  return revision === 'older' ? { timeout, prior: { kind: 'legacy' } } : { timeout };
}

/** The SDK's code for a first question without a usable answer. */
const NO_REVISION_AGREED = 'ERA_NEGOTIATION_FAILED';
/** JSON-RPC's code of MCP for a revision that the server does not speak. */
const UNSUPPORTED_REVISION = -32_022;

/**
 * The revision to try next with a new connection: `older` where the first question, which older servers do not know, ended the server's
 * process or got a status of 500 and more; 2026-07-28 where a server needed too long to say that it speaks nothing else.
 */
export function otherRevision(error: unknown, tried: Revision): Revision | undefined {
  if (tried !== 'any') return undefined;
  const { code, status } = errorFields(error);
  if (code === UNSUPPORTED_REVISION) return '2026-07-28';
  const isAnswered = status !== undefined || !(error instanceof Error && error.cause !== undefined);
  return code === NO_REVISION_AGREED && isAnswered ? 'older' : undefined;
}
