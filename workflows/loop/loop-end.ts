import type { Json, StopReason, Truncation } from '../../agent/values/vocabulary.ts';
import type { RecordedResult } from '../messages.ts';
import type { AgentLoop } from '../run/agent-loop.ts';

/** Result of a run, and the text that the model wrote around its answer. */
export interface LoopEnd {
  result: RecordedResult;
  log: string;
}

export function endWith(
  { counters, manifest }: AgentLoop,
  output: Json,
  stopReason: StopReason,
  log = '',
  truncated?: Truncation,
): LoopEnd {
  const { memory } = manifest;
  const modelQueue = memory?.kind === 'summary' ? manifest.modelQueue : undefined;
  const { iterations, usage } = counters;
  const agent = manifest.tookOver === true ? manifest.name : undefined;
  return { result: { output, stopReason, truncated, iterations, usage, agent, memory, modelQueue }, log };
}
