import type { Intent, ModelTurn, PlannedAction } from '../calls/calls.ts';
import type { FailedCall } from '../calls/failures.ts';
import type { DoneCall } from '../calls/restart.ts';
import type { AskTimeout, ToolManifest } from '../definition/manifest.ts';
import type { CallEnd } from '../rules/call-rules.ts';
import type { OperatorDecision } from '../rules/decisions.ts';
import type { Doubt } from '../rules/doubt.ts';
import type { WaitingReason } from '../rules/wait-reasons.ts';
import type { WaitingCall } from '../rules/waiting.ts';
import type { AgentAction, ErrorInfo, Json, Usage } from '../values/vocabulary.ts';
import type { TimelessEvent } from './events.ts';
import type { WaitsTold } from './waits-told.ts';

/**
 * A tool call or a model call, over all its schedules and waits. The workflow and the reader of a history feed the same facts
 * to `nextCall`: the state and the events are the same for both. `thenOf` says what the workflow does next.
 */
export interface Call {
  /** `3.1` for a tool call, `3` for a model call; in a later agent of one workflow `1/3.1`. */
  readonly id: string;
  readonly kind: 'model' | 'tool';
  /** Undefined for a model call, and for a reader without the agent's definition. */
  readonly tool: ToolManifest | undefined;
  /** The model's action. */
  readonly planned: PlannedAction;
  /** The action with the latest input, which may be a person's. */
  readonly action: AgentAction;
  /** A person gave the input. */
  readonly byPerson: boolean;
  /** Number of the latest schedule; undefined before the first. */
  readonly n: number | undefined;
  /** Number of the next schedule. */
  readonly nextN: number;
  /** Number of the next wait. */
  readonly nextWait: number;
  /** Attempts of all schedules that have ended. */
  readonly attempts: number;
  /** Milliseconds of all schedules that have ended. */
  readonly durationMs: number;
  /** The schedule under way runs the tool, or asks the tool's `reconcile` about the schedule before. */
  readonly underWay: 'run' | 'reconcile' | undefined;
  /** The wait under way. */
  readonly wait: WaitingCall | undefined;
  /** Waits of the sub-agent's calls, while the sub-agent runs. */
  readonly within: readonly WaitingCall[];
  /** Token of the deferred call that waits. */
  readonly token: string | undefined;
  /** Checks before the next schedule, in this order. */
  readonly checks: readonly Check[];
  /** How the latest schedule or wait ended; undefined while the call is under way. */
  readonly last: Ending | undefined;
  /** Observation of a person's cancellation. */
  readonly cancelled: string | undefined;
  /** Schedules in a row that certainly had no effect. */
  readonly lost: number;
  /** The tool of the schedule under way may have run. */
  readonly intent: Intent | undefined;
  /** Stored by the latest schedule that failed. */
  readonly checkpoint: Json | undefined;
  /** Answers by token that arrived before the call was deferred. */
  readonly kept: readonly OperatorDecision[];
  /** The call has its result, and its step was emitted. */
  readonly end: CallEnd | undefined;
}

/** A reason to ask a person before a schedule: made before, needs approval, or the tool is a person. */
export type Check = 'repeated' | 'approval' | 'deferred';

const CHECKS: readonly Check[] = ['repeated', 'approval', 'deferred'];

export type Ending =
  | FailedEnding
  | { type: 'cancelled' }
  | { type: 'deferred'; note: Json; token: string | undefined }
  | { type: 'unanswered'; reason: WaitingReason; timeout: AskTimeout }
  | { type: 'aborted'; error: ErrorInfo }
  /** A person gave the reply of the model. */
  | { type: 'replied'; reply: Json }
  /** A person ended the run at its limit. */
  | { type: 'stopped' };

