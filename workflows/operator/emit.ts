import { type Sinks, log as workflowLog, proxySinks, workflowInfo } from '@temporalio/workflow';
import type { RunEvent, TimelessEvent } from '../../agent/run/events.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import type { Counters } from '../../agent/limits/counters.ts';
import { type WaitingCall, possibleUpdates, reasonText, stateOf } from '../../agent/rules/waiting.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';
import { type RunSpan, isWithin } from '../../agent/run/run-spans.ts';
import { restartedEvent } from '../../agent/run/transcript-edits.ts';
import { boundedText } from '../../agent/values/values.ts';
import type { Inbox } from './inbox.ts';
import type { AgentRunInput } from '../messages.ts';

/** Sink for run events, for the `onEvent` of a worker's config. Each event arrives once, and not on replay. */
export interface ReloopSinks extends Sinks {
  reloop: {
    event(event: RunEvent): void;
    /** A run or a call that is over, for the worker's telemetry. */
    span(span: RunSpan): void;
    /** A call of the agent begins a wait, for the worker's telemetry. */
    wait(wait: { agent: string; reason: WaitingReason }): void;
  };
}

const { reloop } = proxySinks<ReloopSinks>();

export type Emit = (event: TimelessEvent) => void;

/**
 * Emits events to the worker's `onEvent`, and spans to its telemetry. undefined: the config had neither when the run started, so no event is
 * made.
 */
export function emitter(listened: boolean, agent: string, trace: TraceFold | undefined): Emit | undefined {
  if (!listened && trace === undefined) return undefined;
  return (timeless) => {
    const event = { ...timeless, at: Date.now() };
    if (listened) reloop.event(event);
    if (trace === undefined) return;
    if (event.type === 'waiting' && !isWithin(event.wait.call)) {
      reloop.wait({ agent, reason: event.wait.reason });
    }
    for (const span of trace.spansOf(event)) reloop.span(span);
  };
}

interface TraceFold {
  spansOf(event: RunEvent): RunSpan[];
}

/** Logs a wait in the worker's log, with the command that ends it. The worker adds the run's id. */
export function logWaiting(waiting: WaitingCall): void {
  const { call, tool, reason, error, until } = waiting;
  const why = error === undefined ? '' : `: ${boundedText(error.message, 200).replace(/\.$/u, '')}`;
  const [first = ''] = possibleUpdates(stateOf(waiting));
  const which = reason === 'limit' ? '' : ` ${call}`;
  const what = `${tool} (${call}) ${reasonText(waiting)}`;
  const text =
    until === undefined
      ? `waits for you: ${what}${why}`
      : `${what}: its reconcile is asked at ${new Date(until).toISOString()}, or now if you know that it is dead`;
  // The worker's logger writes the command with this machine's name for `reloop`.
  workflowLog.warn(text, {
    waiting: call,
    command: `reloop ${first} ${workflowInfo().workflowId}${which}`,
  });
}

/** Logs the end of a wait. `outcome`: the decision, or another reason for the end. */
export function logResumed({ call, tool }: WaitingCall, outcome: string): void {
  workflowLog.debug(`no longer waits for you: ${tool} (${call}): ${outcome}`, { resumed: call });
}

export function emitStart(emit: Emit | undefined, { agent, question, by }: AgentRunInput): void {
  const { workflowId, runId } = workflowInfo();
  const input = qualifyImageRefs(question?.input ?? '', { workflowId, runId });
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
