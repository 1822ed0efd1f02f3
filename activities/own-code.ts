import { ApplicationFailure } from '@temporalio/activity';
import type { AgentManifest } from '../agent/manifest.ts';

/** An error thrown by a user's own kind, parser or schema is a bug in that code: another paid model call would not mend it. */
export function ownCode<T>({ name, kind }: AgentManifest, run: () => T): T {
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

/** A part that the agent was started with is not in this worker's config; retryable, because another worker may have it. */
export function missing(type: string, what: string, known: string[]): ApplicationFailure {
  const message = `${what}, which this worker does not have. It has: ${known.join(', ') || 'none'}.`;
  return ApplicationFailure.create({ type, message });
}
