import type { Payload } from '@temporalio/common';
import { type WorkflowOutboundCallsInterceptor, defaultPayloadConverter } from '@temporalio/workflow';
import type { ToolCallMeta } from '../../agent/calls/calls.ts';

/**
 * A tool activity's only argument is the tool's input, as anyone would write it; what the runner needs beside it
 * travels in the header `reloop`.
 */
const metaByActivityId = new Map<string, ToolCallMeta>();

export function attachMeta(activityId: string, meta: ToolCallMeta): void {
  metaByActivityId.set(activityId, meta);
}

export const callHeader: WorkflowOutboundCallsInterceptor = {
  scheduleActivity(input, next) {
    const { activityId } = input.options;
    // The SDK would number it, and a number is a model call's id: two of one id at a time hang a run.
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
