import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { isInvalidArgument } from '../../history/read/pages.ts';
import { searchAttribute } from '../../agent/values/names.ts';
import { sessionId } from '../../agent/session/session.ts';
import type { PausedBy, PausedCall } from '../../agent/run/events.ts';
import type { ErrorInfo, Json, RunStatus, Usage } from '../../agent/values/vocabulary.ts';
import { type ListedRun, nextOf, readListPage } from '../../history/list/listed.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { InvalidInput } from '../connect/errors.ts';
import { queryOf, replacedRuns } from './list-query.ts';
import { type ListOptions, checkListOptions, wantedStatuses } from './run-filters.ts';
import { ownershipIn } from '../../workflows/messages.ts';
import { readOutcome } from './run-outcome.ts';
import { type WaitingInList, pausedCallsOfListed, statusOfListed, waitingOfListed } from './run-status.ts';

/** A run as the list has it. */
export interface RunSummary {
  id: string;
  runId: string;
  agent: string;
  /** The first 200 characters. */
  input: string;
  status: RunStatus;
  startedAt: Date;
  closedAt: Date | null;
  taskQueue: string;
  /** Name of the conversation that it is part of. */
  session?: string | undefined;
  tags?: readonly string[] | undefined;
  /** Customer or user that the run is for. */
  tenant?: string | undefined;
  /** Absent: 3. */
  priority?: number | undefined;
  /** Name of the person that the run belongs to, if the client that started it had one. */
  owner?: string | undefined;
  /** Id of the workflow that started it: the run that it is a sub-agent of, or its session's. */
  parent?: string | undefined;
  /** Calls that wait for a person, also of sub-agents, if the run has them in its memo. */
  waiting?: WaitingInList[] | undefined;
  /** Calls that an operator has paused with Temporal's own command. */
  pausedCalls?: PausedCall[] | undefined;
  /** An operator has paused the whole run with `temporal workflow pause`. */
  pausedInTemporal?: PausedBy | undefined;
  /** The answer, set with `full`; null: no answer (yet). */
  output?: Json | undefined;
  /** Reason why the run failed, set with `full`; null: it did not. */
  error?: ErrorInfo | null | undefined;
  /** Usage of the run so far, set with `full`, with the cost if prices are known. */
  usage?: Usage | undefined;
}

export interface RunPage {
  runs: RunSummary[];
  /** Token of the next page; null on the last page. */
  nextPage: string | null;
  /** Number of runs that the server returned, also those that did not fit. */
  lookedAt: number;
  /** The server has no search attributes of ours to filter by: each run was read instead. */
  unindexed: boolean;
}

/** Most runs that one page looks at. */
const MOST_LOOKED_AT = 10_000;
/** Most that one request asks for. */
const MOST_AT_ONCE = 500;
/** Runs that are read at the same time, where that is needed. */
const READERS = 8;

/** Runs that fit, open ones first, latest first, up to `limit`, and the token of the next page. Throws InvalidInput. */
export async function listPage(client: Client, options: ListOptions = {}): Promise<RunPage> {
  checkListOptions(options);
  const token = tokenOf(options.page);
  return withQuery(options, false, (query, unindexed) =>
    findPage(client, { ...options, query, token, unindexed }),
  );
}

/**
 * Asks the server with our search attributes, and without them if it does not have them (`unindexed`). Throws InvalidInput for a page of
 * another list.
 */
async function withQuery<T>(
  options: ListOptions,
  unindexed: boolean,
  ask: (query: string, unindexed: boolean) => Promise<T>,
): Promise<T> {
  const query = queryOf(options, !unindexed);
  try {
    return await ask(query, unindexed);
  } catch (error) {
    if (!isInvalidArgument(error)) throw error;
    if (unindexed || query === queryOf(options, false)) throw noPage(options.page, error);
  }
  return withQuery(options, true, ask);
}

/** The same, page after page, until `limit`; without one, all. */
export async function* listRuns(client: Client, options: ListOptions = {}): AsyncGenerator<RunSummary> {
  let { limit: left = Infinity } = options;
  for await (const { runs } of listPages(client, options)) {
    yield* runs.slice(0, left);
    left -= runs.length;
    if (left <= 0) return;
  }
}

/** All runs that fit, as the server's pages come. A run is listed once, also one that ends meanwhile and moves to a later page. */
export async function* listPages(
  client: Client,
  options: ListOptions = {},
): AsyncGenerator<Pick<RunPage, 'runs' | 'unindexed'>> {
  checkListOptions(options);
  const pageSize = Math.min(options.limit ?? MOST_AT_ONCE, MOST_AT_ONCE);
  const seen = new Set<string>();
  let unindexed = false;
  const read = (token: Uint8Array | undefined) =>
    withQuery(options, unindexed, (query, isUnindexed) => {
      unindexed = isUnindexed;
      return readListPage(client, { query, pageSize, token });
    });
  for (let page = read(tokenOf(options.page)); ;) {
    const { runs: all, next } = await page;
    // A list of all runs reads the next page while it looks at this one; who stops here does not wait for it.
    const following = options.limit === undefined && next !== undefined ? read(next) : undefined;
    following?.catch(() => undefined);
    const found = await fitting(client, all, options);
    const runs = found.flatMap((run) => (run === undefined || seen.has(run.runId) ? [] : [run]));
    for (const { runId } of runs) seen.add(runId);
    yield { runs, unindexed };
    if (next === undefined) return;
    page = following ?? read(next);
  }
}

