import type { RunEvent } from '../../agent/run/events.ts';
import type { Law } from './laws.ts';
import { ONCE, withOneLife } from './outside-laws.ts';
import { durationMs } from './sdk.ts';
import type { VirtualServer } from './server.ts';
import type { Values } from './values.ts';

/** Longer than a word can be on its way. */
const WAY_MS = 120_000;

/** A run that a person has paused stays paused until somebody says otherwise. */
export const pausesHold: Law = ({ world, words }) =>
  words.flatMap((paused) => {
    if (paused.type !== 'pause' || paused.outcome !== 'accepted') return [];
    const begun = (world.hasRule ? paused.answeredAt : undefined) ?? paused.at;
    const others = words.filter(
      // The words to a parent hold for its sub-agents.
      ({ run, type }) =>
        (run === paused.run || paused.run.startsWith(`${run}/`)) &&
        /resume|rewind|cancel$|ended run|reset/u.test(type),
    );
    const next = others.find(({ run, at }) => run === paused.run && at > begun);
    if (next?.type !== 'resume' || next.outcome !== 'refused' || !/not paused/u.test(next.error ?? ''))
      return [];
    // Two words that are on their way together may change places.
    const until = next.answeredAt ?? next.at;
    const isResumed = others.some(
      ({ at, outcome }) => outcome !== 'refused' && at > paused.at - WAY_MS && at <= until,
    );
    return isResumed
      ? []
      : [`${paused.run} was paused at ${paused.at}, and was not at ${next.at}, though nobody had resumed it`];
  });

/** A paused run begins no model call and no effect, and does not continue as new. */
export const pausedBeginsNothing: Law = ({ runs }) =>
  runs.flatMap(({ id, events }) => {
    let isPaused = false;
    const refused = callsOfHooks(events);
    return events.flatMap((event) => {
      if (event.type === 'steered' && event.message.type === 'pause') isPaused = true;
      if (event.type === 'steered' && event.message.type === 'resume') isPaused = false;
      if (event.type === 'restarted' || event.type === 'run_ended') isPaused = false;
      const begins =
        event.type === 'continued' ||
        event.type === 'model_started' ||
        (event.type === 'tool_started' &&
          ['pay', ...ONCE].includes(event.tool) &&
          !refused.includes(event.call));
      return isPaused && begins ? [`${id} is paused, and there is an event ${event.type}`] : [];
    });
  });

/** Calls that a hook refused: they begin and end, and nothing is run. */
function callsOfHooks(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'step' && event.step.attempts === 0 ? [event.step.call] : [],
  );
}

/** A run that has kept an early answer by token does not wait for that answer. */
export const earlyAnswersCount: Law = ({ server, values, runs, words }) =>
  withOneLife(runs, words).flatMap(({ id, events }) =>
    words.flatMap(({ run, isKept, call = '', data, at }) => {
      if (run !== id || isKept !== true) return [];
      const deferredAt = completedAt(server, values, id, (data as { token: string }).token);
      // A token of an earlier wait of the call answers nothing.
      if (deferredAt < at) return [];
      const next = events.find((event) => event.at >= deferredAt && callOf(event) === call);
      return next?.type === 'waiting' && next.wait.reason === 'deferred'
        ? [`${id}: call ${call} waits for an answer by token that had come before`]
        : [];
    }),
  );

/** The time at which an attempt with this token has returned; Infinity: never. */
function completedAt(server: VirtualServer, { read }: Values, id: string, token: string): number {
  const results = server.executions
    .filter((one) => one.id === id)
    .flatMap(({ history }) => history)
    .flatMap(({ eventTime, activityTaskCompletedEventAttributes: completed }) =>
      (completed?.result?.payloads ?? []).map((payload) => ({ eventTime, result: read(payload) })),
    );
  const found = results.find(({ result }) => (result as { token?: string } | null)?.token === token);
  return durationMs(found?.eventTime) ?? Infinity;
}

function callOf(event: RunEvent): string | undefined {
  if (event.type === 'waiting') return event.wait.call;
  return event.type === 'step' ? event.step.call : 'call' in event ? event.call : undefined;
}

/** A call that a person has cancelled asks nobody, unless it is in doubt. */
export const cancelledCallsEnd: Law = ({ runs, words }) =>
  withOneLife(runs, words).flatMap(({ id, events }) => {
    const cancelled = new Set<string>();
    return events.flatMap((event) => {
      if (event.type === 'restarted') cancelled.clear();
      if (event.type === 'decided' && event.decision.type === 'cancelCall') cancelled.add(event.call);
      if (event.type !== 'waiting' || !cancelled.has(event.wait.call)) return [];
      const { call, reason, until } = event.wait;
      if (reason !== 'doubt') return [`${id}: call ${call} was cancelled, and waits (${reason})`];
      if (until === undefined) cancelled.delete(call);
      return [];
    });
  });
