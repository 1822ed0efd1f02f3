import type { HistoryAndWorkflowId } from '@temporalio/client';
import type { Keyring } from '../encryption/keys.ts';
import { encryptedConverter } from './encrypted-converter.ts';
import { listenToLog } from './worker-log.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface Replay {
  workflowId: string;
  runId: string;
  /** Why this code does not do what the history says; undefined: it does. */
  problem: string | undefined;
}

/** Replays recorded histories of Reloop's workflows with the workflow code of this version, one after the other. Needs no server. `keys`: of encrypted histories. */
export async function* replayHistories(
  histories: AsyncIterable<HistoryAndWorkflowId>,
  keys?: Keyring,
): AsyncGenerator<Replay> {
  const { Worker } = await import('@temporalio/worker');
  // The SDK logs each broken replay; the caller reports it.
  const unlisten = await listenToLog(() => undefined, { taskQueues: [], traced: false });
  try {
    const workflowBundleOption = await workflowBundle();
    for await (const { workflowId, runId, error } of Worker.runReplayHistories(
      { workflowBundle: workflowBundleOption, dataConverter: encryptedConverter(keys) },
      histories,
    )) {
      yield { workflowId, runId, problem: error?.message };
    }
  } finally {
    unlisten();
  }
}
