import type { Payload } from '@temporalio/common';
import { type WorkflowOutboundCallsInterceptor, defaultPayloadConverter } from '@temporalio/workflow';
import { type RecordedMeta, recordedMeta } from '../../agent/calls/call-meta.ts';
import type { ToolCallMeta } from '../../agent/calls/calls.ts';
import { TRACE_HEADER } from '../../agent/values/trace-context.ts';

/**
 * Metadata for the runner, by activity id. A tool activity has one argument, the tool's input, so that any worker can run it. The
 * metadata is sent in the header `reloop`.
 */
const metaByActivityId = new Map<string, ToolCallMeta>();

export function attachMeta(activityId: string, meta: ToolCallMeta): void {
  metaByActivityId.set(activityId, meta);
}

/** `traceparent` of each call's span, by activity id. */
const traceByActivityId = new Map<string, string>();

/** Sent in the header that the OpenTelemetry interceptors of all Temporal SDKs read. undefined: no header. */
export function attachTrace(activityId: string, traceparent: string | undefined): void {
  if (traceparent !== undefined) traceByActivityId.set(activityId, traceparent);
}

let logFields: { traceId?: string } = {};

/** Adds the trace of the run to its lines in the worker's log. */
export function logTrace(traceId: string): void {
  logFields = { traceId };
}

export const callHeader: WorkflowOutboundCallsInterceptor = {
  getLogAttributes: (input, next) => next({ ...input, ...logFields }),
  scheduleActivity(input, next) {
    const { activityId } = input.options;
    // The SDK's default id is a number, as a model call's id is. Two open activities with one id would block the run.
    if (activityId === undefined) {
      return next({ ...input, options: { ...input.options, activityId: `activity-${input.seq}` } });
    }
    const meta = metaByActivityId.get(activityId);
    const trace = traceByActivityId.get(activityId);
    if (meta === undefined && trace === undefined) return next(input);
    metaByActivityId.delete(activityId);
    traceByActivityId.delete(activityId);
    const headers = {
      ...input.headers,
      ...(meta && { reloop: toPayload(recordedMeta(meta)) }),
      ...(trace && { [TRACE_HEADER]: toPayload({ traceparent: trace }) }),
    };
    return next({ ...input, headers });
  },
};

function toPayload(value: RecordedMeta | { traceparent: string }): Payload {
  return defaultPayloadConverter.toPayload(value);
}
