import { isDeepStrictEqual } from 'node:util';
import type { RunEvent, RunStep } from '../../agent/run/events.ts';
import { MODEL_BUDGET } from '../../agent/budgets/budget-rule.ts';
import { MODEL_LIMITS } from '../../agent/model-limits/lease-request.ts';
import { AGENT_SESSION } from '../../workflows/messages.ts';
import { attemptsAreCounted, checkpointsAreKept, onlyLostAttemptsAreLost } from './attempt-laws.ts';
import { backgroundLaws } from './background-laws.ts';
import { budgetLaws } from './budget-laws.ts';
import { clientToolLaws } from './client-tool-laws.ts';
import { finishedStaysFinished, timeLimitIsKept } from './history-laws.ts';
import type { Word } from './operator.ts';
import { brokenFromOutside, isForbidden, isReset, withOneLife, wordsRecorded } from './outside-laws.ts';
import type { Profile } from './profiles.ts';
import type { RunLife } from './run-lives.ts';
import { protos, type temporal } from './sdk.ts';
import type { VirtualServer } from './server.ts';
import { requestsContinue, rightAgentIsAsked, summariesAreShown, toldIsRecorded } from './prompt-laws.ts';
import type { SessionLife } from './session-lives.ts';
import { sessionsAnswer } from './session-law.ts';
import { cancelledCallsEnd, earlyAnswersCount, pausedBeginsNothing, pausesHold } from './word-laws.ts';
import type { Values } from './values.ts';
import type { World } from './world.ts';

const { EventType } = protos.temporal.api.enums.v1;

export interface Seen {
  profile: Profile;
  world: World;
  server: VirtualServer;
  values: Values;
  runs: readonly RunLife[];
  sessions: readonly SessionLife[];
  words: readonly Word[];
  /** Events that `onEvent` got, by the id of the run. */
  told: ReadonlyMap<string, readonly RunEvent[]>;
  /** Workers died or stood still, or a workflow task was tried again: events may be lost, or told twice. */
  isDisturbed: boolean;
}

export type Law = (seen: Seen) => string[];

/** Sentences on what is wrong; none if all laws hold. */
export function brokenLaws(seen: Seen): string[] {
  return laws.flatMap((law) => law(seen));
}

/** A tool neither begins nor commits in an attempt that is over. */
function nothingIsLate({ world }: Seen): string[] {
  return world.late.map((what) => `${what} although the server had ended its attempt`);
}

/** An accepted decision ends the wait that its sender saw. */
function decisionsMeetTheirWait({ runs, words }: Seen): string[] {
  return withOneLife(runs, words).flatMap(({ id, events }) => {
    const open = new Map<string, number>();
    const decided = new Set<string>();
    for (const event of events) {
      if (event.type === 'waiting') open.set(event.wait.call, event.wait.n);
      if (event.type === 'decided') decided.add(`${event.call} ${open.get(event.call)}`);
    }
    return words.flatMap(({ run, type, call = '', wait, outcome }) =>
      run !== id || wait === undefined || type === 'extend' || outcome !== 'accepted' || call.includes('/')
        ? []
        : decided.has(`${call} ${wait.n}`)
          ? []
          : [`${id}: ${type} was for wait ${wait.n} of call ${call}, and ended another one`],
    );
  });
}

/** A decision that fits a wait is accepted, or the wait is over. */
function fittingIsAccepted({ words }: Seen): string[] {
  return words.flatMap((word) => {
    const { run, type, call, error, stillWaits } = word;
    // A word to the run before its reset does not reach the run after the reset.
    return stillWaits === true && !isReset(words, run) && !isForbidden(word)
      ? [`${run}: ${type} fits call ${call}, which still waits: ${error}`]
      : [];
  });
}

