import { type ModelTurn, parseActivityId } from '../agent/calls.ts';
import type { ErrorInfo, RunEvent, RunStep } from '../agent/events.ts';
import type { AgentManifest, ToolManifest } from '../agent/manifest.ts';
import { CUT_CALL, cancelledTool, failedTool, skippedTool } from '../agent/observations.ts';
import { delegatedOutput, externalOutput } from '../agent/output.ts';
import { type AgentAction, EXCEPTION_TOOL, type Json } from '../agent/vocabulary.ts';
import { type ChildWaiting, childWaitingSignal } from '../workflows/messages.ts';
import { type Emitted, finished, unfinished } from './emitted.ts';
import type { Fact } from './facts.ts';
import {
  asCallModelInput,
  asChildWaiting,
  asModelTurn,
  asDecision,
  asResolvedAgent,
  asRunInput,
  asRunResult,
  asToolResult,
} from './records.ts';

/** Turns the facts of a history into run events, one by one. Nothing but history is read: no worker need be alive. */
export interface Trace {
  next(fact: Fact): Promise<RunEvent[]>;
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

export function createTrace(id: string): Trace {
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
    async next(fact) {
      return (await read(fact)).map((item) => ({ ...item, at: fact.at }));
    },
  };

  async function read(fact: Fact): Promise<Emitted[]> {
    switch (fact.type) {
      case 'started':
        runId = fact.runId;
        return begin(await fact.input());
      case 'scheduled':
        return schedule(fact);
      case 'begun': {
        const task = pending.get(fact.key);
        if (task) task.attempts = fact.attempt;
        return [];
      }
      case 'succeeded':
      case 'failed':
      case 'cancelled':
        return ended(fact);
      case 'timer_started':
        timers.set(fact.timer, true);
        return [];
      case 'timer_fired':
        overdue ||= timers.get(fact.timer) === true;
        return [];
      case 'cancel_requested':
        ending = true;
        return [];
      case 'signaled':
        return fact.name === childWaitingSignal.name ? childWaiting(asChildWaiting(await fact.input())) : [];
      case 'update_completed':
        // What was decided is known by then: the run has said which call it was for.
        return decided(asDecision(await fact.result?.(), await fact.input?.()));
      case 'run_succeeded':
        return finished(await fact.result(), lastLog);
      case 'run_failed':
        return [unfinished('failed', await fact.error())];
      case 'run_cancelled':
        return [unfinished('cancelled', null)];
      default:
        return [];
    }
  }

  function begin(input: unknown): Emitted[] {
    const lineage = asRunInput(input);
    if (lineage?.manifest !== undefined) manifests.set(0, lineage.manifest);
    overdue = false;
    if (lineage?.from !== undefined && lineage.question === undefined && calls.size > 0) {
      return [{ type: 'continued', runId }];
    }
    const agent = lineage?.agent ?? '';
    return [{ type: 'run_started', id, runId, agent, input: lineage?.question?.input ?? '' }];
  }

  async function schedule(fact: Extract<Fact, { type: 'scheduled' }>): Promise<Emitted[]> {
    const isChild = fact.of === 'child';
    // A sub-agent's run is called as the parent's, a slash, and the call.
    if (isChild && !fact.workId.startsWith(`${id}/`)) return [];
    const parsed = parseActivityId(isChild ? fact.workId.slice(id.length + 1) : fact.workId);
    if (parsed === undefined) return [];
    const { scope, n } = parsed;
    const call = scope === 0 ? parsed.call : `${scope}/${parsed.call}`;
    const known = calls.get(call);
    const name = isChild ? (known?.action.tool ?? '') : fact.name;
    const input = await fact.input();
    const closing = name === 'callModel' && asCallModelInput(input)?.closing === true;
    pending.set(fact.key, { name, call, n, atMs: fact.at, attempts: 0, closing });
    if (name === 'resolveAgent') return [];
    if (name === 'callModel') return [{ type: 'model_started', call }];
    // What a tool activity and a sub-agent are given: one argument, the input; and a run's own input.
    const toolInput = (isChild ? (asRunInput(input)?.question?.input ?? null) : (input ?? null)) as Json;
    if (known) known.action = { ...known.action, toolInput };
    return [{ type: 'tool_started', call, tool: name, toolInput }];
  }

  /** An activity or a sub-agent's run has come to an end of some kind. */
  async function ended(
    fact: Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>,
  ): Promise<Emitted[]> {
    const task = pending.get(fact.key);
    if (task === undefined) return [];
    // Our own activities are waited for when they are cancelled.
    const tool = toolOf(task);
    if (fact.type === 'cancelled' && fact.requested && tool?.external !== true) return [];
    pending.delete(fact.key);
    const durationMs = fact.at - task.atMs;
    const call = calls.get(task.call);
    if (call) {
      call.attempts += task.attempts;
      call.durationMs += durationMs;
    }
    switch (fact.type) {
      case 'succeeded':
        return completed(task, await fact.result(), durationMs);
      case 'failed':
        return failed(task, await fact.error());
      case 'cancelled':
        return wasCancelled(task);
    }
  }

  function completed(task: Pending, result: unknown, durationMs: number): Emitted[] {
    if (task.name === 'resolveAgent') {
      const resolved = asResolvedAgent(result);
      if (resolved !== undefined) manifests.set(scopeOf(task.call), resolved.manifest);
      return [];
    }
    if (task.name === 'callModel') {
      const turn = asModelTurn(result);
      return turn === undefined ? [] : replied(task, turn, durationMs);
    }
    const tool = toolOf(task);
    if (tool?.agent !== undefined) {
      return step(task.call, delegatedOutput(asRunResult(result)?.output ?? null));
    }
    if (tool?.external === true) {
      return step(task.call, externalOutput(result, tool.maxOutputChars).output);
    }
    return step(task.call, asToolResult(result)?.output ?? null);
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

  function decided(made: ReturnType<typeof asDecision>): Emitted[] {
    if (made === undefined) return [];
    const { call, decision } = made;
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
  function childWaiting(waiting: ChildWaiting | undefined): Emitted[] {
    if (waiting === undefined) return [];
    const { caller, parks } = waiting;
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

  function toolOf({ name, call }: Pending): ToolManifest | undefined {
    return manifests.get(scopeOf(call))?.tools.find((tool) => tool.name === name);
  }
}

function scopeOf(call: string): number {
  return call.includes('/') ? Number(call.slice(0, call.indexOf('/'))) : 0;
}
