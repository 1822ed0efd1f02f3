import { fileURLToPath } from 'node:url';

/**
 * Modules of the loop that hold nothing of one run, with all that they import: a worker evaluates them once, and not
 * for each run again (the SDK's `preloadModules`). What they export is frozen there. Each run has its own copy of the
 * modules with state, agent-registry.ts and call-header.ts, and of their importers. It saves a third of the memory of a waiting
 * run (docs/performance.md).
 */
const STATELESS = [
  'agent/calls/run-agents',
  'agent/rules/approval',
  'agent/run/next-action',
  'agent/run/planned-calls',
  'agent/rules/doubt',
  'agent/rules/repeated',
  'workflows/versioned',
  'workflows/loop/at-limit',
  'workflows/agent-batch',
  'workflows/backtest',
  'workflows/operator/control',
  'workflows/run/deadline',
  'workflows/run/dropped-effects',
  'workflows/operator/announce',
  'workflows/operator/inbox',
  'workflows/operator/parent-news',
  'workflows/loop/plan',
  'workflows/run/recorded-call',
  'workflows/loop/resolve',
  'workflows/web-ui/current-details',
  'workflows/web-ui/run-attributes',
  'workflows/operator/steering',
  'workflows/call/sub-agent',
  'workflows/task-room',
  'workflows/run/turn',
  'workflows/unreadable-input',
];

/** Paths of these modules; `extension` is `.ts` from source, `.js` when built. */
export function statelessModules(extension: string): string[] {
  return STATELESS.map((name) => fileURLToPath(new URL(`../${name}${extension}`, import.meta.url)));
}
