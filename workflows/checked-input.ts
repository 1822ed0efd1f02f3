import { type ApplicationFailure, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { InvalidInput } from '../agent/values/refusal.ts';
import { type RunStart, isRecordedStart, readRunStart } from '../agent/start/run-start.ts';
import { runLabels } from './messages.ts';
import { runFailure } from './temporal/run-failure.ts';
import type { AgentRunInput } from '../agent/run/run-input.ts';

/**
 * Reads the input of the workflow, in the public or the internal format. A run that was started by hand gets its labels here. Throws an
 * ApplicationFailure of type InvalidInput, which fails the run at once.
 */
export function runInput(start: RunStart | AgentRunInput, images: readonly unknown[]): AgentRunInput {
  // The internal format is for Reloop alone: a mistake in it would fail workflow tasks for ever.
  if (isLabelled() && isRecordedStart(start)) return start; // written by Reloop
  const input = orFailure(() => readRunStart(start, images));
  const { agent, question, overrides } = input;
  if (!isLabelled()) upsertMemo(runLabels(agent, question.input, overrides).memo);
  return input;
}

/** Turns InvalidInput into a failure of the workflow. Any other error fails the workflow task. */
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

/** Returns true for a run that Reloop started: such a start has the run's labels. */
function isLabelled(): boolean {
  return workflowInfo().memo?.['agent'] !== undefined;
}