/** One page of the server, with undefined for each run that does not fit. */
async function readFound(client: Client, request: Parameters<typeof readListPage>[1], options: ListOptions) {
  const { runs, next } = await readListPage(client, request);
  return { found: await fitting(client, runs, options), next };
}

/** undefined for each run that does not fit. */
async function fitting(client: Client, runs: readonly ListedRun[], options: ListOptions) {
  const isReplaced = await replacedRuns(client, runs);
  return aFewAtATime(runs, READERS, (run) => summaryIfFits(client, run, options, isReplaced));
}

interface Search extends ListOptions {
  query: string;
  token: Uint8Array | undefined;
  unindexed: boolean;
}

async function findPage(client: Client, { query, token, unindexed, ...options }: Search): Promise<RunPage> {
  const { limit = 50 } = options;
  const pageSize = Math.min(limit + 1, MOST_AT_ONCE);
  const runs: RunSummary[] = [];
  let last = { query, pageSize: 1, token };
  let lookedAt = 0;
  for (;;) {
    const page = await readFound(client, { query, pageSize, token }, options);
    const { found } = page;
    for (const [index, run] of found.entries()) {
      if (run !== undefined && runs.length === limit) {
        // The server's tokens point to the ends of its own pages, so this asks for a page that ends with the last run
        // of ours.
        return { runs, nextPage: written(await nextOf(client, last)), lookedAt, unindexed };
      }
      lookedAt++;
      if (run === undefined) continue;
      runs.push(run);
      last = { query, pageSize: index + 1, token };
    }
    token = page.next;
    if (token === undefined || lookedAt >= MOST_LOOKED_AT) {
      return { runs, nextPage: written(token), lookedAt, unindexed };
    }
  }
}

async function summaryIfFits(
  client: Client,
  run: ListedRun,
  options: ListOptions,
  isReplaced: (run: ListedRun) => Promise<boolean>,
): Promise<RunSummary | undefined> {
  const { agent, session, owner, tags = [], tenant, idPrefix = '', text } = options;
  if (!run.id.startsWith(idPrefix)) return undefined;
  const summary = labelsOf(run);
  if (owner !== undefined && summary.owner !== owner) return undefined;
  if (agent !== undefined && summary.agent !== agent) return undefined;
  if (session !== undefined && summary.session !== session) return undefined;
  if (tenant !== undefined && summary.tenant !== tenant) return undefined;
  if (!tags.every((tag) => summary.tags?.includes(tag) === true)) return undefined;
  if (text !== undefined && !summary.input.toLowerCase().includes(text.toLowerCase())) return undefined;
  const pausedCalls = await pausedCallsOfListed(client, run);
  const status = await statusOfListed(client, run, pausedCalls);
  if (!wantedStatuses(options).includes(status)) return undefined;
  if (await isReplaced(run)) return undefined;
  const waiting = waitingOfListed(run);
  const end = options.full === true ? await readOutcome(client, { ...run, status }) : {};
  const { pausedInTemporal } = run;
  return {
    ...summary,
    status,
    waiting: waiting.length === 0 ? undefined : waiting,
    ...(pausedCalls.length > 0 && { pausedCalls }),
    ...(pausedInTemporal !== undefined && { pausedInTemporal }),
    ...end,
  };
}

type Labels = Omit<
  RunSummary,
  'status' | 'waiting' | 'pausedCalls' | 'pausedInTemporal' | 'output' | 'error' | 'usage'
>;

function labelsOf(run: ListedRun): Labels {
  const { id, runId, startedAt, closedAt, taskQueue, parent } = run;
  const { agent, input, tags, tenant, priority } = run.memo as {
    agent?: string;
    input?: string;
    tags?: string[];
    tenant?: string;
    priority?: number;
  }; // written by a start of ours
  const session = run.attributes[searchAttribute.session] ?? sessionNamed(parent);
  return {
    id,
    runId,
    agent: agent ?? run.attributes[searchAttribute.agent] ?? '',
    input: input ?? '',
    startedAt,
    closedAt,
    taskQueue,
    session,
    tags,
    tenant,
    priority,
    owner: ownershipIn(run.memo).owner,
    parent,
  };
}

/** True for the run of a sub-agent: a call of the run above it, whose id is the start of the run's id. The runs of sessions and batches are not calls. */
export function isSubAgent({ id, parent }: Pick<RunSummary, 'id' | 'parent'>): boolean {
  return parent !== undefined && id.startsWith(`${parent}/`);
}

/** A session starts its runs itself. */
function sessionNamed(parent: string | undefined): string | undefined {
  return parent?.startsWith(sessionId('')) === true ? parent.slice(sessionId('').length) : undefined;
}

/** Checked here: some servers are asked again and again for a page that has lost a letter. */
function tokenOf(page: string | undefined): Uint8Array | undefined {
  if (page === undefined) return undefined;
  const token = Buffer.from(page.slice(CHECK_CHARS), 'base64url');
  if (written(token) !== page) throw noPage(page);
  return token;
}

const CHECK_CHARS = 6;

function written(token: Uint8Array | undefined): string | null {
  if (token === undefined) return null;
  const check = createHash('sha256').update(token).digest('base64url').slice(0, CHECK_CHARS);
  return check + Buffer.from(token).toString('base64url');
}

function noPage(page: string | undefined, cause?: unknown): unknown {
  if (page === undefined) return cause;
  return new InvalidInput(
    `"${page}" is not a page of this list. Take it from the end of the page before, with the same filters.`,
    { cause },
  );
}
