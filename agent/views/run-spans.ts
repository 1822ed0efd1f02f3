import type { ModelTurn } from '../calls/calls.ts';
import { isDropped } from '../calls/restart.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { Content } from '../values/content.ts';
import type { TraceContext } from '../values/trace-context.ts';
import {
  type AgentAction,
  EXCEPTION_TOOL,
  type ErrorInfo,
  type Json,
  type Usage,
} from '../values/vocabulary.ts';
import type { RunEvent } from '../run/events.ts';

/** A run, or one of its calls, that is over: the facts of an OpenTelemetry span. Plain data: the workflow sends it to its worker. */
export type RunSpan = SpanPlace &
  SpanAgent & {
    startMs: number;
    endMs: number;
    /** Type of the error that ended it: a failure, or `cancelled`. */
    error?: ErrorInfo | undefined;
    marks: SpanMark[];
  } & SpanFacts;

/** Ids of a span in its trace. */
export interface SpanPlace {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  /** false: only metrics count it. */
  sampled: boolean;
}

/** A run's name and agent, as each of its spans shows them. */
export interface SpanAgent extends Pick<AgentManifest, 'name' | 'adapter' | 'model' | 'params' | 'stop'> {
  workflowId: string;
  /** Temporal's id of the first execution. */
  runId: string;
  session?: string | undefined;
}

type SpanFacts =
  | { type: 'model'; call: string; attempts: number; turn?: ModelTurn | undefined }
  | {
      type: 'tool';
      call: string;
      attempts: number;
      action: AgentAction;
      toolDescription?: string | undefined;
      observation?: Json | undefined;
    }
  | {
      type: 'run';
      input?: Content | undefined;
      status: string;
      stopReason: string | null;
      output: Json;
      usage: Usage | null;
    };

/** Mark in the span of a call: a wait, a decision, a failure of all attempts. */
export interface SpanMark {
  at: number;
  name: 'waiting' | 'decided' | 'resumed' | 'unanswered' | 'failed' | 'reconciled';
  /** Reason of a wait, name of a decision, type of an error. */
  detail?: string | undefined;
}

export interface SpanRun {
  /** The run's agent; later the one that took the run over. */
  agent(): SpanAgent;
  trace: TraceContext;
  /** Id of the run's own span. */
  spanId: string;
  startMs: number;
  /** Description of a tool of the run's agent. */
  toolDescription(tool: string): string | undefined;
  /** Id of the span of a call that starts now. */
  callId(call: string): string;
}

interface OpenSpan {
  spanId: string;
  startMs: number;
  marks: SpanMark[];
  action: AgentAction | undefined;
  failed: { error: ErrorInfo; attempts: number } | undefined;
}

/**
 * Folds a run's events into spans: returns those that end with an event. It depends on the events alone, so that a replay makes the same
 * spans.
 */
export function spanFold({
  agent,
  trace,
  spanId,
  startMs,
  toolDescription,
  callId,
}: SpanRun): (event: RunEvent) => RunSpan[] {
  const open = new Map<string, OpenSpan>();
  const { traceId, sampled } = trace;
  const runMarks: SpanMark[] = [];
  let input: Content | undefined;

  function opened(call: string, at: number): OpenSpan {
    const known = open.get(call);
    if (known !== undefined) return known;
    const span = { spanId: callId(call), startMs: at, marks: [], action: undefined, failed: undefined };
    open.set(call, span);
    return span;
  }

  /** A wait at a limit comes before its model call, and belongs to the run. */
  function mark(call: string, at: number, name: SpanMark['name'], detail?: string): void {
    if (!isWithin(call)) (open.get(call)?.marks ?? runMarks).push({ at, name, detail });
  }

  function setFailed({
    call,
    at,
    error,
    attempts,
  }: RunEvent & { type: 'model_failed' | 'tool_failed' }): void {
    mark(call, at, 'failed', error.type);
    opened(call, at).failed = { error, attempts };
  }

  function close(call: string, endMs: number, facts: SpanFacts, error?: ErrorInfo): RunSpan {
    const { spanId: own, startMs: from, marks } = opened(call, endMs);
    open.delete(call);
    return {
      ...agent(),
      traceId,
      sampled,
      spanId: own,
      parentId: spanId,
      startMs: from,
      endMs,
      marks,
      error,
      ...facts,
    };
  }

  /** Ends the calls that have no recorded end. */
  function closeAll(at: number, error: ErrorInfo, isOver = (_call: string) => true): RunSpan[] {
    const over = [...open].filter(([call]) => isOver(call));
    return over.map(([call, { action, failed }]) => {
      const attempts = failed?.attempts ?? 0;
      const facts: SpanFacts =
        action === undefined
          ? { type: 'model', call, attempts }
          : { type: 'tool', call, attempts, action, toolDescription: toolDescription(action.tool) };
      return close(call, at, facts, failed?.error ?? error);
    });
  }

  return (event) => {
    const { at } = event;
    switch (event.type) {
      case 'run_started':
        ({ input } = event);
        return [];
      case 'model_started':
        opened(event.call, at);
        return [];
      case 'action':
        if (event.action.tool !== EXCEPTION_TOOL) opened(event.call, at).action = event.action;
        return [];
      case 'tool_started': {
        // The event of a tool that does not exist has another name, after its action.
        const span = opened(event.call, at);
        span.action = { tool: event.tool, log: '', ...span.action, toolInput: event.toolInput };
        return [];
      }
      case 'waiting': {
        const { call, reason, tool, toolInput } = event.wait;
        if (call.includes('.') && !isWithin(call)) opened(call, at).action ??= { tool, toolInput, log: '' };
        mark(call, at, 'waiting', reason);
        return [];
      }
      case 'decided':
        mark(event.call, at, 'decided', event.decision.type);
        return [];
      case 'resumed':
      case 'unanswered':
        mark(event.call, at, event.type);
        return [];
      case 'reconciled':
        mark(event.call, at, 'reconciled', event.found);
        return [];
      case 'model_failed':
      case 'tool_failed':
        setFailed(event);
        return [];
      case 'model_ended': {
        const { call, turn, attempts } = event;
        return [close(call, at, { type: 'model', call, attempts, turn })];
      }
      case 'step': {
        const { call, action, observation, attempts } = event.step;
        if (action.tool === EXCEPTION_TOOL) {
          open.delete(call);
          return [];
        }
        const about = toolDescription(action.tool);
        return [
          close(call, at, { type: 'tool', call, attempts, action, toolDescription: about, observation }),
        ];
      }
      case 'restarted':
        return closeAll(
          at,
          { type: 'rewound', message: `The run was rewound to step ${event.step}` },
          (call) => isDropped(call, event),
        );
      case 'run_ended': {
        const { status, stopReason, output, usage, error } = event;
        const ending = error ?? { type: status, message: 'The run ended before the call' };
        const run: SpanFacts = { type: 'run', input, status, stopReason, output, usage };
        const runError =
          error ?? (status === 'cancelled' ? { type: status, message: 'The run was cancelled' } : undefined);
        const own = {
          traceId,
          sampled,
          spanId,
          parentId: trace.spanId,
          startMs,
          endMs: at,
          marks: runMarks,
          error: runError,
        };
        return [...closeAll(at, ending), { ...agent(), ...own, ...run }];
      }
      default:
        return [];
    }
  };
}

/** A sub-agent's call has its parent's before it: `3.1/2`. */
export function isWithin(call: string): boolean {
  return call.slice(0, Math.max(0, call.lastIndexOf('/'))).includes('.');
}
