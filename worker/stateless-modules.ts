import { fileURLToPath } from 'node:url';

/**
 * Modules of the loop that hold nothing of one run, with all that they import: a worker evaluates them once, and not for each
 * run anew (the SDK's `preloadModules`). What they export is frozen there. Those that do hold something, agents.ts and
 * call-header.ts, and who imports them, each run has for itself.
 */
const STATELESS = [
  'agent/rules/approval',
  'agent/rules/doubt',
  'agent/rules/repeated',
  'workflows/agent-session',
  'workflows/at-limit',
  'workflows/backtest',
  'workflows/continue-due',
  'workflows/control',
  'workflows/deadline',
  'workflows/dropped-effects',
  'workflows/inbox',
  'workflows/limit-wait',
  'workflows/plan',
  'workflows/recorded-call',
  'workflows/resolve',
  'workflows/status',
  'workflows/status-writer',
  'workflows/steering',
  'workflows/sub-agent',
  'workflows/turn',
];

/** Their paths; `extension` is `.ts` from source, `.js` when built. */
export function statelessModules(extension: string): string[] {
  return STATELESS.map((name) => fileURLToPath(new URL(`../${name}${extension}`, import.meta.url)));
}
