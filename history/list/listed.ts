import { type Client, defaultPayloadConverter } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import type { PausedBy } from '../../agent/run/events.ts';
import { EncryptionKeyMissing } from '../../features/encryption/keys.ts';
import { decodeFirst } from '../read/payloads.ts';

/** Temporal's status of a workflow. `open`: running, or stopped by Temporal's own pause. */
export type ExecutionStatus = 'open' | 'completed' | 'cancelled' | 'failed';

/** A workflow in the server's list. The list is updated a moment after the history. */
export interface ListedRun {
  id: string;
  runId: string;
  taskQueue: string;
  executionStatus: ExecutionStatus;
  /** An operator has paused the whole run with Temporal's own command. */
  pausedInTemporal: PausedBy | undefined;
  /**
   * Temporal has marked the run as one with a paused call. The mark may be old: Temporal 1.29.1 and 1.32.0 carry it over continue-as-new.
   */
  mayHavePausedCalls: boolean;
  startedAt: Date;
  closedAt: Date | null;
  /** Id of the workflow that started it. */
  parent: string | undefined;
  /** Memo fields, of the start and of later changes. */
  memo: { [field: string]: unknown };
  /** Search attributes whose value is one text. */
  attributes: { [name: string]: string };
}

export interface ListRequest {
  query: string;
  pageSize: number;
  /** Token of the page; undefined: the first page. */
  token: Uint8Array | undefined;
}

/** Reads one page of the server's list. `next`: token of the next page. Rejects with the server's gRPC error. */
export async function readListPage(
  client: Client,
  request: ListRequest,
): Promise<{ runs: ListedRun[]; next: Uint8Array | undefined }> {
  const { executions, next } = await askForPage(client, request);
  return { runs: await Promise.all(executions.map((raw) => listedRun(client, raw))), next };
}

/** Returns the token of the page after this one. Rejects with the server's gRPC error. */
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
    executionStatus: STATUSES[raw.status ?? 0] ?? 'failed',
    ...pauseIn(raw),
    startedAt: new Date(startTime ? tsToMs(startTime) : 0),
    closedAt: closeTime ? new Date(tsToMs(closeTime)) : null,
    parent: raw.parentExecution?.workflowId ?? undefined,
    memo: await memoOf(client, raw),
    attributes: attributesOf(raw),
  };
}

/**
 * Temporal's own search attribute. Servers know it from 1.28 on, and remove it when the pause ends. Its values are
 * `property:activityType=TOOL` for a paused call, and for a paused run `Workflow:ID` and `Reason:TEXT` (Temporal 1.32.0).
 */
export const PAUSE_INFO = 'TemporalPauseInfo';
const [PAUSED_CALL, PAUSE_REASON] = ['property:', 'Reason:'];
const PAUSED = 8;

function pauseIn({
  status,
  searchAttributes,
}: RawInfo): Pick<ListedRun, 'pausedInTemporal' | 'mayHavePausedCalls'> {
  const payload = searchAttributes?.indexedFields?.[PAUSE_INFO];
  const value: unknown = payload ? defaultPayloadConverter.fromPayload(payload) : [];
  const marks = Array.isArray(value) ? value.filter((mark) => typeof mark === 'string') : [];
  const reason = marks.find((mark) => mark.startsWith(PAUSE_REASON))?.slice(PAUSE_REASON.length);
  return {
    pausedInTemporal: Number(status) === PAUSED ? { reason: reason || undefined } : undefined,
    mayHavePausedCalls: marks.some((mark) => mark.startsWith(PAUSED_CALL)),
  };
}

/** Temporal's numbers: 1 running, 2 completed, 4 cancelled, 8 paused. All other statuses count as failed. */
const STATUSES: { [status: number]: ExecutionStatus } = {
  1: 'open',
  2: 'completed',
  4: 'cancelled',
  [PAUSED]: 'open',
};

/** Returns true if a workflow with this status can continue. `status`: Temporal's name. A paused workflow can be resumed. */
export function isOpen(status: string): boolean {
  return status === 'RUNNING' || status === 'PAUSED';
}

async function memoOf(client: Client, { memo }: RawInfo): Promise<ListedRun['memo']> {
  const fields = Object.entries(memo?.fields ?? {}).map(async ([name, payload]) => [
    name,
    await decodeFirst(client, { payloads: [payload] }).catch((error: unknown) => withoutKey(name, error)),
  ]);
  return Object.fromEntries(await Promise.all(fields)) as ListedRun['memo']; // pairs of a name and a value
}

/** A list shows runs whose key is missing, too: the key id stands in place of the question. */
function withoutKey(field: string, error: unknown): string | undefined {
  if (!(error instanceof EncryptionKeyMissing)) throw error;
  return field === 'input' ? `(encrypted with the key ${error.keyId})` : undefined;
}

/** Reads search attributes with the default converter: they are never encrypted. */
function attributesOf({ searchAttributes }: RawInfo): ListedRun['attributes'] {
  const attributes: ListedRun['attributes'] = {};
  for (const [name, payload] of Object.entries(searchAttributes?.indexedFields ?? {})) {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    const only: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof only === 'string') attributes[name] = only;
  }
  return attributes;
}
