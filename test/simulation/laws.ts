import type { RunEvent } from '../../agent/run/events.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import type { Word } from './operator.ts';
import type { RunLife } from './run-lives.ts';
import { protos, type temporal } from './sdk.ts';
import type { VirtualServer } from './server.ts';
import type { World } from './world.ts';

const { EventType } = protos.temporal.api.enums.v1;

export interface Seen {
  world: World;
  server: VirtualServer;
  runs: readonly RunLife[];
  words: readonly Word[];
  /** Events that `onEvent` got, by the id of the run. */
  told: ReadonlyMap<string, readonly RunEvent[]>;
  /** Workers died or stood still, or a workflow task was tried again: events may be lost, or told twice. */
  isDisturbed: boolean;
}

type Law = (seen: Seen) => string[];

/** Sentences on what is wrong; none if all laws hold. */
export function brokenLaws(seen: Seen): string[] {
  return laws.flatMap((law) => law(seen));
}

const ONCE = ['mail', 'order'];

/** A `once` tool takes effect at most once for each key. Another effect of the same call needs a person's retry. */
function effectsOnce({ world, words }: Seen): string[] {
  const seen = new Map<string, number>();
  return world.effects.flatMap(({ tool, key, call, root }) => {
    if (!ONCE.includes(tool)) return [];
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 1) return [];
    const retries = words.filter(
      (word) => word.type === 'retry' && word.outcome !== 'refused' && isFor(word, root, call),
    );
    return retries.length >= times - 1
      ? []
      : [`${tool} of call ${call} took effect ${times} times with the key ${key}`];
  });
}

function isFor({ run, call }: Word, root: string, called: string): boolean {
  return root.startsWith(run) && call?.split('/').at(-1) === called;
}

/** A person who is asked about a failed call of a `once` tool is told of a doubt, if the call took effect. */
function doubtsAreTold({ world, words }: Seen): string[] {
  const restarted = new Set(
    words.flatMap(({ run, type }) => (/rewind|retry of|fork of/u.test(type) ? [run] : [])),
  );
  return words.flatMap(({ run, call, wait, at }) => {
    if (wait?.reason !== 'failed' || !ONCE.includes(wait.tool) || call?.includes('/') !== false) return [];
    const { n } = wait.toolInput as { n?: number };
    const took = world.effects.some(
      (effect) => effect.root === run && effect.call === call && effect.n === n && effect.at < at,
    );
    return took && !restarted.has(run)
      ? [`${wait.tool} of call ${call} took effect, and a person was told that it had failed`]
      : [];
  });
}

/** A `once` tool whose effect was made is not made again with the same input in steps that are done again, unless a person says so. */
function effectsAsked({ world, words }: Seen): string[] {
  const made = new Set<string>();
  return world.effects.flatMap(({ tool, n, call, root }) => {
    if (!ONCE.includes(tool)) return [];
    const key = `${root} ${call} ${tool} ${n}`;
    const isAgain = made.has(key);
    made.add(key);
    const isAsked = words.some(
      (word) =>
        ['retry', 'approve'].includes(word.type) && word.outcome !== 'refused' && isFor(word, root, call),
    );
    return isAgain && !isAsked ? [`${tool} ${n} of call ${call} was done again, and nobody was asked`] : [];
  });
}

/** `pay` runs with an input that a person has approved. */
function approvedInputs({ world, words }: Seen): string[] {
  return world.effects.flatMap((effect) => {
    if (effect.tool !== 'pay') return [];
    const isApproved = words.some(({ type, outcome, wait, data, at }) => {
      if ((type !== 'approve' && type !== 'retry') || outcome === 'refused' || at > effect.at) return false;
      const { input, remember } = (data ?? {}) as { input?: { n: number }; remember?: string };
      const approved = input ?? (wait?.toolInput as { n?: number });
      return wait?.tool === 'pay' && (approved.n === effect.n || remember === 'tool');
    });
    return isApproved ? [] : [`pay ${effect.n} of call ${effect.call} ran, and nobody approved that input`];
  });
}

