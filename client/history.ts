import { type Client, isGrpcServiceError } from '@temporalio/client';
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { readPages } from '../agent/pages.ts';
import type { RunRef } from '../agent/transcript-reader.ts';

export type { RunRef } from '../agent/transcript-reader.ts';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;

/** All recorded events of one run. With `follow`, goes on with those to come until the run is closed. */
export function readRun(client: Client, run: RunRef, follow: boolean): AsyncGenerator<HistoryEvent> {
  return readPages<HistoryEvent>(
    async (token, size) => {
      const page = await client.workflowService.getWorkflowExecutionHistory({
        namespace: client.options.namespace,
        execution: run,
        maximumPageSize: size,
        waitNewEvent: follow,
        ...(token === undefined ? {} : { nextPageToken: token }),
      });
      return { events: page.history?.events ?? [], next: page.nextPageToken };
    },
    (error) => grpcCode(error) === RESOURCE_EXHAUSTED,
  );
}

/**
 * The events of a run from its very beginning, over every continue-as-new, whose earlier runs may be past the
 * namespace's retention: then from the first that is left.
 */
export async function* readLineage(
  client: Client,
  run: RunRef,
  follow: boolean,
): AsyncGenerator<HistoryEvent> {
  let current: RunRef | undefined = await firstRun(client, run);
  while (current !== undefined) {
    let next: string | undefined;
    for await (const event of readRun(client, current, follow)) {
      next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? next;
      yield event;
    }
    current = next === undefined ? undefined : { workflowId: run.workflowId, runId: next };
  }
}

export async function decodeFirst(client: Client, payloads: Payloads): Promise<unknown> {
  const list = payloads?.payloads;
  if (list === undefined || list === null || list.length === 0) return undefined;
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, list);
}

export function decodeFailure(
  client: Client,
  failure: temporal.api.failure.v1.IFailure | null | undefined,
): Promise<Error | undefined> {
  return decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
}

export function isNotFound(error: unknown): boolean {
  return grpcCode(error) === NOT_FOUND;
}

function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

async function firstRun(client: Client, run: RunRef): Promise<RunRef> {
  const start = await startOf(client, run);
  const first = start?.firstExecutionRunId;
  if (!first || first === run.runId) return run;
  const firstRef = { ...run, runId: first };
  if (await exists(client, firstRef)) return firstRef;
  let earliest = run;
  for (let previous = start.continuedExecutionRunId; previous;) {
    const candidate = { ...run, runId: previous };
    if (!(await exists(client, candidate))) break;
    earliest = candidate;
    previous = (await startOf(client, candidate))?.continuedExecutionRunId;
  }
  return earliest;
}

async function startOf(client: Client, run: RunRef) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: run,
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes;
}

async function exists(client: Client, run: RunRef): Promise<boolean> {
  try {
    return (await startOf(client, run)) !== undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
