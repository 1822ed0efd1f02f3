import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { type ModelTurn, type ResolvedAgent, type ToolResult, parseActivityId } from '../agent/calls.ts';
import type { OperatorDecision, RunEvent, RunStep } from '../agent/events.ts';
import { readFailure } from '../agent/failures.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { cancelledTool, failedTool, skippedTool } from '../agent/observations.ts';
import type { AgentAction, Json } from '../agent/vocabulary.ts';
import type { DecisionData, DecisionReceipt, Lineage, RunResult } from '../workflows/messages.ts';
import { type HistoryEvent, decodeFailure, decodeFirst } from './history.ts';

/** Turns Temporal's history into run events, one by one. Nothing but history is read: no worker need be alive. */
export interface Trace {
  next(event: HistoryEvent): Promise<RunEvent[]>;
}

/** A tool call over all its schedules. */
interface TracedCall {
  call: string;
  action: AgentAction;
  attempts: number;
  durationMs: number;
  open: boolean;
}

/** An activity between its schedule and its end. */
interface Pending {
  name: string;
  id: string;
  call: string;
  n: number;
  atMs: number;
  attempts: number;
}

export function createTrace(client: Client, id: string): Trace {
  const calls = new Map<string, TracedCall>();
  const pending = new Map<string, Pending>();
  const accepted = new Map<string, unknown>();
  const manifests = new Map<number, AgentManifest>();
  const cancelled = new Map<string, string | undefined>();
  let runId = '';

  return { next };

  async function next(event: HistoryEvent): Promise<RunEvent[]> {
    const at = event.eventTime ? tsToMs(event.eventTime) : 0;
    const emitted = await read(event, at);
    return emitted.map((item) => ({ ...item, at }));
  }

  async function read(event: HistoryEvent, at: number): Promise<Emitted[]> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      runId = started.originalExecutionRunId ?? '';
      return begin((await decodeFirst(client, started.input)) as Lineage); // agentRun's one argument
    }
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const name = scheduled.activityType?.name ?? '';
      return schedule(
        String(event.eventId),
        name,
        scheduled.activityId ?? '',
        await decodeFirst(client, scheduled.input),
        at,
      );
    }
    const begun = event.activityTaskStartedEventAttributes;
    if (begun) {
      const task = pending.get(String(begun.scheduledEventId));
      if (task) task.attempts = begun.attempt ?? 1;
      return [];
    }
    return (await readEnd(event, at)) ?? (await readUpdate(event)) ?? (await readRunEnd(event));
  }

  function begin(lineage: Lineage | undefined): Emitted[] {
    if (lineage?.manifest !== undefined) manifests.set(0, lineage.manifest);
    if (lineage?.from !== undefined && lineage.question === undefined && calls.size > 0) {
      return [{ type: 'continued', runId }];
    }
    const agent = lineage?.agent ?? '';
    return [{ type: 'run_started', id, runId, agent, input: lineage?.question?.input ?? '' }];
  }

  function schedule(
    eventId: string,
    name: string,
    activity: string,
    input: unknown,
    atMs: number,
  ): Emitted[] {
    const parsed = parseActivityId(activity);
    if (parsed === undefined) return [];
    const { scope, n } = parsed;
    const call = scope === 0 ? parsed.call : `${scope}/${parsed.call}`;
    pending.set(eventId, { name, id: activity, call, n, atMs, attempts: 0 });
    if (name === 'resolveAgent') return [];
    if (name === 'callModel') return [{ type: 'model_started', call }];
    const toolInput = input as Json; // a tool activity's one argument
    const known = calls.get(call);
    if (known) known.action = { ...known.action, toolInput };
    return [{ type: 'tool_started', call, tool: name, toolInput }];
  }

  /** An activity has come to an end of some kind. */
  async function readEnd(event: HistoryEvent, at: number): Promise<Emitted[] | undefined> {
    const end =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (!end) return undefined;
    const task = pending.get(String(end.scheduledEventId));
    if (task === undefined) return [];
    pending.delete(String(end.scheduledEventId));
    const durationMs = at - task.atMs;
    const call = calls.get(task.call);
    if (call && task.name !== 'callModel') {
      call.attempts += task.attempts;
      call.durationMs += durationMs;
    }
    if (event.activityTaskCompletedEventAttributes) {
      const result = await decodeFirst(client, event.activityTaskCompletedEventAttributes.result);
      return completed(task, result, durationMs);
    }
    if (event.activityTaskCanceledEventAttributes) {
      return cancelled.has(task.call) ? step(task.call, cancelledTool(cancelled.get(task.call))) : [];
    }
    const failure = 'failure' in end ? await decodeFailure(client, end.failure) : undefined;
    return failed(task, readFailure(failure).error);
  }

  function completed(task: Pending, result: unknown, durationMs: number): Emitted[] {
    if (task.name === 'resolveAgent') {
      const { manifest } = result as ResolvedAgent; // written by resolveAgent
      manifests.set(scopeOf(task.call), manifest);
      return [];
    }
    if (task.name === 'callModel') return replied(task, result as ModelTurn, durationMs); // written by callModel
    return step(task.call, (result as ToolResult).output); // written by the tool's activity
  }

  function replied(task: Pending, turn: ModelTurn, durationMs: number): Emitted[] {
    const ended: Emitted = {
      type: 'model_ended',
      call: task.call,
      turn,
      attempts: task.attempts,
      durationMs,
    };
    if (turn.decision.type !== 'act') return [ended];
    const actions = turn.decision.actions.flatMap(
      ({ tool, toolInput, log = turn.text, observation }, index) => {
        const call = `${task.call}.${index + 1}`;
        const action = { tool, toolInput, log };
        calls.set(call, { call, action, attempts: 0, durationMs: 0, open: true });
        const planned: Emitted[] = [{ type: 'action', call, action }];
        return observation === undefined ? planned : [...planned, ...step(call, observation)];
      },
    );
    return [ended, ...actions];
  }

  function failed(task: Pending, error: { type: string; message: string }): Emitted[] {
    if (task.name === 'resolveAgent') return [];
    if (task.name === 'callModel') {
      return [{ type: 'model_failed', call: task.call, error, attempts: task.attempts }];
    }
    const { call, n } = task;
    const tool = manifests.get(scopeOf(call))?.tools.find(({ name }) => name === task.name);
    const failure: Emitted = { type: 'tool_failed', call, error, attempts: task.attempts };
    if (tool?.onFailure === 'observe') return [failure, ...step(call, failedTool(task.name, error))];
    if (tool?.onFailure === 'fail') return [failure];
    const toolInput = calls.get(call)?.action.toolInput ?? null;
    return [
      failure,
      { type: 'waiting', park: { call, n, tool: task.name, toolInput, reason: 'failed', error } },
    ];
  }

  /** A decision is known when its update has completed: then the run has said which call it was for. */
  async function readUpdate(event: HistoryEvent): Promise<Emitted[] | undefined> {
    const accept = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (accept) {
      accepted.set(String(event.eventId), await decodeFirst(client, accept.acceptedRequest?.input?.args));
      return [];
    }
    const complete = event.workflowExecutionUpdateCompletedEventAttributes;
    if (!complete) return undefined;
    const receipt = (await decodeFirst(client, complete.outcome?.success)) as DecisionReceipt | undefined;
    return receipt === undefined ? [] : decided(receipt, accepted.get(String(complete.acceptedEventId)));
  }

  function decided({ call, decision: type }: DecisionReceipt, sent: unknown): Emitted[] {
    const data: DecisionData = sent !== null && typeof sent === 'object' ? sent : {};
    const decision = decisionOf(type, data);
    const event: Emitted = { type: 'decided', call, decision };
    switch (decision.type) {
      case 'resolve':
        return [event, ...step(call, decision.output)];
      case 'skip':
        return [event, ...step(call, skippedTool(decision.reason))];
      case 'cancelCall':
        cancelled.set(call, decision.reason);
        return [event];
      case 'retry':
      case 'abort':
        return [event];
    }
  }

  function step(call: string, observation: Json): Emitted[] {
    const traced = calls.get(call);
    if (traced === undefined || !traced.open) return [];
    traced.open = false;
    const { action, attempts, durationMs } = traced;
    const result: RunStep = { call, action, observation, attempts, durationMs };
    return [{ type: 'step', step: result }];
  }

  async function readRunEnd(event: HistoryEvent): Promise<Emitted[]> {
    const completion = event.workflowExecutionCompletedEventAttributes;
    if (completion) {
      const { output, stopReason, iterations, usage } = (await decodeFirst(
        client,
        completion.result,
      )) as RunResult; // agentRun's result
      const status =
        stopReason === 'final_answer' || stopReason === 'return_direct' ? 'completed' : 'stopped';
      return [{ type: 'run_ended', status, stopReason, output, iterations, usage, error: null }];
    }
    const unfinished = { output: null, iterations: null, usage: null };
    const failure = event.workflowExecutionFailedEventAttributes;
    if (failure) {
      const { error } = readFailure(await decodeFailure(client, failure.failure));
      return [{ type: 'run_ended', status: 'failed', stopReason: 'error', ...unfinished, error }];
    }
    if (event.workflowExecutionCanceledEventAttributes) {
      return [
        { type: 'run_ended', status: 'cancelled', stopReason: 'cancelled', ...unfinished, error: null },
      ];
    }
    const killed = event.workflowExecutionTerminatedEventAttributes;
    if (killed) {
      const error = { type: 'Terminated', message: killed.reason || 'The run was terminated.' };
      return [{ type: 'run_ended', status: 'failed', stopReason: 'error', ...unfinished, error }];
    }
    if (event.workflowExecutionTimedOutEventAttributes) {
      const error = { type: 'Timeout', message: 'The workflow execution timed out.' };
      return [{ type: 'run_ended', status: 'failed', stopReason: 'error', ...unfinished, error }];
    }
    return [];
  }
}

/** A run event without its time; distributes over the union. */
type Emitted = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;

function decisionOf(
  type: OperatorDecision['type'],
  { input, output, reason }: DecisionData,
): OperatorDecision {
  switch (type) {
    case 'retry':
      return input === undefined ? { type } : { type, input };
    case 'resolve':
      return { type, output: output ?? null };
    case 'skip':
    case 'cancelCall':
    case 'abort':
      return reason === undefined ? { type } : { type, reason };
  }
}

function scopeOf(call: string): number {
  return call.includes('/') ? Number(call.slice(0, call.indexOf('/'))) : 0;
}
