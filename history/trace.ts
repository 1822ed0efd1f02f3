import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import {
  type CallModelInput,
  type ModelTurn,
  type ResolvedAgent,
  type ToolResult,
  parseActivityId,
} from '../agent/calls.ts';
import type { OperatorDecision, RunEvent, RunStep } from '../agent/events.ts';
import type { AgentManifest, ToolManifest } from '../agent/manifest.ts';
import { CUT_CALL, cancelledTool, failedTool, skippedTool } from '../agent/observations.ts';
import { delegatedOutput, externalOutput } from '../agent/output.ts';
import { statusOf } from '../agent/status.ts';
import {
  type ErrorInfo,
  type AgentAction,
  EXCEPTION_TOOL,
  type Json,
  type Usage,
} from '../agent/vocabulary.ts';
import type { Lineage, RunResult } from '../workflows/messages.ts';
import { type Fact, createFactReader } from './facts.ts';
import type { HistoryEvent } from './pages.ts';

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

/** An activity or a sub-agent's run between its schedule and its end. */
interface Pending {
  name: string;
  call: string;
  n: number;
  atMs: number;
  attempts: number;
  closing: boolean;
}

export function createTrace(client: Client, id: string): Trace {
  const readFact = createFactReader(client, id);
  const calls = new Map<string, TracedCall>();
  const pending = new Map<string, Pending>();
  const manifests = new Map<number, AgentManifest>();
  const cancelled = new Map<string, string | undefined>();
  const childParks = new Map<string, string[]>();
  /** Timers under way; false once a person has been waited for meanwhile, which puts the time limit off. */
  const timers = new Map<string, boolean>();
  let runId = '';
  let lastLog = '';
  /** The time limit has been reached; the run as a whole is being cancelled. */
  let overdue = false;
  let ending = false;

  return {
    async next(event) {
      const fact = await readFact(event);
      if (fact === undefined) return [];
      const at = event.eventTime ? tsToMs(event.eventTime) : 0;
      return read(fact, at).map((item) => ({ ...item, at }));
    },
  };

  function read(fact: Fact, at: number): Emitted[] {
    switch (fact.type) {
      case 'started':
        runId = fact.runId;
        return begin(fact.lineage);
      case 'scheduled':
        return schedule(fact, at);
      case 'begun': {
        const task = pending.get(fact.key);
        if (task) task.attempts = fact.attempt;
        return [];
      }
      case 'succeeded':
      case 'failed':
      case 'cancelled':
        return ended(fact, at);
      case 'timer_started':
        timers.set(fact.timer, true);
        return [];
      case 'timer_fired':
        overdue ||= timers.get(fact.timer) === true;
        return [];
      case 'cancel_requested':
        ending = true;
        return [];
      case 'child_waiting':
        return childWaiting(fact.waiting);
      case 'decided':
        return decided(fact.call, fact.decision);
      case 'run_succeeded':
        return succeeded(fact.result);
      case 'run_failed':
        return [unfinished('failed', fact.error)];
      case 'run_cancelled':
        return [unfinished('cancelled', null)];
    }
  }

  function begin(lineage: Lineage | undefined): Emitted[] {
    if (lineage?.manifest !== undefined) manifests.set(0, lineage.manifest);
    overdue = false;
    if (lineage?.from !== undefined && lineage.question === undefined && calls.size > 0) {
      return [{ type: 'continued', runId }];
    }
    const agent = lineage?.agent ?? '';
    return [{ type: 'run_started', id, runId, agent, input: lineage?.question?.input ?? '' }];
  }

  function schedule(fact: Extract<Fact, { type: 'scheduled' }>, atMs: number): Emitted[] {
    const parsed = parseActivityId(fact.id);
    if (parsed === undefined) return [];
    const { scope, n } = parsed;
    const call = scope === 0 ? parsed.call : `${scope}/${parsed.call}`;
    const known = calls.get(call);
    const name = fact.name ?? known?.action.tool ?? '';
    const closing = name === 'callModel' && (fact.input as CallModelInput).closing === true; // written by plan()
    pending.set(fact.key, { name, call, n, atMs, attempts: 0, closing });
    if (name === 'resolveAgent') return [];
    if (name === 'callModel') return [{ type: 'model_started', call }];
    const toolInput = fact.input as Json; // a tool activity's one argument
    if (known) known.action = { ...known.action, toolInput };
    return [{ type: 'tool_started', call, tool: name, toolInput }];
  }

  /** An activity or a sub-agent's run has come to an end of some kind. */
  function ended(fact: Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>, at: number): Emitted[] {
    const task = pending.get(fact.key);
    if (task === undefined) return [];
    // Our own activities are waited for when they are cancelled.
    const tool = toolOf(task);
    if (fact.type === 'cancelled' && fact.requested && tool?.external !== true) return [];
    pending.delete(fact.key);
    const durationMs = at - task.atMs;
    const call = calls.get(task.call);
    if (call) {
      call.attempts += task.attempts;
      call.durationMs += durationMs;
    }
    switch (fact.type) {
      case 'succeeded':
        return completed(task, fact.result, durationMs);
      case 'failed':
        return failed(task, fact.error);
      case 'cancelled':
        return wasCancelled(task);
    }
  }

  function completed(task: Pending, result: unknown, durationMs: number): Emitted[] {
    if (task.name === 'resolveAgent') {
      manifests.set(scopeOf(task.call), (result as ResolvedAgent).manifest); // written by resolveAgent
      return [];
    }
    if (task.name === 'callModel') return replied(task, result as ModelTurn, durationMs); // written by callModel
    const tool = toolOf(task);
    if (tool?.agent !== undefined) {
      return step(task.call, delegatedOutput((result as RunResult).output)); // agentRun's
    }
    if (tool?.external === true) {
      return step(task.call, externalOutput(result, tool.maxOutputChars).output);
    }
    return step(task.call, (result as ToolResult).output); // written by the tool's activity
  }

  function replied(task: Pending, turn: ModelTurn, durationMs: number): Emitted[] {
    const { call, attempts, closing } = task;
    const reply: Emitted = {
      type: 'model_ended',
      call,
      turn,
      attempts,
      durationMs,
      ...(closing ? { closing } : {}),
    };
    const { decision } = turn;
    if (decision.type === 'finish') lastLog = decision.log ?? turn.text;
    if (decision.type !== 'act') return [reply];
    const known = manifests.get(scopeOf(call))?.tools ?? [];
    const actions = decision.actions.flatMap(({ tool, toolInput, log = turn.text, observation }, index) => {
      const toolCall = `${call}.${index + 1}`;
      const action = { tool, toolInput, log };
      calls.set(toolCall, { call: toolCall, action, attempts: 0, durationMs: 0, open: true });
      const planned: Emitted[] = [{ type: 'action', call: toolCall, action }];
      if (observation === undefined) return planned;
      const isKnown = tool === EXCEPTION_TOOL || known.some(({ name }) => name === tool);
      const named = isKnown ? tool : 'invalid_tool';
      return [
        ...planned,
        { type: 'tool_started', call: toolCall, tool: named, toolInput } as const,
        ...step(toolCall, observation),
      ];
    });
    return [reply, ...actions];
  }

  function failed(task: Pending, error: ErrorInfo): Emitted[] {
    if (task.name === 'resolveAgent') return [];
    const { call, n, name, attempts } = task;
    if (name === 'callModel') return [{ type: 'model_failed', call, error, attempts }];
    const tool = toolOf(task);
    if (tool?.external === true && error.type === 'ToolError') return step(call, error.message);
    const failure: Emitted = { type: 'tool_failed', call, error, attempts };
    if (tool?.onFailure === 'fail') return [failure];
    if (tool?.onFailure === 'observe' || overdue) return [failure, ...step(call, failedTool(name, error))];
    const toolInput = calls.get(call)?.action.toolInput ?? null;
    waits();
    return [failure, { type: 'waiting', park: { call, n, tool: name, toolInput, reason: 'failed', error } }];
  }

  function wasCancelled({ call, name }: Pending): Emitted[] {
    if (name === 'callModel' || name === 'resolveAgent') return [];
    if (cancelled.has(call)) return step(call, cancelledTool(cancelled.get(call)));
    if (ending) return [];
    return step(call, overdue ? CUT_CALL : cancelledTool(undefined));
  }

  function decided(call: string, decision: OperatorDecision): Emitted[] {
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

  /** The signal says all that waits in a sub-agent now. */
  function childWaiting({ caller, parks }: Extract<Fact, { type: 'child_waiting' }>['waiting']): Emitted[] {
    const before = childParks.get(caller) ?? [];
    if (parks.length > 0) waits();
    const now = parks.map((park) => ({ ...park, call: `${caller}/${park.call}` }));
    childParks.set(
      caller,
      now.map(({ call }) => call),
    );
    const over = before.filter((call) => now.every((park) => park.call !== call));
    return [
      ...over.map((call) => ({ type: 'resumed', call }) as const),
      ...now.filter(({ call }) => !before.includes(call)).map((park) => ({ type: 'waiting', park }) as const),
    ];
  }

  function waits(): void {
    for (const timer of timers.keys()) timers.set(timer, false);
  }

  function step(call: string, observation: Json): Emitted[] {
    const traced = calls.get(call);
    if (traced === undefined || !traced.open) return [];
    traced.open = false;
    const { action, attempts, durationMs } = traced;
    const result: RunStep = { call, action, observation, attempts, durationMs };
    return [{ type: 'step', step: result }];
  }

  function succeeded({ output, stopReason, iterations, usage }: RunResult): Emitted[] {
    return [
      { type: 'finish', output, log: stopReason === 'final_answer' ? lastLog : '' },
      { type: 'run_ended', status: statusOf(stopReason), stopReason, output, iterations, usage, error: null },
    ];
  }

  function toolOf({ name, call }: Pending): ToolManifest | undefined {
    return manifests.get(scopeOf(call))?.tools.find((tool) => tool.name === name);
  }
}

/** A run event without its time; distributes over the union. */
type Emitted = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;

function unfinished(status: 'failed' | 'cancelled', error: ErrorInfo | null): Emitted {
  const stopReason = status === 'failed' ? 'error' : 'cancelled';
  const nothing: { output: Json; iterations: number | null; usage: Usage | null } = {
    output: null,
    iterations: null,
    usage: null,
  };
  return { type: 'run_ended', status, stopReason, ...nothing, error };
}

function scopeOf(call: string): number {
  return call.includes('/') ? Number(call.slice(0, call.indexOf('/'))) : 0;
}
