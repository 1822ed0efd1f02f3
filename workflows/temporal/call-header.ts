import type { Payload } from '@temporalio/common';
import { type WorkflowOutboundCallsInterceptor, defaultPayloadConverter } from '@temporalio/workflow';
import { type RecordedMeta, recordedMeta } from '../../agent/calls/call-meta.ts';
import type { ToolCallMeta } from '../../agent/calls/calls.ts';
import { TRACE_HEADER } from '../../agent/values/trace-context.ts';
import { perRun } from './run-state.ts';

interface Attached {
  /**
   * Metadata for the runner, by activity id. A tool activity has one argument, the tool's input, so that any worker can run it. The
   * metadata is sent in the header `reloop`.
   */
  metas: Map<string, ToolCallMeta>;
  /** `traceparent` of each call's span, by activity id. */
  traces: Map<string, string>;
  logFields: { traceId?: string };
}

const attached = perRun((): Attached => ({ metas: new Map(), traces: new Map(), logFields: {} }));

export function attachMeta(activityId: string, meta: ToolCallMeta): void {
  attached().metas.set(activityId, meta);
}

/** Sent in the header that the OpenTelemetry interceptors of all Temporal SDKs read. undefined: no header. */
export function attachTrace(activityId: string, traceparent: string | undefined): void {
  if (traceparent !== undefined) attached().traces.set(activityId, traceparent);
}

/** Adds the trace of the run to its lines in the worker's log. */
export function logTrace(traceId: string): void {
  attached().logFields = { traceId };
}

export const callHeader: WorkflowOutboundCallsInterceptor = {
  getLogAttributes: (input, next) => next({ ...input, ...attached().logFields }),
  scheduleActivity(input, next) {
    const { activityId } = input.options;
    // The SDK's default id is a number, as a model call's id is. Two open activities with one id would block the run.
    if (activityId === undefined) {
      return next({ ...input, options: { ...input.options, activityId: `activity-${input.seq}` } });
    }
    const { metas, traces } = attached();
    const meta = metas.get(activityId);
    const trace = traces.get(activityId);
    if (meta === undefined && trace === undefined) return next(input);
    metas.delete(activityId);
    traces.delete(activityId);
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
