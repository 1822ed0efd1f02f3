import { type Intent, type PlannedAction, parseActivityId, scopeOf } from '../agent/calls.ts';
import type { TimelessEvent, WaitingCall } from '../agent/events.ts';
import type { AskTimeout, ToolManifest } from '../agent/manifest.ts';
import { unanswered } from '../agent/rules/ask-timeout.ts';
import {
  type CallEnd,
  type FailureContext,
  afterFailure,
  callWithin,
  cancelledEnd,
  presetEnd,
} from '../agent/rules/call-rules.ts';
import { afterDoubt } from '../agent/rules/doubt.ts';
import { type OperatorDecision, effectOf } from '../agent/rules/decisions.ts';
import { limitError } from '../agent/rules/run-limits.ts';
import type { DoneCall } from '../agent/restart.ts';
import { earlierCall, repeatedError } from '../agent/rules/repeated.ts';
import type { RecordedWait } from '../agent/rules/waiting.ts';
import type { Entry } from '../agent/transcript/entries.ts';
import type { AgentAction, ErrorInfo, Json, WaitingReason } from '../agent/vocabulary.ts';

/** A call over all its schedules: a tool's, or (`3`) the model's. */
export interface TracedCall {
  id: string;
  tool: ToolManifest | undefined;
  action: AgentAction;
  /** How often it has waited. */
  waits: number;
  attempts: number;
  durationMs: number;
  /** It has no step yet. */
  isOpen: boolean;
  /** Why it waits for a person now. */
  waitsFor: WaitingReason | undefined;
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
  /** How the call ended, where history does not yet say with which consequence. */
  unsettled: Unsettled | undefined;
}

type Unsettled =
  | { type: 'failed'; error: ErrorInfo; inDoubt?: 'unasked' | 'asked' }
  | { type: 'cancelled' }
  | { type: 'deferred'; note: Json }
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

export function newCall(id: string, action: AgentAction, tool: ToolManifest | undefined): TracedCall {
  return {
    id,
    tool,
    action,
    waits: 0,
    attempts: 0,
    durationMs: 0,
    isOpen: true,
    waitsFor: undefined,
    byPerson: false,
    cancelled: undefined,
    lost: 0,
    intent: undefined,
    approvalError: undefined,
    unsettled: undefined,
  };
}

/** What a turn decided on: each call is known from now on. `modelCall`: the model's. */
export function plannedCalls(
  calls: Map<string, TracedCall>,
  modelCall: string,
  { text, actions }: { text: string; actions: readonly PlannedAction[] },
  tools: readonly ToolManifest[],
): TimelessEvent[] {
  return actions.flatMap((action, index) => {
    const { tool, toolInput, log = text } = action;
    const manifest = tools.find(({ name }) => name === tool);
    const call = newCall(`${modelCall}.${index + 1}`, { tool, toolInput, log }, manifest);
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
  reason: WaitingReason,
  done: readonly DoneCall[] = [],
): TimelessEvent[] {
  const { id, action, unsettled } = call;
  const { tool, toolInput } = action;
  const park: WaitingCall = { call: id, n: call.waits++, tool, toolInput, reason };
  const earlier = reason === 'repeated' ? earlierCall(done, tool, toolInput) : undefined;
  const failed = unsettled?.type === 'failed' ? unsettled.error : call.approvalError;
  const error = earlier === undefined ? failed : repeatedError(earlier);
  if (error !== undefined) park.error = error;
  if (unsettled?.type === 'deferred') park.note = unsettled.note;
  call.waitsFor = reason;
  call.unsettled = undefined;
  // Of a person, who is no activity, nothing else says that they were asked.
  const isHuman = call.tool?.human === true && reason === 'deferred';
  const started: TimelessEvent[] = isHuman ? [{ type: 'tool_started', call: id, tool, toolInput }] : [];
  return [...started, { type: 'waiting', park }];
}

/** The call whose wait a timer records. Where the run has come to a limit that is a model call which is none yet. */
export function waitingCall(
  calls: Map<string, TracedCall>,
  { call: id, figure }: RecordedWait,
): TracedCall | undefined {
  if (figure === undefined) return calls.get(id);
  const call = calls.get(id) ?? newCall(id, { tool: 'callModel', toolInput: null, log: '' }, undefined);
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
  // A run of an earlier version took it, and let it wait all the same.
  if (effect.type === 'cancel' && call.waitsFor !== undefined) return [];
  const told: TimelessEvent[] = [{ type: 'decided', call: call.id, decision }];
  switch (effect.type) {
    case 'end':
      call.waitsFor = undefined;
      // The reply to a model call is what the next schedule of it makes of it.
      return call.tool === undefined ? told : [...told, ...step(call, effect.observation)];
    case 'cancel':
      call.cancelled = effect.observation;
      return told;
    case 'stop':
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

/** The rule for a failed call in a run of an earlier loop version, which did not record that the call waits. */
export function unrecorded(call: TracedCall, error: ErrorInfo, overdue: boolean): TimelessEvent[] {
  if (call.tool === undefined) return [];
  const next = afterFailure(call.tool, error, { cancelled: undefined, overdue });
  if (next.type === 'end') return step(call, next.end.observation);
  return next.type === 'ask' ? waits(call, 'failed') : [];
}

/** The same for all calls that a model call, or a run that goes on, was told of. */
export function settleRecorded(
  calls: ReadonlyMap<string, TracedCall>,
  scope: number,
  entries: readonly Entry[],
): TimelessEvent[] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'step') return [];
    const call = calls.get(scope === 0 ? entry.call : callWithin(String(scope), entry.call));
    return call === undefined ? [] : settleByRecord(call, entry);
  });
}

