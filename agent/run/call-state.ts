import type { AskedState } from '../calls/asked-state.ts';
import type { Intent, ModelTurn, PlannedAction } from '../calls/calls.ts';
import type { FailedCall } from '../calls/failures.ts';
import type { DoneCall } from '../calls/restart.ts';
import type { AskTimeout, ToolManifest } from '../definition/manifest.ts';
import type { CallEnd } from '../rules/call-rules.ts';
import type { OperatorDecision } from '../rules/decisions.ts';
import type { Doubt } from '../rules/doubt.ts';
import type { WaitingReason } from '../rules/wait-reasons.ts';
import type { WaitingCall } from '../rules/waiting.ts';
import { canonicalJson } from '../values/json-object.ts';
import type { AgentAction, ErrorInfo, Json, Usage } from '../values/vocabulary.ts';
import { type Check, CHECKS } from '../rules/checks.ts';
import type { TimelessEvent } from './events.ts';
import type { WaitsChange } from './waits-change.ts';

/**
 * State of a tool call or a model call, over all its schedules and waits. The workflow and the reader of a history give the same facts
 * to `nextCall`, so both have the same state and the same events. `nextAction` returns the workflow's next action.
 */
export interface Call {
  /** `3.1` for a tool call, `3` for a model call, `1/3.1` for a call of the second agent in one workflow. */
  readonly id: string;
  readonly kind: 'model' | 'tool';
  /** undefined for a model call, or if the reader does not have the agent's definition. */
  readonly tool: ToolManifest | undefined;
  readonly planned: PlannedAction;
  /** The action with the latest input, which may be a person's. */
  readonly action: AgentAction;
  /** A person gave the input. */
  readonly byPerson: boolean;
  /** The latest input that a person approved. */
  readonly approved: Json | undefined;
  /** Number of the latest schedule; undefined before the first schedule. */
  readonly n: number | undefined;
  readonly nextN: number;
  readonly nextWait: number;
  /** Attempts of all schedules that have ended. */
  readonly attempts: number;
  /** Milliseconds of all schedules that have ended. */
  readonly durationMs: number;
  /** Type of the schedule under way: `run` runs the tool; `reconcile` asks whether the previous schedule took effect. */
  readonly underWay: 'run' | 'reconcile' | undefined;
  /** The wait under way. */
  readonly wait: WaitingCall | undefined;
  /** Open waits of the sub-agent's calls, while the sub-agent runs. */
  readonly within: readonly WaitingCall[];
  /** Token of a deferred call during its wait. */
  readonly token: string | undefined;
  /** Checks that are left before the next schedule, in order. */
  readonly checks: readonly Check[];
  /** End of the latest schedule or wait; undefined while the call is under way. */
  readonly last: Ending | undefined;
  /** Observation for the model, if a person cancelled the call. */
  readonly cancelled: string | undefined;
  /** Number of consecutive schedules that certainly had no effect. */
  readonly lost: number;
  /** Number of schedules in which the tool itself failed and, as its `reconcile` said, had no effect; since a person decided last. */
  readonly failures: number;
  /** Sent by the worker before the tool runs: from then on the schedule under way may have an effect. */
  readonly intent: Intent | undefined;
  /** Checkpoint that the latest failed schedule stored. */
  readonly checkpoint: Json | undefined;
  /** Last checkpoint of a tool with `cancel`: work that continues elsewhere, and whose result the call does not have yet. */
  readonly elsewhere: Json | undefined;
  /** Answers by token that arrived before the call was deferred. */
  readonly earlyAnswers: readonly OperatorDecision[];
  /** Result of the call. The event `step` was emitted. */
  readonly end: CallEnd | undefined;
}

export type Ending =
  | FailedEnding
  | { type: 'cancelled' }
  /** `asks`: the result that a person gives is the answer to the tool's question. */
  | { type: 'deferred'; note: Json; token: string | undefined; asks?: AskedState | undefined }
  | { type: 'unanswered'; reason: WaitingReason; timeout: AskTimeout }
  | { type: 'aborted'; error: ErrorInfo }
  /** A person gave the model's reply. */
  | { type: 'replied'; reply: Json }
  /** A person stopped the run at its limit. */
  | { type: 'stopped' };

