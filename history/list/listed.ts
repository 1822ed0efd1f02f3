import { type Client, defaultPayloadConverter } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { decodeFirst } from '../read/payloads.ts';

/** How a workflow stands with Temporal; `open` also where Temporal's own pause holds it up. */
export type Standing = 'open' | 'completed' | 'cancelled' | 'failed';

/** A workflow as the server's list has it. The list lags behind the histories by a moment. */
export interface ListedRun {
  id: string;
  runId: string;
  taskQueue: string;
  standing: Standing;
  startedAt: Date;
  closedAt: Date | null;
  /** Id of the workflow that started it. */
  parent: string | undefined;
  /** What was written beside its start, and since. */
  memo: { [field: string]: unknown };
  /** Search attributes that are one text. */
  attributes: { [name: string]: string };
}

export interface ListRequest {
  query: string;
  pageSize: number;
  /** Where to go on; without, from the beginning. */
  token: Uint8Array | undefined;
}

/** One page of the server's list, and where the next one begins. Rejects with the server's gRPC error. */
export async function readListPage(
  client: Client,
  request: ListRequest,
): Promise<{ runs: ListedRun[]; next: Uint8Array | undefined }> {
  const { executions, next } = await askForPage(client, request);
  return { runs: await Promise.all(executions.map((raw) => listedRun(client, raw))), next };
}

/** Where the page after this one begins. */
export async function nextOf(client: Client, request: ListRequest): Promise<Uint8Array | undefined> {
  return (await askForPage(client, request)).next;
}

type RawInfo = temporal.api.workflow.v1.IWorkflowExecutionInfo;

async function askForPage(client: Client, { query, pageSize, token }: ListRequest) {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query,
    pageSize,
    nextPageToken: token ?? new Uint8Array(),
  });
  return { executions, next: nextPageToken.length === 0 ? undefined : nextPageToken };
}

async function listedRun(client: Client, raw: RawInfo): Promise<ListedRun> {
  const { execution, startTime, closeTime } = raw;
  return {
    id: execution?.workflowId ?? '',
    runId: execution?.runId ?? '',
    taskQueue: raw.taskQueue ?? '',
    standing: STANDINGS[raw.status ?? 0] ?? 'failed',
    startedAt: new Date(startTime ? tsToMs(startTime) : 0),
    closedAt: closeTime ? new Date(tsToMs(closeTime)) : null,
    parent: raw.parentExecution?.workflowId ?? undefined,
    memo: await memoOf(client, raw),
    attributes: attributesOf(raw),
  };
}

/** Temporal's numbers of its statuses: running, completed, cancelled, paused. All others are failures of some kind. */
const STANDINGS: { [status: number]: Standing } = { 1: 'open', 2: 'completed', 4: 'cancelled', 8: 'open' };

/** Whether a workflow of that status can go on. `status`: Temporal's name. A paused workflow can be resumed. */
export function isOpen(status: string): boolean {
  return status === 'RUNNING' || status === 'PAUSED';
}

async function memoOf(client: Client, { memo }: RawInfo): Promise<ListedRun['memo']> {
  const fields = Object.entries(memo?.fields ?? {}).map(async ([name, payload]) => [
    name,
    await decodeFirst(client, { payloads: [payload] }),
  ]);
  return Object.fromEntries(await Promise.all(fields)) as ListedRun['memo']; // of names and values
}

/** They are never encrypted. */
function attributesOf({ searchAttributes }: RawInfo): ListedRun['attributes'] {
  const attributes: ListedRun['attributes'] = {};
  for (const [name, payload] of Object.entries(searchAttributes?.indexedFields ?? {})) {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    const only: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof only === 'string') attributes[name] = only;
  }
  return attributes;
}
