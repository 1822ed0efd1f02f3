import type { Law } from './laws.ts';
import { withOneLife } from './outside-laws.ts';

/** Longer than a word can be on its way. */
const WAY_MS = 120_000;

/** A run that a person has paused stays paused until somebody says otherwise. */
export const pausesHold: Law = ({ server, words }) =>
  words.flatMap((paused) => {
    // A resume whose answer is lost is sent again, and refused.
    if (server.lostUpdates > 0 || paused.type !== 'pause' || paused.outcome !== 'accepted') return [];
    const others = words.filter(
      ({ run, type }) => run === paused.run && /resume|rewind|cancel$|ended run/u.test(type),
    );
    const next = others.find(({ at }) => at > paused.at);
    if (next?.type !== 'resume' || next.outcome !== 'refused' || !/not paused/u.test(next.error ?? ''))
      return [];
    const isResumed = others.some(
      ({ at, outcome }) => outcome !== 'refused' && at > paused.at - WAY_MS && at <= next.at,
    );
    return isResumed
      ? []
      : [`${paused.run} was paused at ${paused.at}, and was not at ${next.at}, though nobody had resumed it`];
  });

/** A call that a person has cancelled asks nobody, unless it is in doubt. */
export const cancelledCallsEnd: Law = ({ runs }) =>
  withOneLife(runs).flatMap(({ id, events }) => {
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