/** The model sees each message that a run has accepted, unless the run ends or goes back first, and says so. A cancellation may end the model call that has the message. */
function saidIsHeard({ world, runs, words }: Seen): string[] {
  return words.flatMap(({ run, type, data, outcome, at }) => {
    const { text: said = '' } = (data ?? {}) as { text?: string };
    // The parent may end its sub-agent.
    if (type !== 'say' || outcome !== 'accepted' || run.includes('/')) return [];
    const isHeard = world.asked.some(({ request }) => JSON.stringify(request.prompt).includes(said));
    const isDropped = words.some(
      (other) => other.run === run && other.at >= at && /rewind|fork|cancel$/u.test(other.type),
    );
    // A rewind that was sent first may arrive second.
    const isBeforeRewind = runs.some(({ id, events }) => id === run && isFollowedByRewind(events, said));
    const isUnheard = runs.some(({ events }) =>
      events.some((event) => event.type === 'unheard' && event.messages.includes(said)),
    );
    // A worker without the model asks nobody, and a person decides about the call that has the message.
    const isDecided = words.some(
      (other) =>
        other.run === run &&
        other.at >= at &&
        /^(?:resolve|abort)$/u.test(other.type) &&
        /^\d+$/u.test(other.call ?? ''),
    );
    // A hook, or a worker without the model, has kept the model call with the message from the model. The run has ended with that error.
    const isBlocked = runs.some(
      ({ id, report: { error } }) =>
        id === run &&
        (error?.type.startsWith('Hook') === true ||
          error?.message.includes('which this worker does not have')),
    );
    return isHeard || isDropped || isBeforeRewind || isUnheard || isDecided || isBlocked
      ? []
      : [`${run}: nobody heard "${said}"`];
  });
}

function isFollowedByRewind(events: readonly RunEvent[], said: string): boolean {
  const messages = events.flatMap((event) => (event.type === 'steered' ? [event.message] : []));
  const at = messages.findIndex((message) => message.type === 'say' && message.text === said);
  return at >= 0 && messages.slice(at).some(({ type }) => type === 'rewind');
}

/** A rewind that an open run has accepted happens, unless the run is cancelled first. After a reset the word may come at another time, and be refused. */
function rewindsHappen({ server, runs, words }: Seen): string[] {
  return runs.flatMap(({ id, report, events }) => {
    const accepted = words.findLast(
      ({ run, type, outcome }) => run === id && type === 'rewind' && outcome === 'accepted',
    );
    const isLast = runs.findLast((run) => run.id === id)?.report === report;
    const isCancelled = words.some(
      ({ run, type, outcome }) => run === id && type === 'cancel' && outcome !== 'refused',
    );
    if (accepted === undefined || !isLast || isCancelled || isReset(words, id)) return [];
    const isDone =
      events.some((event) => event.type === 'restarted' && event.at >= accepted.at) ||
      // A run that has ended is rewound by a new one. A run that continues as new may have forgotten the rewind.
      server.executions.some(
        ({ id: started, startedAt, request }) =>
          started === id &&
          startedAt >= accepted.at &&
          startedAt <= (accepted.answeredAt ?? Infinity) &&
          request.continuedFrom === undefined,
      );
    return isDone ? [] : [`${id}: a rewind was accepted at ${accepted.at} and did not happen`];
  });
}

/** Nobody in a simulation terminates a run. */
function nothingIsTerminated({ server }: Seen): string[] {
  return server.executions.flatMap(({ id, runId, end, request, resetRunId }) =>
    end?.type === 'terminated' && request.parent === undefined && resetRunId === undefined
      ? [`${id} was terminated: ${runId}`]
      : [],
  );
}

/** Longer than all that a worker can be away. */
const CANCEL_MS = 300_000;

/** A run that was cancelled ends. */
function cancelEnds({ server, words }: Seen): string[] {
  return words.flatMap(({ type, run, outcome, at }) => {
    if (type !== 'cancel' || outcome !== 'accepted') return [];
    const [execution] = server.executions.filter((one) => one.id === run && one.startedAt <= at).slice(-1);
    const end = execution?.closedAt ?? Infinity;
    return end - at > CANCEL_MS ? [`${run} was cancelled, and went on for ${end - at} ms`] : [];
  });
}

function wordsAreHistory({ world, server, words }: Seen): string[] {
  const recorded = count(server, EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED);
  // The answer to such a word was lost, the run ended, and the word that was sent again came to the next run of the id.
  const reachedTwo = words.filter(({ run, at, answeredAt = 0 }) =>
    server.executions.some(
      ({ id, startedAt, request }) =>
        id === run && request.continuedFrom === undefined && startedAt > at && startedAt < answeredAt,
    ),
  ).length;
  return wordsRecorded(words, recorded, { hasRule: world.hasRule, reachedTwo });
}

