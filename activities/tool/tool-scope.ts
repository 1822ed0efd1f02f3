import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '@temporalio/activity';
import type { ToolCallMeta } from '../../agent/calls/calls.ts';
import type { Tool } from '../../adapters/tools/tool.ts';

/** The call whose code is running. */
export interface ToolScope {
  tool: string;
  call: string;
  /** Workflow id. */
  run: string;
}

const scopes = new AsyncLocalStorage<ToolScope>();

export function scopeOf({ name: tool }: Tool, { call }: ToolCallMeta, { info }: Context): ToolScope {
  return { tool, call, run: info.workflowExecution?.workflowId ?? '' };
}

/** Runs a tool's own code. Timers, promises and listeners that it leaves behind stay in its scope. */
export function inToolScope<T>(scope: ToolScope, run: () => T): T {
  return scopes.run(scope, run);
}

/** The call whose code is running, or has just thrown; undefined outside tools. */
export function toolScope(): ToolScope | undefined {
  return scopes.getStore();
}
