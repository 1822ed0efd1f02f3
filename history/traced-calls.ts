import type { PlannedAction } from '../agent/calls.ts';
import type { TimelessEvent } from '../agent/events.ts';
import type { ToolManifest } from '../agent/manifest.ts';
import {
  type CallEnd,
  type FailureContext,
  afterFailure,
  cancelledEnd,
  presetEnd,
} from '../agent/rules/call-rules.ts';
import { type OperatorDecision, effectOf } from '../agent/rules/decisions.ts';
import type { Entry } from '../agent/transcript/entries.ts';
import type { AgentAction, ErrorInfo, Json } from '../agent/vocabulary.ts';

/** A call over all its schedules: a tool's, or (`3`) the model's. */
export interface TracedCall {
  id: string;
  tool: ToolManifest | undefined;
  action: AgentAction;
  n: number;
  attempts: number;
  durationMs: number;
  /** It has no step yet. */
  isOpen: boolean;
  isWaiting: boolean;
  /** Its input is a person's. */
  byPerson: boolean;
  /** A person cancelled it: what the model is told of that. */
  cancelled: string | undefined;
  /** The call failed or was cancelled, and history does not yet say with which consequence. */
  unsettled: { type: 'failed'; error: ErrorInfo } | { type: 'cancelled' } | undefined;
}

/** An activity or a sub-agent's run between its schedule and its end. */
export interface Pending {
  name: string;
  call: string;
  n: number;
  atMs: number;
  attempts: number;
  closing: boolean;
}

export function newCall(id: string, action: AgentAction, tool: ToolManifest | undefined): TracedCall {
  return {
    id,
    tool,
    action,
    n: 0,
    attempts: 0,
    durationMs: 0,
    isOpen: true,
    isWaiting: false,
    byPerson: false,
    cancelled: undefined,
    unsettled: undefined,
  };
}

/** What a turn decided on, and at once what of it needs no run. */
export function planned(
  call: TracedCall,
  action: PlannedAction,
  tools: readonly ToolManifest[],
): TimelessEvent[] {
  const { id } = call;
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
  call.isWaiting = false;
  call.unsettled = undefined;
  const { id, action, attempts, durationMs } = call;
  return [{ type: 'step', step: { call: id, action, observation, attempts, durationMs } }];
}

/** The call waits for a person: `error` is what it failed of. */
export function waits(call: TracedCall, error: ErrorInfo): TimelessEvent[] {
  const { id, n, action } = call;
  call.isWaiting = true;
  call.unsettled = undefined;
  const { tool, toolInput } = action;
  return [{ type: 'waiting', park: { call: id, n, tool, toolInput, reason: 'failed', error } }];
}

export function decided(call: TracedCall, decision: OperatorDecision): TimelessEvent[] {
  const effect = effectOf(decision);
  // A run of an earlier version took it, and let it wait all the same.
  if (effect.type === 'cancel' && call.isWaiting) return [];
  const told: TimelessEvent[] = [{ type: 'decided', call: call.id, decision }];
  switch (effect.type) {
    case 'end':
      call.isWaiting = false;
      // The reply to a model call is what the next schedule of it makes of it.
      return call.tool === undefined ? told : [...told, ...step(call, effect.observation)];
    case 'cancel':
      call.cancelled = effect.observation;
      return told;
    case 'again':
      call.isWaiting = false;
      call.byPerson ||= effect.input !== undefined;
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
  return next.type === 'ask' ? waits(call, error) : [];
}

/** The model was told what became of calls whose end says it not by itself. */
export function settleByRecord(call: TracedCall, entry: Entry): TimelessEvent[] {
  if (call.unsettled === undefined || entry.type !== 'step') return [];
  return step(call, entry.observation);
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
  const context: FailureContext = { cancelled, overdue };
  if (unsettled === undefined || tool === undefined) return undefined;
  if (unsettled.type === 'cancelled') {
    return ending && cancelled === undefined ? undefined : cancelledEnd(context);
  }
  const next = afterFailure(tool, unsettled.error, context);
  return next.type === 'end' ? next.end : undefined;
}

/** Which of a workflow's agents a call is of. */
export function scopeOf(call: string): number {
  return call.includes('/') ? Number(call.slice(0, call.indexOf('/'))) : 0;
}
