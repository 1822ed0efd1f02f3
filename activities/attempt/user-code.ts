import { ApplicationFailure } from '@temporalio/activity';
import type { AgentManifest } from '../../agent/definition/manifest.ts';

/** Runs a user's own kind, parser or schema. An error that it throws is a bug in that code: another paid model call would not fix it. */
export function runUserCode<T>({ name, kind }: AgentManifest, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApplicationFailure || !(error instanceof Error)) throw error;
    throw ApplicationFailure.create({
      type: error.name,
      message: `Agent "${name}": its kind ${kind}, its parser or its output schema threw: ${error.message}`,
      nonRetryable: true,
      cause: error,
    });
  }
}
