import type { CostFact } from './cost-facts.ts';
import type { Recorded, RecordedBehind, RecordedError, RecordedFailure } from './payloads.ts';

/**
 * What a history says, event by event: the one place that knows Temporal's event types, and what every reader of a run is
 * a fold over. A recorded value is decoded by who asks for it. Nothing here says that a value is ours: any workflow can be
 * read. `id` is the event's in its run, `at` its time in milliseconds since 1970; `more`: the next fact is of the same event.
 */
export type Fact = { id: number; at: number; more?: true } & (
  | StartedFact
  /**
   * `key` ties what follows to it; `workId` names a workflow's activity or the child's workflow, `name` is its type. `local`: an
   * activity within the workflow task.
   */
  | { type: 'scheduled'; of: Work; key: string; workId: string; name: string; input: Recorded; local?: true }
  /** `runId`: of a child's run. */
  | { type: 'begun'; of: Work; key: string; attempt: number; runId?: string | undefined }
  | { type: 'succeeded'; of: Work; key: string; result: Recorded }
  /** `failure`: of an activity, with what it says of its call. */
  | {
      type: 'failed';
      of: Work;
      key: string;
      error: RecordedError;
      failure?: RecordedFailure;
    }
  /**
   * `requested`: asked for only. An external activity's end nobody waits for. `failure`: the attempt had one all the same;
   * `details`: what it said at its end.
   */
  | {
      type: 'cancelled';
      of: Work;
      key: string;
      requested: boolean;
      failure?: RecordedFailure;
      details?: Recorded;
    }
  /** `summary`: what the workflow says of it on the Web UI's timeline. */
  | { type: 'timer_started'; timer: string; summary: Recorded }
  | { type: 'timer_fired'; timer: string }
  | { type: 'timer_cancelled'; timer: string }
  /** `behind`: what was sent with the input. */
  | { type: 'signaled'; name: string; input: Recorded; behind: RecordedBehind }
  /** `key` ties the completion to it. */
  | { type: 'update_accepted'; key: string; updateId: string; name: string; input: Recorded }
  /** `name` and `input` are the acceptance's; not known to who reads from the end. `result`: undefined if it failed. */
  | {
      type: 'update_completed';
      key: string;
      updateId: string;
      name: string | undefined;
      input: Recorded | undefined;
      result: Recorded | undefined;
    }
  /** A worker has gone through all before it. */
  | { type: 'task_completed' }
  | CostFact
  /** All before it is another run's, from which a person had Temporal begin again (Reset). */
  | { type: 'reset'; fromRunId: string; runId: string }
  | { type: 'cancel_requested' }
  | { type: 'run_continued'; runId: string }
  | { type: 'run_succeeded'; result: Recorded }
  | { type: 'run_failed'; error: RecordedError }
  | { type: 'run_cancelled' }
);

/** What a workflow has others do: an activity, or a child workflow. */
type Work = 'activity' | 'child';

export interface StartedFact {
  type: 'started';
  workflowType: string;
  /** Of the run that is read. */
  workflowId: string;
  runId: string;
  /** Of the first run that continue-as-new has made this one of; a reset keeps it. */
  firstRunId: string;
  /** Of the run that recorded this event: another one after a reset. */
  originalRunId: string;
  /** The run that was continued as this one. */
  previousRunId: string | undefined;
  input: Recorded;
  /** What the run was started with beside its input. */
  behind: RecordedBehind;
}