/** Events in the histories of runs. */
function count({ executions }: VirtualServer, type: temporal.api.enums.v1.EventType): number {
  return executions
    .filter(({ request }) => ![AGENT_SESSION, MODEL_LIMITS, MODEL_BUDGET].includes(request.type))
    .reduce((sum, { history }) => sum + history.filter(({ eventType }) => eventType === type).length, 0);
}

/**
 * `onEvent` gets every event that history has, but for `continued`, which readers add. The other way it does not hold yet: work that is
 * cancelled in the workflow task that begins it never reaches history, and its events are told.
 */
function eventsAreHistory({ runs, words, told, isDisturbed }: Seen): string[] {
  if (isDisturbed) return [];
  return withOneLife(runs, words).flatMap(({ id, events }) => {
    const heard = essence(told.get(id) ?? []);
    const recorded = essence(events);
    const missing = recorded.filter((line) => !heard.includes(line));
    return missing.length === 0 ? [] : [`${id}: onEvent did not get ${missing.join(', ')}`];
  });
}

/** Events without clocks, in an order of their own: those of calls side by side may come in any. */
function essence(events: readonly RunEvent[]): string[] {
  return events
    .filter(({ type }) => type !== 'caught_up' && type !== 'continued')
    .map((event) => {
      const call = event.type === 'step' ? event.step.call : event.type === 'waiting' ? event.wait.call : '';
      return `${event.type} ${'call' in event ? event.call : call}`;
    })
    .toSorted();
}

/** A run's own result has the steps that its history has. Their clocks differ: a workflow hears of an end later. */
function resultHasSteps({ runs }: Seen): string[] {
  return runs.flatMap(({ id, report, steps }) => {
    if (steps === undefined) return [];
    const [found, expected] = [steps, report.intermediateSteps].map(timeless);
    const [step = `${found?.length} steps`] = expected?.filter((one, at) => one !== found?.[at]) ?? [];
    return isDeepStrictEqual(found, expected) ? [] : [`${id}: the result does not have ${step}`];
  });
}

function timeless(steps: readonly RunStep[]): string[] {
  return steps.map(({ durationMs: _, ...step }) => JSON.stringify(step));
}

const MOST_EVENT_BYTES = 2_100_000;

/** No event is larger than what the server takes. */
function smallEvents({ server }: Seen): string[] {
  const { HistoryEvent } = protos.temporal.api.history.v1;
  return server.executions.flatMap(({ id, history, historyBytes }) =>
    historyBytes > MOST_EVENT_BYTES &&
    history.some((event) => HistoryEvent.encode(event).finish().length > MOST_EVENT_BYTES)
      ? [`${id}: an event has more than ${MOST_EVENT_BYTES} bytes`]
      : [],
  );
}

/** Texts of people and models. Names of tools, ids and numbers may be read by everybody. */
const SECRET =
  /question run-of|message session-of|Question \d|help \d|word \d|resolved \d|by token of|simulated M|fails (?:before|after)/u;

/** With encryption, nobody reads in the server's histories what was said. */
function nothingIsInClear({ server, values }: Seen): string[] {
  if (!values.isEncrypted) return [];
  const { HistoryEvent } = protos.temporal.api.history.v1;
  return server.executions.flatMap(({ id, history }) =>
    history.flatMap((event) => {
      const [found] = SECRET.exec(Buffer.from(HistoryEvent.encode(event).finish()).toString('latin1')) ?? [];
      return found === undefined ? [] : [`${id}: event ${String(event.eventId)} has "${found}" in clear`];
    }),
  );
}

const laws: Law[] = [
  brokenFromOutside,
  toldIsRecorded,
  resultHasSteps,
  finishedStaysFinished,
  summariesAreShown,
  rightAgentIsAsked,
  requestsContinue,
  wordsAreHistory,
  eventsAreHistory,
  smallEvents,
  nothingIsInClear,
  timeLimitIsKept,
  nothingIsLate,
  attemptsAreCounted,
  onlyLostAttemptsAreLost,
  checkpointsAreKept,
  decisionsMeetTheirWait,
  fittingIsAccepted,
  rewindsHappen,
  saidIsHeard,
  cancelEnds,
  pausesHold,
  pausedBeginsNothing,
  earlyAnswersCount,
  cancelledCallsEnd,
  nothingIsTerminated,
  sessionsAnswer,
  ...clientToolLaws,
  ...backgroundLaws,
  ...budgetLaws,
];
