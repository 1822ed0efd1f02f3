import type { Payload } from '@temporalio/common';
import { type WorkflowOutboundCallsInterceptor, defaultPayloadConverter } from '@temporalio/workflow';
import type { ToolCallMeta } from '../../agent/calls/calls.ts';

/**
 * Metadata for the runner, by activity id. A tool activity has one argument, the tool's input, so that any worker can run it. The
 * metadata is sent in the header `reloop`.
 */
const metaByActivityId = new Map<string, ToolCallMeta>();

export function attachMeta(activityId: string, meta: ToolCallMeta): void {
  metaByActivityId.set(activityId, meta);
}

export const callHeader: WorkflowOutboundCallsInterceptor = {
  scheduleActivity(input, next) {
    const { activityId } = input.options;
    // The SDK's default id is a number, as a model call's id is. Two open activities with one id would block the run.
    if (activityId === undefined) {
      return next({ ...input, options: { ...input.options, activityId: `activity-${input.seq}` } });
    }
    const meta = metaByActivityId.get(activityId);
    if (meta === undefined) return next(input);
    metaByActivityId.delete(activityId);
    return next({ ...input, headers: { ...input.headers, reloop: toPayload(meta) } });
  },
};

function toPayload(meta: ToolCallMeta): Payload {
  return defaultPayloadConverter.toPayload(meta);
}
