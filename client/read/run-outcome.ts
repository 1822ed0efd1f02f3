import type { Client } from '@temporalio/client';
import { RunView } from '../../agent/views/view.ts';
import type { ErrorInfo, Json, RunStatus, Usage } from '../../agent/values/vocabulary.ts';
import { EncryptionKeyMissing } from '../../features/encryption/keys.ts';
import { StorageMissing } from '../../features/storage/storage.ts';
import { resultAtEnd } from '../../history/read/lineage.ts';
import { type RunRef, isNotFound } from '../../history/read/pages.ts';
import type { RunResultWithSteps } from '../report.ts';
import { followEvents } from './follow-events.ts';

/** The result of a run so far, as a full list has it. */
export interface RunOutcome {
  output: Json;
  error: ErrorInfo | null;
  usage?: Usage | undefined;
}

/**
 * Reads the outcome of a listed run. An answer is in the last event of its record; of other runs the whole record is read. A run whose
 * record is gone, or whose key is missing, has none: the list shows it as it is.
 */
export async function readOutcome(
  client: Client,
  { id, runId, status }: { id: string; runId: string; status: RunStatus },
): Promise<RunOutcome> {
  const run = { workflowId: id, runId };
  try {
    if (status === 'completed' || status === 'stopped') {
      const { output = null, usage } = (await resultAtEnd(client, run)) ?? {};
      return { output, error: null, usage };
    }
    const view = new RunView(id, runId);
    for await (const { event } of followEvents(client, run, { live: false, follow: false })) view.add(event);
    const { output, error, usage } = view;
    return { output, error, usage };
  } catch (error) {
    if (isUnreadable(error) || isNotFound(error)) return { output: null, error: null };
    throw error;
  }
}

/** The key or the storage of a payload is not here. A list shows such a run without the payload. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof EncryptionKeyMissing || error instanceof StorageMissing;
}

/** Waits for a run's end. Returns undefined if the steps, or the reason of the end, are in history only. Throws the reason of `signal`. */
export async function shortResult(
  client: Client,
  run: RunRef,
  signal?: AbortSignal,
): Promise<RunResultWithSteps | undefined> {
  const result = await resultAtEnd(client, run, signal).catch((error: unknown) => {
    throw signal?.aborted === true ? signal.reason : error;
  });
  if (!Array.isArray(result?.intermediateSteps)) return undefined;
  const { intermediateSteps } = result;
  return withSteps({ ...result, intermediateSteps });
}

/** Keeps the known fields of a result. */
export function withSteps(result: RunResultWithSteps): RunResultWithSteps {
  const { output, intermediateSteps, stopReason, truncated, iterations, usage } = result;
  const cut = truncated === undefined ? {} : { truncated };
  return { output, intermediateSteps, stopReason, ...cut, iterations, usage };
}
