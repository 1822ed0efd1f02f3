import { createHash } from 'node:crypto';
import type { Info } from '@temporalio/activity';
import { type ToolResult, activityId, parseActivityId } from '../agent/calls.ts';
import { writeToken } from '../agent/defer-token.ts';

/** Whether a tool has left its result to somebody outside. */
export interface Deferral {
  defer(): { token: string };
  /** The result of the attempt; what a deferred call returned is for who is asked. */
  resultOf(told: ToolResult): ToolResult;
}

/** The token is the same for every attempt of one schedule, so that one given out by an attempt that failed is not lost. */
export function createDeferral(info: Info, idempotencyKey: string): Deferral {
  let token: string | undefined;
  return {
    defer() {
      token ??= tokenOf(info, idempotencyKey);
      return { token };
    },
    resultOf(told) {
      if (token === undefined || told.kind !== undefined) return told;
      return { ...told, kind: 'deferred', token };
    },
  };
}

function tokenOf({ workflowExecution, activityId: own }: Info, idempotencyKey: string): string {
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  const { scope = 0, call = own } = parseActivityId(own) ?? {};
  const secret = createHash('sha256')
    .update([idempotencyKey, runId, own].join(' '))
    .digest('hex')
    .slice(0, 32);
  return writeToken({ id: workflowId, call: activityId(scope, call, 0), secret });
}
