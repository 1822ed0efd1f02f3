import type { CostFact } from './cost-facts.ts';
import type { PauseFact } from './pause-facts.ts';
import type { Recorded, LaterArguments, RecordedError, RecordedFailure } from './payloads.ts';

/**
 * One history event in Reloop's terms. Every reader of a run folds over facts, and no other type mirrors Temporal's events. Recorded
 * values are decoded when a reader calls them. Facts of any workflow can be read: values may have any shape. `id`: number of the event
 * in its run. `at`: time of the event, milliseconds since 1970. `more`: the next fact comes from the same event.
 */
export type Fact = { id: number; at: number; more?: true } & (
  | StartedFact
  /**
   * `key` is the same in later facts of this activity or child. `workId`: activity id, or workflow id of the child. `name`: activity
   * type or workflow type. `local`: the activity ran inside a workflow task or a model call. `cancels`: the background call that the model
   * cancels with this one.
   */
  | {
      type: 'scheduled';
      of: Work;
      key: string;
      workId: string;
      name: string;
      input: Recorded;
      local?: true;
      cancels?: string;
    }
  /** `runId`: run id of a child. */
  | { type: 'begun'; of: Work; key: string; attempt: number; runId?: string | undefined }
  | { type: 'succeeded'; of: Work; key: string; result: Recorded }
  | { type: 'failed'; of: Work; key: string; failure: RecordedFailure }
  /**
   * `requested`: the cancellation is only requested; the workflow does not wait for the end of an external activity. `failure`: the
   * attempt failed while it was cancelled. `details`: the attempt's cancellation details.
   */
  | {
      type: 'cancelled';
      of: Work;
      key: string;
      requested: boolean;
      failure?: RecordedFailure;
      details?: Recorded;
    }
  /** `summary`: the workflow's text for the Web UI's timeline. */
  | { type: 'timer_started'; timer: string; summary: Recorded }
  | { type: 'timer_fired'; timer: string }
  | { type: 'timer_cancelled'; timer: string }
  /** `laterArguments`: arguments after the input. */
  | { type: 'signaled'; name: string; input: Recorded; laterArguments: LaterArguments }
  /** `key` is the same in the completion. */
  | { type: 'update_accepted'; key: string; updateId: string; name: string; input: Recorded }
  /** `name` and `input`: of the acceptance; undefined if the history is read from its end. `result`: undefined if the update failed. */
  | {
      type: 'update_completed';
      key: string;
      updateId: string;
      name: string | undefined;
      input: Recorded | undefined;
      result: Recorded | undefined;
      /** The sender, as Temporal's client said. Undefined if the history is read from its end. */
      identity?: string | undefined;
      /** The refusal of an accepted update. */
      error?: RecordedError | undefined;
    }
  /** A worker has processed all earlier events. */
  | { type: 'task_completed' }
  | CostFact
  /** Temporal's Reset started this run. All earlier events are copies from the run `fromRunId`. */
  | { type: 'reset'; fromRunId: string; runId: string }
  | PauseFact
  | { type: 'cancel_requested'; identity?: string | undefined }
  | { type: 'run_continued'; runId: string }
  | { type: 'run_succeeded'; result: Recorded }
  | { type: 'run_failed'; error: RecordedError }
  | { type: 'run_cancelled' }
);

type Work = 'activity' | 'child';

export interface StartedFact {
  type: 'started';
  workflowType: string;
  workflowId: string;
  runId: string;
  /** First run of the continue-as-new chain. A reset does not change it. */
  firstRunId: string;
  /** The run that recorded this event. After a reset: the run before the reset. */
  originalRunId: string;
  /** The run that continued as this run. */
  previousRunId: string | undefined;
  input: Recorded;
  /** Arguments after the input. */
  laterArguments: LaterArguments;
  /** The program that started the run, as Temporal's client said. */
  identity?: string | undefined;
}
