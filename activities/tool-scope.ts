import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose code is running. */
export interface ToolScope {
  tool: string;
  call: string;
  /** Workflow id. */
  run: string;
}

const scopes = new AsyncLocalStorage<ToolScope>();

/** Runs a tool's own code; timers, promises and listeners that it leaves behind stay in its scope. */
export function inToolScope<T>(scope: ToolScope, run: () => T): T {
  return scopes.run(scope, run);
}

/** The tool whose code is running, or has just thrown; undefined where it is nobody's. */
export function toolScope(): ToolScope | undefined {
  return scopes.getStore();
}
