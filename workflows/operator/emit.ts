import { type Sinks, log as workflowLog, proxySinks, workflowInfo } from '@temporalio/workflow';
import type { RunEvent, TimelessEvent } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import type { Counters } from '../../agent/limits/counters.ts';
import { reasonText, stateOf, whatFits } from '../../agent/rules/waiting.ts';
import { restartedEvent } from '../../agent/run/transcript-edits.ts';
import { boundedText } from '../../agent/values/values.ts';
import type { Inbox } from './inbox.ts';
import type { AgentRunInput } from '../messages.ts';

/** What a worker's config listens to: run events, each once, none on replay. */
export interface ReloopSinks extends Sinks {
  reloop: { event(event: RunEvent): void };
}

const { reloop } = proxySinks<ReloopSinks>();

export type Emit = (event: TimelessEvent) => void;

/** Tells the worker's `onEvent`; undefined if there was none when the run was started: then no event is even made. */
export function emitter(listened: boolean): Emit | undefined {
  if (!listened) return undefined;
  return (event) => reloop.event({ ...event, at: Date.now() });
}

/** One line in the log of the worker that has the run, which says whose it is. */
export function logWaiting(waiting: WaitingCall): void {
  const { call, tool, reason, error, until } = waiting;
  const why = error === undefined ? '' : `: ${boundedText(error.message, 200).replace(/\.$/u, '')}`;
  const [first = ''] = whatFits(stateOf(waiting));
  const which = reason === 'limit' ? '' : ` ${call}`;
  const what = `${tool} (${call}) ${reasonText(waiting)}`;
  const said =
    until === undefined
      ? `waits for you: ${what}${why}`
      : `${what}: its reconcile is asked at ${new Date(until).toISOString()}, or now if you know that it is dead`;
  // The log of `reloop` adds the command in the form in which this machine's shell finds it.
  workflowLog.warn(said, {
    waiting: call,
    command: `reloop ${first} ${workflowInfo().workflowId}${which}`,
  });
}

/** `outcome`: the decision, or the reason why none is needed any more. */
export function logResumed({ call, tool }: WaitingCall, outcome: string): void {
  workflowLog.debug(`no longer waits for you: ${tool} (${call}): ${outcome}`, { resumed: call });
}

export function emitStart(emit: Emit | undefined, { agent, question }: AgentRunInput): void {
  const { workflowId, runId } = workflowInfo();
  const input = qualifyImageRefs(question?.input ?? '', { workflowId, runId });
  emit?.({ type: 'run_started', id: workflowId, runId, agent, input });
}

/** A run that goes on from another one: by a person's word it is told, with what is said to it again; by continue-as-new it is not. */
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
