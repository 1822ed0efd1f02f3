import { Context } from '@temporalio/activity';
import { type Payload, defaultPayloadConverter } from '@temporalio/common';
import type { ToolCallMeta } from '../agent/calls.ts';

/** What the workflow attached to a tool call in the header `reloop` (workflows/call-header.ts). */
const metaByContext = new WeakMap<Context, ToolCallMeta>();

/** Called by the worker's activity interceptor before the activity runs. */
export function rememberToolMeta(context: Context, headers: { [name: string]: Payload }): void {
  const header = headers['reloop'];
  if (header !== undefined) metaByContext.set(context, defaultPayloadConverter.fromPayload(header));
}

/** undefined for an activity that no Reloop workflow scheduled. */
export function toolMeta(): ToolCallMeta | undefined {
  return metaByContext.get(Context.current());
}
