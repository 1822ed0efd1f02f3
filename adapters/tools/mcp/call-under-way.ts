import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '@modelcontextprotocol/client';
import type { ToolContext } from '../tool.ts';
import type { PersonsAnswer, QuestionsOfCall } from './questions.ts';
import type { HeaderFields, McpServer } from './server-spec.ts';

interface CallUnderWay {
  headers?: HeaderFields | undefined;
  questions?: QuestionsOfCall | undefined;
}

/** The tool call under way. All calls of a server share one connection. */
const underWay = new AsyncLocalStorage<CallUnderWay>();

/** Runs `open` outside of the call under way: a connection belongs to no call. */
export const outsideOfCalls = <T>(open: () => T): T => underWay.exit(open);

export const headersOfCall = (): HeaderFields | undefined => underWay.getStore()?.headers;

/** Runs a call, whose requests then have the headers that the server's `headers` function gives for the call. Rejects as that function does. */
export async function withHeadersOf<T>(
  server: McpServer,
  context: ToolContext,
  call: () => Promise<T>,
): Promise<T> {
  if (!('url' in server) || typeof server.headers !== 'function') return call();
  return underWay.run({ headers: await headersFor(server.headers, context) }, call);
}

/** Resolves to the headers of a call. If the function fails, nothing is sent: the error says so for a tool with `effects: 'once'`. */
async function headersFor(headers: HeadersOfCall, context: ToolContext): Promise<HeaderFields> {
  try {
    return await headers(context);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { notDone: true }) : error;
  }
}

type HeadersOfCall = (context: ToolContext) => HeaderFields | Promise<HeaderFields>;

/** Calls under way by connection, for a server that asks over one channel for all of them. */
const callsOf = new WeakMap<Client, Set<CallUnderWay>>();

/** Runs a call in the course of which the server may ask a person. `questions` undefined: it may not. */
export async function withQuestions<T>(
  client: Client,
  questions: QuestionsOfCall | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const calls = callsOf.get(client) ?? new Set();
  callsOf.set(client, calls);
  const own = { ...underWay.getStore(), questions };
  calls.add(own);
  try {
    return await underWay.run(own, call);
  } finally {
    calls.delete(own);
  }
}

/** Answers a question that came over the connection: of the call in whose answer it came, or of the only call under way. undefined: of no call that may ask. */
export function answerInCall(client: Client, question: unknown): PersonsAnswer | undefined {
  const [only, ...others] = callsOf.get(client) ?? [];
  const call = underWay.getStore() ?? (others.length === 0 ? only : undefined);
  return call?.questions?.answer(question);
}
