import { isCancellation, workflowInfo } from '@temporalio/workflow';
import { readFailure } from '../agent/failures.ts';
import { statusOf } from '../agent/status.ts';
import type { Lineage, RunResult } from './messages.ts';
import type { AgentLoop } from './run-state.ts';

/** The beginning and the end of a run, as the worker's `onEvent` is told them. */

export function tellStart({ notify }: AgentLoop, { agent, question }: Lineage): void {
  const { workflowId, runId } = workflowInfo();
  notify?.({ type: 'run_started', id: workflowId, runId, agent, input: question?.input ?? '' });
}

export function tellEnd({ notify, answerLog }: AgentLoop, { output, ...result }: RunResult): void {
  const { stopReason, iterations, usage } = result;
  notify?.({ type: 'finish', output, log: stopReason === 'final_answer' ? answerLog : '' });
  const status = statusOf(stopReason);
  notify?.({ type: 'run_ended', status, stopReason, output, iterations, usage, error: null });
}

export function tellFailure({ notify, counters }: AgentLoop, failure: unknown): void {
  const { iterations, usage } = counters;
  const cancelled = isCancellation(failure);
  notify?.({
    type: 'run_ended',
    status: cancelled ? 'cancelled' : 'failed',
    stopReason: cancelled ? 'cancelled' : 'error',
    output: null,
    iterations,
    usage,
    error: cancelled ? null : readFailure(failure).error,
  });
}

/** Not an end: the run goes on in the next history. */
export function isContinueAsNew(failure: unknown): boolean {
  return failure instanceof Error && failure.name === 'ContinueAsNew';
}
