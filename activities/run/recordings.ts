import { ApplicationFailure } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { RecordedRunRef } from '../../agent/backtest/backtest-calls.ts';
import type { Recording } from '../../agent/backtest/recording.ts';
import { isNotFound } from '../../history/read/pages.ts';
import { readRecording } from '../../history/views/read-recording.ts';

/** Bytes of recorded observations in a worker process. Each call of a backtest looks into the recorded run. */
const CACHE_BYTES = 32_000_000;

/** Recordings of runs that are over. Reads each run once, as long as the cache has room. */
export interface Recordings {
  of(client: Client, run: RecordedRunRef): Promise<Recording>;
}

export function createRecordings(): Recordings {
  const cache = new LRUCache<string, Recording>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => 1 + bytes,
  });
  const reading = new Map<string, Promise<Recording>>();

  async function read(client: Client, run: RecordedRunRef): Promise<Recording> {
    try {
      const recording = await failWithoutRetry(run, () => readRecording(client, run));
      cache.set(run.runId, recording);
      return recording;
    } finally {
      reading.delete(run.runId);
    }
  }

  return {
    async of(client, run) {
      const { runId } = run;
      const known = cache.get(runId);
      if (known !== undefined) return known;
      const underWay = reading.get(runId) ?? read(client, run);
      reading.set(runId, underWay);
      return underWay;
    },
  };
}

/** Fails without a retry if the run is past its retention, or is not a run of an agent. */
export async function failWithoutRetry<T>(
  { workflowId }: RecordedRunRef,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isInvalid = error instanceof Error && error.name === 'InvalidInput';
    if (!isInvalid && !isNotFound(error)) throw error;
    const message = isInvalid
      ? error.message
      : `The recorded run "${workflowId}" is not there: it may be past the namespace's retention.`;
    throw ApplicationFailure.create({ type: 'RecordingGone', message, nonRetryable: true });
  }
}
