import type { ErrorInfo, Json, StopReason, Usage } from './vocabulary.ts';
import type { MemoryManifest } from './manifest.ts';

/** Name of the activity that waits for the run that has taken another one's place. */
export const AWAIT_SUCCESSOR = 'awaitSuccessor';

/** A run that was terminated: a person may have taken it back to an earlier step. */
export interface SucceedingRun {
  workflowId: string;
  runId: string;
}

/** How the run in its place ended. `none`: there is none, the run was just terminated. */
export type RunEnd =
  | {
      type: 'result';
      result: {
        output: Json;
        stopReason: StopReason;
        iterations: number;
        usage: Usage;
        memory?: MemoryManifest | undefined;
      };
    }
  | { type: 'failed'; error: ErrorInfo }
  | { type: 'none' };
