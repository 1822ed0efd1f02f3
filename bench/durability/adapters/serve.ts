import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RunState } from '../process.ts';

/** Input of the tool `post`. */
export interface Entry {
  run: string;
  part: string;
}

interface Door {
  /** Starts a run. Asked again with the same id after a death, as a client does that got no answer. `thread`: the conversation that it continues. */
  start(id: string, question: string, thread: string): Promise<unknown>;
  read(id: string, thread: string): Promise<RunState>;
  approve(id: string): Promise<unknown>;
  /** Resolves when the product has taken the request. */
  cancel?(id: string): Promise<unknown>;
}

/** Serves a contestant over HTTP: the suite starts runs, reads them and approves, as a program of a user would. */
export function serve({ start, read, approve, cancel }: Door): void {
  const server = createServer((request, response) => {
    const [, , thread = '', what = ''] = (request.url ?? '').split('/');
    const id = isConversation(thread) ? `${thread}.${what}` : thread;
    const answer = async () => {
      if (request.method === 'GET') return read(id, thread);
      if (what === 'cancel') return cancel?.(id);
      return what === 'approve' ? approve(id) : start(id, await text(request), thread);
    };
    answer().then(
      (value) => response.end(request.method === 'GET' ? JSON.stringify(value) : '{}'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo; // of a TCP server
    process.send?.({ port });
  });
  process.on('disconnect', () => process.exit());
}

const world = process.env['DURABILITY_URL'] ?? '';
/** Base URL of the model, for clients of OpenAI's API. */
export const modelUrl = `${world}/v1`;
export const stateFolder = process.env['DURABILITY_STATE'] ?? '';

/**
 * The tool of every contestant: it begins, then posts the entry. `key`: an idempotency key, where the product has one; `signal`: aborted on a cancel,
 * where the product tells its tools.
 */
export async function postEntry({ run, part }: Entry, key?: string, signal?: AbortSignal): Promise<string> {
  const init = signal === undefined ? {} : { signal };
  await call(`${world}/begin?run=${run}&part=${part}`, init);
  return call(`${world}/entries`, { method: 'POST', body: JSON.stringify({ run, part, key }), ...init });
}

/** Asks the ledger for the entry. Returns true if it has been posted. */
export async function isPosted({ run, part }: Entry): Promise<boolean> {
  const { posted } = JSON.parse(await call(`${world}/entries?run=${run}&part=${part}`)) as {
    posted: boolean;
  }; // of world.ts
  return posted;
}

async function call(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.text();
}

/** Runs of this story ask a person before they post. */
export const needsApproval = (run: string): boolean => run.startsWith('approval.');

/** Runs of this story have an agent that asks another one to post. */
export const delegates = (run: string): boolean => run.startsWith('sub-agent.');

/** Runs of this story have several messages. */
export const isConversation = (run: string): boolean => run.startsWith('conversation.');
