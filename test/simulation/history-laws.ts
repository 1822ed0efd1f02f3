import { parseActivityId } from '../../agent/calls/calls.ts';
import { isDropped } from '../../agent/calls/restart.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { RunView } from '../../agent/views/view.ts';
import type { Execution } from './execution.ts';
import type { Law } from './laws.ts';
import { isReset } from './outside-laws.ts';
import { durationMs } from './sdk.ts';

/** A model call or a tool call that has completed is not scheduled again, unless a restart drops the call, or the call's `reconcile` or a person was asked. */
export const finishedStaysFinished: Law = ({ world, server, runs, words }) =>
  [...new Set(runs.map(({ id }) => id))].flatMap((id) => {
    // The histories of a reset have their first events in common.
    if (isReset(words, id)) return [];
    const events = runs.filter((run) => run.id === id).flatMap((run) => run.events);
    // Executions that a simulated person has followed. If two people begin an ended run again, only one does.
    const seen = new Set(events.flatMap((event) => ('runId' in event ? [event.runId] : [])));
    // The events that a retry of an ended run keeps end before later waits of its background calls.
    const isKept = events.some((event) => event.type === 'restarted' && event.from.runId !== event.runId);
    const finished = new Map<string, { from: number; to: number }>();
    return server.executions
      .filter((execution) => execution.id === id && seen.has(execution.runId))
      .flatMap(schedulesOf)
      .filter(({ tool }) => !isKept || !world.background.includes(tool))
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ call, at, completed }) => {
        const before = finished.get(call);
        if (completed !== undefined) finished.set(call, { from: at, to: completed });
        if (before === undefined || before.to > at) return [];
        const isAgain = events.some(
          (event) => event.at >= before.from && event.at <= at && permits(event, call),
        );
        return isAgain ? [] : [`${id}: call ${call} completed at ${before.to}, and began again at ${at}`];
      });
  });

/** The call may begin again after the event. */
function permits(event: RunEvent, call: string): boolean {
  if (event.type === 'restarted') return isDropped(call, event);
  return event.type === 'waiting'
    ? event.wait.call === call
    : event.type === 'reconciled' && event.call === call;
}

interface Schedule {
  call: string;
  tool: string;
  at: number;
  /** Time of the completion. */
  completed: number | undefined;
}

function schedulesOf({ history }: Execution): Schedule[] {
  const completions = new Map(
    history.flatMap(({ activityTaskCompletedEventAttributes: end, eventTime }) =>
      end ? [[Number(end.scheduledEventId), durationMs(eventTime)] as const] : [],
    ),
  );
  return history.flatMap(({ activityTaskScheduledEventAttributes: begin, eventTime, eventId }) => {
    const { call = '' } = parseActivityId(begin?.activityId ?? '') ?? {};
    // Activities that prepare a run have names in place of calls.
    if (!/^\d/u.test(call)) return [];
    const tool = begin?.activityType?.name ?? '';
    return [{ call, tool, at: durationMs(eventTime) ?? 0, completed: completions.get(Number(eventId)) }];
  });
}

/**
 * A run that its time limit stops has run for that long, without the time in which it waited for people. It hears later of the waits of its sub-agents
 * where workers were away, and its time goes on until then.
 */
export const timeLimitIsKept: Law = ({ world, runs, isDisturbed }) => {
  const { timeLimitMs = 0 } = world;
  return runs.flatMap(({ id, report, events }) => {
    if (report.stopReason !== 'max_execution_time') return [];
    const hearsLate = events.some((event) => event.type === 'waiting' && event.wait.call.includes('/'));
    if (isDisturbed && hearsLate) return [];
    const view = new RunView(id);
    let [active, last] = [0, 0];
    for (const event of events) {
      if (view.status === 'running' && last > 0) active += event.at - last;
      last = event.at;
      view.add(event);
    }
    return active >= timeLimitMs
      ? []
      : [`${id} was stopped by its limit of ${timeLimitMs} ms after ${active} ms`];
  });
};