/** The model was told what became of a call whose end says it not by itself. */
function settleByRecord(call: TracedCall, entry: Entry): TimelessEvent[] {
  if (call.unsettled === undefined || entry.type !== 'step') return [];
  return step(call, entry.observation);
}

/** The same for all calls; for those of one agent, where its scope is given. */
export function settleByRules(
  calls: ReadonlyMap<string, TracedCall>,
  overdue: boolean,
  ending: boolean,
  scope?: number,
): TimelessEvent[] {
  const meant = [...calls.values()].filter(({ id }) => scope === undefined || scopeOf(id) === scope);
  return meant.flatMap((call) => settleByRule(call, overdue, ending));
}

/** No model call followed that would have told: the rules do. */
export function settleByRule(call: TracedCall, overdue: boolean, ending: boolean): TimelessEvent[] {
  const end = endByRule(call, overdue, ending);
  return end === undefined ? [] : step(call, end.observation);
}

function endByRule(
  { tool, unsettled, cancelled }: TracedCall,
  overdue: boolean,
  ending: boolean,
): CallEnd | undefined {
  const context: FailureContext = { cancelled, overdue, tellsDeath: true };
  if (unsettled === undefined || tool === undefined) return undefined;
  switch (unsettled.type) {
    case 'cancelled':
      return ending && cancelled === undefined ? undefined : cancelledEnd(context);
    case 'failed':
      return unsettled.inDoubt === undefined
        ? endOf(afterFailure(tool, unsettled.error, context))
        : endOf(afterDoubt(tool, context));
    case 'unanswered':
      return endOf(unanswered(unsettled.timeout, { tool: tool.name, reason: unsettled.reason }));
    case 'deferred':
      return undefined;
  }
}

function endOf(next: { type: 'end'; end: CallEnd } | { type: 'ask' | 'fail' }): CallEnd | undefined {
  return next.type === 'end' ? next.end : undefined;
}

/** What an activity's id, or a sub-agent's workflow id, says; undefined for what is none of ours. `run`: workflow id. */
export function scheduledCall(
  run: string,
  { of, workId }: { of: 'activity' | 'child'; workId: string },
): { call: string; scope: number; n: number } | undefined {
  // A sub-agent's run is called as the parent's, a slash, and the call.
  if (of === 'child' && !workId.startsWith(`${run}/`)) return undefined;
  const parsed = parseActivityId(of === 'child' ? workId.slice(run.length + 1) : workId);
  if (parsed === undefined) return undefined;
  const { scope, n } = parsed;
  return { call: calledIn(scope, parsed.call), scope, n };
}

/** A call as people know it. */
export function calledIn(scope: number, call: string): string {
  return scope === 0 ? call : callWithin(String(scope), call);
}
