import type { CallModelInput, ModelTurn, ResolvedAgent } from '../calls/calls.ts';
import type { DoneCall } from '../calls/restart.ts';
import type { Granted } from '../limits/counters.ts';
import type { RunMessage } from '../rules/run-messages.ts';
import type { RecordedWait } from '../rules/waiting.ts';
import type { ErrorInfo, Json } from '../values/vocabulary.ts';
import type { CallFact } from './call-state.ts';
import type { AgentRunInput, RewindPoint } from './run-input.ts';
import type { Consumption, RunResult } from './run-result.ts';

/** A fact about a run. `scope`: number of the agent in its workflow. `call`: as people type it. */
export type RunFact =
  /** An execution of the run has started. `input` undefined: the workflow is not Reloop's. */
  | {
      type: 'started';
      workflow: string;
      workflowId: string;
      runId: string;
      input: AgentRunInput | undefined;
    }
  /** `resolveAgent` has ended. */
  | { type: 'resolved'; scope: number; agent: ResolvedAgent | undefined }
  /** The effects of dropped steps are read. */
  | { type: 'effects_read'; done: readonly DoneCall[] }
  /** `input` undefined: the activity of another workflow has the name of our model call. */
  | { type: 'model_scheduled'; call: string; scope: number; n: number; input: CallModelInput | undefined }
  | { type: 'model_replied'; call: string; turn: ModelTurn; ms: number; closing: boolean }
  /**
   * An activity or a child workflow is scheduled. `tool` and `toolInput`: for the event of a call that no agent of the run has planned.
   * `cancels`: the background call that the model cancels with it.
   */
  | {
      type: 'scheduled';
      call: string;
      n: number;
      tool: string;
      toolInput: Json;
      cancels?: string | undefined;
    }
  /** An activity of Reloop is scheduled that belongs to no step. `step`: the run rewinds itself to it. */
  | { type: 'read_scheduled'; reads: OwnRead; scope: number; n: number; step: number | undefined }
  | { type: 'call'; call: string; fact: CallFact }
  /** The run has accepted a message. */
  | { type: 'message'; message: RunMessage }
  | { type: 'paused_above'; isPaused: boolean }
  | { type: 'deadline_started'; timer: string }
  | { type: 'wait_started'; wait: RecordedWait }
  /** `call`: whose wait the timer records. undefined: another timer. */
  | { type: 'timer_fired'; timer: string; call: string | undefined }
  | { type: 'cancel_requested' }
  /** The run is back at an earlier step. */
  | { type: 'rewound'; point: RewindPoint }
  /** `result` undefined: a workflow of another kind has returned `value`. */
  | { type: 'succeeded'; result: RunResult | undefined; value: unknown }
  | { type: 'failed'; error: ErrorInfo | null }
  | { type: 'cancelled' };

/** Data that an activity of Reloop reads: an agent's definition, effects of dropped steps, or the point to which the run rewinds itself. */
export type OwnRead = 'agent' | 'effects' | 'point';

/** State of a run that a restart keeps. */
export interface KeptState {
  spent: Consumption;
  granted: Granted;
  /** Effects of dropped steps. */
  done: readonly DoneCall[];
  /** The highest number of a schedule or a wait; -1: none. */
  lastN: number;
  /** Messages of people that the next model call carries. */
  unheard: readonly string[];
}
