import { type Intent, type ModelTurn, type PlannedAction, withoutCalls } from '../../agent/calls/calls.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { RecordedWait, WaitingCall } from '../../agent/rules/waiting.ts';
import type { AskTimeout, ToolManifest } from '../../agent/definition/manifest.ts';
import { presetEnd } from '../../agent/rules/call-rules.ts';
import { type OperatorDecision, effectOf, isAnswerFor, withoutToken } from '../../agent/rules/decisions.ts';
import { limitError } from '../../agent/limits/run-limits.ts';
import type { DoneCall } from '../../agent/calls/restart.ts';
import { earlierCall, repeatedError } from '../../agent/rules/repeated.ts';
import type { AgentAction, ErrorInfo, Json } from '../../agent/values/vocabulary.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';

/** A call over all its schedules: a tool's, or (`3`) the model's. */
export interface TracedCall {
  id: string;
  tool: ToolManifest | undefined;
  action: AgentAction;
  /** Number of its next wait. */
  waitNumber: number;
  /** As the model decided on it. */
  planned: Pick<PlannedAction, 'tool' | 'toolInput' | 'effect'>;
  attempts: number;
  durationMs: number;
  /** It has no step yet. */
  isOpen: boolean;
  /** Why it waits for a person now. */
  waitsFor: WaitingReason | undefined;
  /** Its wait ends by itself: its lost attempt may still be running. */
  outlivesLost: boolean;
  /** Its input is a person's. */
  byPerson: boolean;
  /** A person cancelled it: what the model is told of that. */
  cancelled: string | undefined;
  /** Schedules in a row that certainly did nothing. */
  lost: number;
  /** The tool may have run in the schedule under way. */
  intent: Intent | undefined;
  /** Why nobody could say whether a person has to allow it. */
  approvalError: ErrorInfo | undefined;
  /** Answers by token that came while the call ran. */
  kept: OperatorDecision[];
  /** How the call ended, where history does not yet say with which consequence. */
  unsettled: Unsettled | undefined;
}

type Unsettled =
  | { type: 'failed'; error: ErrorInfo; inDoubt?: 'unasked' | 'asked' }
  | { type: 'cancelled' }
  | { type: 'deferred'; note: Json; token: string | undefined }
  /** Nobody decided in time. */
  | { type: 'unanswered'; reason: WaitingReason; timeout: AskTimeout };

/** An activity or a sub-agent's run between its schedule and its end. */
export interface Pending {
  name: string;
  call: string;
  n: number;
  atMs: number;
  attempts: number;
  closing: boolean;
  /** It asks the tool what became of an earlier schedule. */
  reconciles: boolean;
}

function newCall(
  id: string,
  action: AgentAction,
  { tool, firstN, effect }: { tool?: ToolManifest | undefined; firstN: number; effect?: string | undefined },
): TracedCall {
  return {
    id,
    tool,
    action,
    waitNumber: firstN,
    planned: { tool: action.tool, toolInput: action.toolInput, effect },
    attempts: 0,
    durationMs: 0,
    isOpen: true,
    waitsFor: undefined,
    outlivesLost: false,
    byPerson: false,
    cancelled: undefined,
    lost: 0,
    intent: undefined,
    approvalError: undefined,
    kept: [],
    unsettled: undefined,
  };
}

/** The action of a model call. */
const MODEL_CALL: AgentAction = { tool: 'callModel', toolInput: null, log: '' };

export function modelEnded(
  { call, attempts, closing }: Pending,
  turn: ModelTurn,
  durationMs: number,
): TimelessEvent {
  const isClosing = closing || undefined;
  return { type: 'model_ended', call, turn: withoutCalls(turn), attempts, durationMs, closing: isClosing };
}

export function modelFailed(
  calls: Map<string, TracedCall>,
  { call, n, attempts }: Pending,
  error: ErrorInfo,
): TimelessEvent[] {
  calls.set(call, { ...newCall(call, MODEL_CALL, { firstN: n }), unsettled: { type: 'failed', error } });
  return [{ type: 'model_failed', call, error, attempts }];
}

/** What a turn decided on: each call is known from now on. `modelCall`: the model's. */
export function plannedCalls(
  calls: Map<string, TracedCall>,
  modelCall: string,
  { text, decision }: Pick<ModelTurn, 'text' | 'decision'>,
  { tools, firstN }: { tools: readonly ToolManifest[]; firstN: number },
): TimelessEvent[] {
  if (decision.type !== 'act') return [];
  return decision.actions.flatMap((action, index) => {
    const { tool: name, toolInput, log = text, effect } = action;
    const tool = tools.find((one) => one.name === name);
    const id = `${modelCall}.${index + 1}`;
    const call = newCall(id, { tool: name, toolInput, log }, { tool, firstN, effect });
    calls.set(call.id, call);
    return planned(call, action, tools);
  });
}

