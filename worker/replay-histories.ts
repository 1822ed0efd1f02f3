import type { HistoryAndWorkflowId } from '@temporalio/client';
import type { LoadedConfig } from '../config/load/loaded-config.ts';
import { payloadConverter } from './encrypted-converter.ts';
import { listenToLog } from './worker-log.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface Replay {
  workflowId: string;
  runId: string;
  /** Reason why this code does not do what the history says; undefined: it does. */
  problem: string | undefined;
}

/** Replays recorded histories of Reloop's workflows with the workflow code of this version, one after the other. Needs no server. `payloads`: keys and storage of the histories. */
export async function* replayHistories(
  histories: AsyncIterable<HistoryAndWorkflowId>,
  payloads: Partial<Pick<LoadedConfig, 'encryption' | 'storage'>> = {},
): AsyncGenerator<Replay> {
  const { Worker } = await import('@temporalio/worker');
  // The SDK logs each broken replay; the caller reports it.
  const unlisten = await listenToLog(() => undefined, { taskQueues: [], traced: false });
  try {
    const workflowBundleOption = await workflowBundle();
    for await (const { workflowId, runId, error } of Worker.runReplayHistories(
      {
        workflowBundle: workflowBundleOption,
        dataConverter: payloadConverter({ encryption: undefined, storage: undefined, ...payloads }),
      },
      histories,
    )) {
      yield { workflowId, runId, problem: error?.message };
    }
  } finally {
    unlisten();
  }
}
