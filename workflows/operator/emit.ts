import { type Sinks, log as workflowLog, proxySinks, workflowInfo } from '@temporalio/workflow';
import type { RunEvent, TimelessEvent } from '../../agent/run/events.ts';
import { qualifyMediaRefs } from '../../agent/start/media-refs.ts';
import type { Counters } from '../../agent/limits/counters.ts';
import {
  type WaitingCall,
  calledText,
  possibleUpdates,
  reasonText,
  stateOf,
} from '../../agent/rules/waiting.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';
import { type RunSpan, isWithin } from '../../agent/views/run-spans.ts';
import { restartedEvent } from '../../agent/calls/restart.ts';
import { boundedText } from '../../agent/values/values.ts';
import type { Inbox } from './inbox.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** An event of a run, and what telemetry makes of it. */
export interface ToldEvent {
  /** Number of the event in its execution. */
  n: number;
  /** The same for the same event of a workflow task that is done again. */
  key: string;
  /** Absent where the config has no `onEvent`. */
  event?: RunEvent;
  /** The run or the calls that are over with it, for the worker's telemetry. */
  spans: RunSpan[];
  /** The wait of one of the agent's own calls that starts with it. */
  wait?: { agent: string; reason: WaitingReason };
}

/** Sink for run events, for the `onEvent` of a worker's config and for telemetry. Events do not arrive on replay. */
export interface ReloopSinks extends Sinks {
  reloop: { told(event: ToldEvent): void };
}

const { reloop } = proxySinks<ReloopSinks>();

export type Emit = (event: TimelessEvent) => void;

/**
 * Emits events to the worker's `onEvent`, spans to its telemetry, and events to the workflow's own `onEvent`. undefined: the config had
 * neither of the first two when the run started, and the workflow has none, so no event is made.
 */
export function emitter(
  listened: boolean,
  agent: string,
  trace: TraceFold | undefined,
  onEvent?: Emit,
): Emit | undefined {
  if (!listened && trace === undefined) return onEvent;
  let emitted = 0;
  return (timeless) => {
    onEvent?.(timeless);
    const n = emitted++;
    const event = { ...timeless, at: Date.now() };
    const spans = trace?.spansOf(event) ?? [];
    const starts = trace !== undefined && event.type === 'waiting' && !isWithin(event.wait.call);
    if (!listened && spans.length === 0 && !starts) return;
    reloop.told({
      n,
      key: `${event.type} ${callOf(event)}`,
      ...(listened && { event }),
      spans,
      ...(starts && { wait: { agent, reason: event.wait.reason } }),
    });
  };
}

function callOf(event: RunEvent): string {
  if (event.type === 'step') return event.step.call;
  if (event.type === 'waiting') return `${event.wait.call} ${event.wait.n}`;
  return 'call' in event ? event.call : '';
}

interface TraceFold {
  spansOf(event: RunEvent): RunSpan[];
}

/** Logs a wait in the worker's log, with the command that ends it. The worker adds the run's id. */
export function logWaiting(waiting: WaitingCall): void {
  const { call, reason, error, until } = waiting;
  const why = error === undefined ? '' : `: ${boundedText(error.message, 200).replace(/\.$/u, '')}`;
  const [first = ''] = possibleUpdates(stateOf(waiting));
  const which = reason === 'limit' ? '' : ` ${call}`;
  const what = `${calledText(waiting)} ${reasonText(waiting)}`;
  const text =
    until === undefined
      ? `waits for you: ${what}${why}`
      : `${what}: the tool is asked at ${new Date(until).toISOString()} whether it took effect, or now if you know that it is dead`;
  // The worker's logger writes the command with this machine's name for `reloop`.
  workflowLog.warn(text, {
    waiting: call,
    command: `reloop ${first} ${workflowInfo().workflowId}${which}`,
  });
}

/** Logs the end of a wait. `outcome`: the decision, or another reason for the end. */
export function logResumed(waiting: WaitingCall, outcome: string): void {
  const text = `no longer waits for you: ${calledText(waiting)}: ${outcome}`;
  workflowLog.debug(text, { resumed: waiting.call });
}

export function emitStart(emit: Emit | undefined, { agent, question, by }: AgentRunInput): void {
  const { workflowId, runId } = workflowInfo();
  const input = qualifyMediaRefs(question?.input ?? '', { workflowId, runId });
  emit?.({ type: 'run_started', id: workflowId, runId, agent, input, ...(by !== undefined && { by }) });
}

/** Emits the restart of a run, with the messages that it carries again. Continue-as-new emits nothing. */
export function emitRestart(
  emit: Emit | undefined,
  { pending, restart, said = [] }: AgentRunInput,
  counters: Counters,
): void {
  if (emit === undefined || restart === undefined) return;
  const { workflowId: id, runId } = workflowInfo();
  emit(restartedEvent({ id, runId }, restart, pending, counters));
  for (const text of said) emit({ type: 'steered', message: { type: 'say', text } });
}

/** Emits the end of a run, and before it the messages that no model call carried. */
export function emitEnd(emit: Emit | undefined, inbox: Inbox, end: readonly TimelessEvent[]): void {
  if (!inbox.isEmpty) emit?.({ type: 'unheard', messages: inbox.take() });
  for (const event of end) emit?.(event);
}