/** A call at its beginning, and at once its step where it needs no run. */
function planned(call: TracedCall, action: PlannedAction, tools: readonly ToolManifest[]): TimelessEvent[] {
  const { id } = call;
  call.approvalError = action.approval?.error;
  const told: TimelessEvent[] = [{ type: 'action', call: id, action: call.action }];
  const preset = presetEnd(action, tools);
  if (preset === undefined) return told;
  const { startedAs: tool } = preset;
  const started: TimelessEvent = { type: 'tool_started', call: id, tool, toolInput: action.toolInput };
  return [...told, started, ...step(call, preset.end.observation)];
}

/** The call's one step. */
export function step(call: TracedCall, observation: Json): TimelessEvent[] {
  if (!call.isOpen) return [];
  call.isOpen = false;
  call.waitsFor = undefined;
  call.unsettled = undefined;
  const { id, action, attempts, durationMs } = call;
  return [{ type: 'step', step: { call: id, action, observation, attempts, durationMs } }];
}

/** The call waits for a person. What there is to say of it depends on how its last schedule ended; `done`: on dropped steps. */
export function waits(
  call: TracedCall,
  { reason, until }: Pick<RecordedWait, 'reason' | 'until'>,
  done: readonly DoneCall[] = [],
): TimelessEvent[] {
  const { id, action, unsettled } = call;
  const { tool, toolInput } = action;
  const wait: WaitingCall = { call: id, n: call.waitNumber++, tool, toolInput, reason };
  const earlier = reason === 'repeated' ? earlierCall(done, call.planned, toolInput) : undefined;
  const failed = unsettled?.type === 'failed' ? unsettled.error : call.approvalError;
  const error = earlier === undefined ? failed : repeatedError(earlier);
  if (error !== undefined) wait.error = error;
  if (unsettled?.type === 'deferred') wait.note = unsettled.note;
  call.waitsFor = reason;
  call.outlivesLost = until !== undefined;
  if (until !== undefined) wait.until = until;
  else call.unsettled = undefined;
  // Of a person, who is no activity, nothing else says that they were asked.
  const isHuman = call.tool?.human === true && reason === 'deferred';
  const started: TimelessEvent[] = isHuman ? [{ type: 'tool_started', call: id, tool, toolInput }] : [];
  return [...started, { type: 'waiting', wait }];
}

/** The call whose wait a timer records. Where the run has come to a limit that is a model call which is none yet. */
export function waitingCall(
  calls: Map<string, TracedCall>,
  { call: id, figure }: RecordedWait,
  firstN: number,
): TracedCall | undefined {
  if (figure === undefined) return calls.get(id);
  const call = calls.get(id) ?? newCall(id, MODEL_CALL, { firstN });
  call.unsettled = { type: 'failed', error: limitError(figure) };
  calls.set(id, call);
  return call;
}

/** The run has got more of what it had come to the limit of. */
export function extended(call: TracedCall): void {
  if (call.waitsFor === 'limit') call.waitsFor = undefined;
}

/** Nobody has decided in time. */
export function leftUnanswered(call: TracedCall, timeout: AskTimeout): TimelessEvent[] {
  if (call.waitsFor === undefined) return [];
  call.unsettled = { type: 'unanswered', reason: call.waitsFor, timeout };
  call.waitsFor = undefined;
  return [{ type: 'unanswered', call: call.id }];
}

export function decided(call: TracedCall, decision: OperatorDecision): TimelessEvent[] {
  const effect = effectOf(decision);
  const told: TimelessEvent[] = [{ type: 'decided', call: call.id, decision }];
  if (effect.type !== 'none') call.outlivesLost = false;
  switch (effect.type) {
    case 'end':
      call.waitsFor = undefined;
      // The reply to a model call is what the next schedule of it makes of it.
      return call.tool === undefined ? told : [...told, ...step(call, effect.observation)];
    case 'cancel':
      call.cancelled = effect.observation;
      return told;
    case 'stop':
    case 'now':
      call.waitsFor = undefined;
      return told;
    case 'again':
      call.waitsFor = undefined;
      call.lost = 0;
      call.byPerson ||= effect.input !== undefined;
      if (effect.input !== undefined) call.action = { ...call.action, toolInput: effect.input };
      return told;
    case 'fail':
    case 'none':
      return told;
  }
}

/** An answer by token came while the call ran, or in the task that heard that the call had deferred. */
export function answeredEarly(call: TracedCall, answer: OperatorDecision): TimelessEvent[] {
  const { unsettled } = call;
  if (unsettled?.type !== 'deferred') call.kept.push(answer);
  else if (isAnswerFor(unsettled.token, answer)) return decided(call, withoutToken(answer));
  return [];
}

/** The tool has left the result to somebody outside, who may have given it already. */
export function deferred(call: TracedCall, note: Json, token: string | undefined): TimelessEvent[] {
  call.unsettled = { type: 'deferred', note, token };
  const answer = call.kept.splice(0).find((one) => isAnswerFor(token, one));
  return answer === undefined ? [] : decided(call, withoutToken(answer));
}