export interface FailedEnding {
  type: 'failed';
  error: ErrorInfo;
  /** Another attempt may succeed. */
  mayPass: boolean;
  /** The schedule had no effect. Reloop schedules the call again without asking a person. */
  again: boolean;
  /** The failure, if `again` holds: an intent may come after it. */
  lostBy?: FailedCall | undefined;
  /** The schedule may have had its effect. */
  doubt?: Doubt | undefined;
  /** Answer of the tool's `reconcile`. */
  found?: 'notDone' | 'unknown' | undefined;
}

const MODEL_CALL: PlannedAction = { tool: 'callModel', toolInput: null };

export function modelCall(id: string, firstN: number): Call {
  return newCall({ id, kind: 'model', tool: undefined, planned: MODEL_CALL, log: '', firstN });
}

/** `log`: text for an action without its own log. `firstN`: number of the first schedule and of the first wait. */
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
    approved: undefined,
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
    failures: 0,
    intent: undefined,
    checkpoint: undefined,
    elsewhere: undefined,
    earlyAnswers: [],
    end: undefined,
  };
}

/** `attempts`: undefined if unknown. `ms`: duration of the schedule. */
interface ScheduleStats {
  attempts?: number | undefined;
  ms: number;
}

/** Details of a wait that starts. */
export interface WaitFact {
  reason: WaitingReason;
  /** Time at which the wait for a lost attempt ends, in milliseconds since 1970. */
  until?: number | undefined;
  /** Amount and unit of the limit that the run has reached. */
  figure?: string | undefined;
  /** Calls of dropped steps. */
  done: readonly DoneCall[];
}

/** Returns true if the call has a person's input, and it is another one than the model's. */
export function hasPersonsInput({ planned, action, byPerson }: Call): boolean {
  if (planned.personsInput === true) return true;
  return byPerson && canonicalJson(action.toolInput) !== canonicalJson(planned.toolInput);
}

/** A fact about a call. The workflow and the reader of a history learn each fact at the same point of the run. */
export type CallFact =
  | { type: 'scheduled'; n: number }
  | ({ type: 'succeeded'; result: unknown } & ScheduleStats)
  | ({ type: 'failed'; failed: FailedCall } & ScheduleStats)
  | ({ type: 'cancelled'; failed: FailedCall } & ScheduleStats)
  | ({ type: 'replied'; turn: ModelTurn; closing?: true | undefined } & ScheduleStats)
  | ({ type: 'wait_started' } & WaitFact)
  /** Calls of the sub-agent start or end waits. */
  | { type: 'child_waits_changed'; change: WaitsChange }
  /** Usage of a sub-agent that was cancelled. */
  | { type: 'child_used'; usage: Usage }
  | { type: 'unanswered'; timeout: AskTimeout }
  /** The wait ended without a decision: at its `until`, or with the run. `isBeside`: the agents of the run have background tools. */
  | { type: 'wait_ended'; isBeside?: boolean | undefined }
  | { type: 'decided'; decision: OperatorDecision }
  /** An answer by token arrived before the call was deferred. */
  | { type: 'answered'; decision: OperatorDecision }
  | { type: 'intended'; n: number; intent: Intent | undefined }
  /** A tool with `cancel` has stored a checkpoint; null: none is valid any more. */
  | { type: 'checkpoint'; n: number; checkpoint: Json }
  /** The model call that follows, or the run's end, shows this observation of the call. */
  | { type: 'observed'; observation: Json };

/** New state of a call, and the events to emit. `used`: usage of the model calls that the schedule made. */
export interface Transition {
  call: Call;
  events: TimelessEvent[];
  used?: Usage | undefined;
}

/** Ends the call with the event `step`. A call that has ended stays as it is. */
export function ended(call: Call, end: CallEnd): Transition {
  if (call.end !== undefined) return { call, events: [] };
  const { id, action, attempts, durationMs } = call;
  const { observation, changes } = end;
  const step = { call: id, action, observation, attempts, durationMs, ...(changes && { changes }) };
  return {
    call: { ...call, end, wait: undefined, last: undefined, underWay: undefined },
    events: [{ type: 'step', step }],
  };
}
