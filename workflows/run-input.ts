import { type ApplicationFailure, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { InvalidInput } from '../agent/values/refusal.ts';
import { type RunStart, isRecordedStart, readRunStart } from '../agent/start/run-start.ts';
import { type AgentRunInput, runLabels } from './messages.ts';
import { runFailure } from './temporal/run-failure.ts';

/**
 * Reads the input of the workflow, in the public or the internal format: a run that was started by hand is labelled, as any
 * other is. Throws what fails the run at once: an ApplicationFailure of type InvalidInput.
 */
export function runInput(start: RunStart | AgentRunInput, images: readonly unknown[]): AgentRunInput {
  // Whoever else starts a run knows nothing of manifests and counters: a slip there would fail workflow tasks for ever.
  if (isLabelled() && isRecordedStart(start)) return start; // written by Reloop
  const input = orFailure(() => readRunStart(start, images));
  if (!isLabelled()) upsertMemo(runLabels(input.agent, input.question.input).memo);
  return input;
}

/** Fails the workflow, not its task, for input that does not fit. */
export function orFailure<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw invalidInput(error);
  }
}

export function invalidInput({ name: type, message }: InvalidInput): ApplicationFailure {
  return runFailure({ type, message });
}

/** Every start by Reloop has the run's labels. */
function isLabelled(): boolean {
  return workflowInfo().memo?.['agent'] !== undefined;
}
