import type { Client } from '@temporalio/client';
import { resultAtEnd } from '../../history/read/lineage.ts';
import type { RunRef } from '../../history/read/pages.ts';
import type { RunResultWithSteps } from '../report.ts';

/** Waits for a run's end. Returns undefined if the steps, or the reason of the end, are in history only. */
export async function shortResult(client: Client, run: RunRef): Promise<RunResultWithSteps | undefined> {
  const result = await resultAtEnd(client, run);
  if (!Array.isArray(result?.intermediateSteps)) return undefined;
  const { output, intermediateSteps, stopReason, iterations, usage } = result;
  return { output, intermediateSteps, stopReason, iterations, usage };
}
