import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { readPages } from '../agent/pages.ts';
import type { RunRef } from '../agent/transcript-reader.ts';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

const RESOURCE_EXHAUSTED = 8;
const NOT_FOUND = 5;

/**
 * Events of one run in the client's namespace, oldest first; `latestFirst` turns that round. Reads the server's record:
 * no worker is asked.
 */
export function readHistory(client: Client, run: RunRef, latestFirst = false): AsyncGenerator<HistoryEvent> {
  const service = client.workflowService;
  return readPages<HistoryEvent>(
    async (token, size) => {
      const request = {
        namespace: client.options.namespace,
        execution: run,
        maximumPageSize: size,
        ...(token === undefined ? {} : { nextPageToken: token }),
      };
      const page = latestFirst
        ? await service.getWorkflowExecutionHistoryReverse(request)
        : await service.getWorkflowExecutionHistory(request);
      return { events: page.history?.events ?? [], next: page.nextPageToken };
    },
    (error) => grpcCode(error) === RESOURCE_EXHAUSTED,
    // Who reads backwards looks for what has just happened.
    latestFirst ? 20 : 200,
  );
}

export function isNotFound(error: unknown): boolean {
  return grpcCode(error) === NOT_FOUND;
}

function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

/** The first argument or the result behind a payload list, through the client's own converter and codecs. */
export async function decodeFirst(client: Client, payloads: Payloads): Promise<unknown> {
  const converter = client.options.loadedDataConverter;
  const list = payloads?.payloads;
  if (list === undefined || list === null || list.length === 0) return undefined;
  return decodeFromPayloadsAtIndex(converter, 0, list);
}