/** The last request of a run shows the model the observations that its report has. */
function toldIsRecorded({ world, runs }: Seen): string[] {
  return runs.flatMap(({ id, report, events }) => {
    const runIds = new Set(events.flatMap((event) => ('runId' in event ? [event.runId] : [])));
    const last = world.asked.filter(({ runId }) => runIds.has(runId)).at(-1);
    if (last === undefined || report.status !== 'completed') return [];
    const { messages = [] } = last.request.prompt as { messages?: { role: string; content: unknown }[] };
    const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => text(content));
    const recorded = report.intermediateSteps
      .filter(({ call }) => Number(call.split('.')[0]) < Number(last.step))
      .map(({ observation }) => text(observation));
    const at = recorded.findIndex((one, index) => one !== told[index]);
    if (at < 0 && told.length === recorded.length) return [];
    return [
      `${id}: at step ${last.step} the model was told ${told.length} observations, and ${recorded.length} are recorded; the first that differs: ${told[at]} / ${recorded[at]}`,
    ];
  });
}

function text(value: unknown): string {
  const plain = asText(value as never);
  return plain === '' ? '[no output]' : plain;
}

/** An accepted word is recorded once, and a refused one leaves no event. */
function wordsRecorded({ server, words }: Seen): string[] {
  const sent = words.filter(({ type }) => type !== 'cancel' && !type.endsWith('of the ended run'));
  const accepted = sent.filter(({ outcome }) => outcome === 'accepted').length;
  const unknown = sent.filter(({ outcome }) => outcome === 'unknown').length;
  const recorded = count(server, EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED);
  const restarts = sent.filter(({ type, outcome }) => type === 'rewind' && outcome !== 'refused').length;
  // An ended run is rewound by a new execution, without an update.
  return recorded >= accepted - restarts && recorded <= accepted + unknown
    ? []
    : [`${accepted} words were accepted, ${unknown} may have been, and ${recorded} are recorded`];
}

function count({ executions }: VirtualServer, type: temporal.api.enums.v1.EventType): number {
  return executions.reduce(
    (sum, { history }) => sum + history.filter(({ eventType }) => eventType === type).length,
    0,
  );
}

/** Each decision on a run's own call is in its record once. */
function decisionsTakeEffect({ runs, words }: Seen): string[] {
  return runs.flatMap(({ id, isAgain, events }) => {
    // The words of a later life may be for the run of the same id before it.
    if (isAgain || runs.filter((run) => run.id === id).length > 1) return [];
    const own = words.filter(
      ({ run, call, type, wait }) =>
        run === id && wait !== undefined && call !== undefined && !call.includes('/') && type !== 'extend',
    );
    const accepted = own.filter(({ outcome }) => outcome === 'accepted').length;
    const unknown = own.filter(({ outcome }) => outcome === 'unknown').length;
    const decided = events.filter(
      (event) => event.type === 'decided' && event.decision.type !== 'cancelCall',
    ).length;
    return decided >= accepted && decided <= accepted + unknown
      ? []
      : [`${id}: ${accepted} decisions were accepted, ${unknown} may have been, and ${decided} are recorded`];
  });
}

/**
 * `onEvent` gets every event that history has, but for `continued`, which readers add. The other way it does not hold yet: work that is
 * cancelled in the workflow task that begins it never reaches history, and its events are told.
 */
function eventsAreHistory({ runs, told, isDisturbed }: Seen): string[] {
  if (isDisturbed) return [];
  return runs.flatMap(({ id, isAgain, events }) => {
    if (isAgain || runs.filter((run) => run.id === id).length > 1) return [];
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

/** Usage is the sum over the model calls that have a reply. */
function usageAdds({ runs }: Seen): string[] {
  return runs.flatMap(({ id, report, events }) => {
    const replies = events.filter(({ type }) => type === 'model_ended').length;
    const isAlone = !events.some(
      (event) =>
        event.type === 'restarted' ||
        ('call' in event && event.type === 'tool_started' && event.tool === 'helper'),
    );
    const { modelCalls } = report.usage;
    return !isAlone || modelCalls >= replies
      ? []
      : [`${id}: ${replies} model calls have a reply, and usage counts ${modelCalls}`];
  });
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

const laws: Law[] = [
  effectsOnce,
  effectsAsked,
  doubtsAreTold,
  approvedInputs,
  toldIsRecorded,
  wordsRecorded,
  decisionsTakeEffect,
  eventsAreHistory,
  usageAdds,
  smallEvents,
];