export interface FailedEnding {
  type: 'failed';
  error: ErrorInfo;
  /** Another attempt may succeed. */
  mayPass: boolean;
  /** The schedule had no effect, and Reloop schedules the call again without asking. */
  again: boolean;
  /** The schedule may have had its effect. */
  doubt?: Doubt | undefined;
  /** Answer of the tool's `reconcile`. */
  found?: 'notDone' | 'unknown' | undefined;
}

const MODEL_CALL: PlannedAction = { tool: 'callModel', toolInput: null };

export function modelCall(id: string, firstN: number): Call {
  return newCall({ id, kind: 'model', tool: undefined, planned: MODEL_CALL, log: '', firstN });
}

/** `log`: default of the action's own. `firstN`: number of the first schedule and of the first wait. */
export function newCall({
  id,
  kind,
  tool,
  planned,
  log,
  firstN,
}: Pick<Call, 'id' | 'kind' | 'tool' | 'planned'> & { log: string; firstN: number }): Call {
  return {
    id,
    kind,
    tool,
    planned,
    action: { tool: planned.tool, toolInput: planned.toolInput, log: planned.log ?? log },
    byPerson: false,
    n: undefined,
    nextN: firstN,
    nextWait: firstN,
    attempts: 0,
    durationMs: 0,
    underWay: undefined,
    wait: undefined,
    within: [],
    token: undefined,
    checks: CHECKS,
    last: undefined,
    cancelled: undefined,
    lost: 0,
    intent: undefined,
    checkpoint: undefined,
    kept: [],
    end: undefined,
  };
}

/** A call of a run that begins again: nothing of the call is under way. */
export function restartedCall(call: Call): Call {
  return {
    ...call,
    underWay: undefined,
    wait: undefined,
    within: [],
    last: undefined,
    cancelled: undefined,
    kept: [],
  };
}

/** `attempts`: undefined where the workflow does not know. `ms`: duration of the schedule. */
interface Ran {
  attempts?: number | undefined;
  ms: number;
}

/** A wait begins. */
export interface WaitFact {
  reason: WaitingReason;
  /** End of the wait for a lost attempt: milliseconds since 1970. */
  until?: number | undefined;
  /** The limit that the run has reached. */
  figure?: string | undefined;
  /** Calls of dropped steps. */
  done: readonly DoneCall[];
}

/** What happens to a call. Both drivers know each fact at the same point of the run. */
export type CallFact =
  | { type: 'scheduled'; n: number; input?: Json }
  | ({ type: 'succeeded'; result: unknown } & Ran)
  | ({ type: 'failed'; failed: FailedCall } & Ran)
  | ({ type: 'cancelled'; failed: FailedCall } & Ran)
  | ({ type: 'replied'; turn: ModelTurn; closing?: true | undefined } & Ran)
  | ({ type: 'waits' } & WaitFact)
  /** Calls of the sub-agent begin or end waits. */
  | { type: 'waits_within'; told: WaitsTold }
  | { type: 'unanswered'; timeout: AskTimeout }
  /** The wait ended without a decision: at its own time, or with the run. */
  | { type: 'wait_over' }
  | { type: 'decided'; decision: OperatorDecision }
  /** An answer by token to a call that does not wait yet. */
  | { type: 'answered'; decision: OperatorDecision }
  | { type: 'intended'; n: number; intent: Intent | undefined }
  /** The model, or the run's end, has this observation for a call without a result. */
  | { type: 'told'; observation: Json };

/** `used`: usage of model calls that the schedule made. */
export interface Next {
  call: Call;
  events: TimelessEvent[];
  used?: Usage | undefined;
}

/** Emits the call's one step. */
export function ended(call: Call, end: CallEnd): Next {
  if (call.end !== undefined) return { call, events: [] };
  const { id, action, attempts, durationMs } = call;
  const step = { call: id, action, observation: end.observation, attempts, durationMs };
  return {
    call: { ...call, end, wait: undefined, last: undefined, underWay: undefined },
    events: [{ type: 'step', step }],
  };
}
