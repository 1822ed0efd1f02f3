import { type Counters, budgetLeft } from './counters.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { StopReason } from '../values/vocabulary.ts';

/**
 * Answer of a run that a limit stopped: the agent's `stopMessage`, or the fixed sentence of its kind. LangChain has no budgets, so the
 * sentences for budgets are Reloop's.
 */
export function stopMessage(manifest: AgentManifest, counters: Counters, stop: StopReason): string {
  const { stopMessage: own = {}, stoppedOutput } = manifest;
  if (typeof own === 'string') return own;
  const { totalTokens, cost } = budgetLeft(manifest, counters) ?? {};
  const usedUp = totalTokens === 0 ? 'its token budget' : cost === 0 ? 'its cost budget' : 'a budget';
  switch (stop) {
    case 'budget':
      return own.budget ?? `Agent stopped because ${usedUp} was used up.`;
    case 'max_execution_time':
      return own.maxExecutionTime ?? stoppedOutput;
    case 'max_iterations':
      return own.maxIterations ?? stoppedOutput;
    case 'final_answer':
    case 'return_direct':
    case 'cancelled':
    case 'error':
      return stoppedOutput;
  }
}
