import type { Client } from '@temporalio/client';
import type { RunEvent } from '../../agent/run/events.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import { readRunPages } from '../read/lineage.ts';
import type { PageSchedule, RunRef } from '../read/pages.ts';
import type { Position } from '../read/positions.ts';
import { createTrace } from '../trace/trace.ts';

/** What one event of a run's history says. */
export interface Moment {
  at: number;
  runId: string;
  /** Number of the history event. */
  event: number;
  events: RunEvent[];
  /** Of the events, those to leave out: the reader knows them. */
  known: number;
  /** The moment lies before the place that the reader goes on from, is that place, or lies behind it. */
  place: 'before' | 'at' | 'behind';
  /** A sub-agent's run has begun, or is over. */
  child: ChildBegun | { type: 'over'; key: string } | undefined;
  /** What was recorded at `present` has been read: the moment says no more than that. */
  isPresent?: true;
}

/** How far the record of a run went when somebody looked. */
export interface Present {
  runId: string;
  /** Events of its history. */
  events: number;
}

export interface ChildBegun {
  type: 'begun';
  key: string;
  /** The call that runs it, as its workflow id names it: `3.1`, or `3.1~1` at the second time. */
  call: string;
  run: RunRef;
}

export interface TimelineOptions {
  follow: boolean;
  schedule?: PageSchedule | undefined;
  /** All before is read and not told anew, so that what comes behind is understood. */
  after?: Position | undefined;
  signal?: AbortSignal | undefined;
  /** A moment of its own tells when the record has been read up to here. */
  present?: Present | undefined;
  /** Told every fact that is read, before its events. */
  onFact?: ((fact: Fact) => Promise<void>) | undefined;
}

/** A run's record as events, moment by moment; history events that say nothing to a reader are left out. */
export async function* readTimeline(
  client: Client,
  run: RunRef,
  { follow, schedule, after, present, signal, onFact }: TimelineOptions,
): AsyncGenerator<Moment> {
  const trace = createTrace(run.workflowId);
  const childOf = createChildReader();
  const placeOf = createPlaces(after);
  let told: RunEvent[] = [];
  let [latestAt, isPast] = [0, present === undefined];
  for await (const { run: of, facts, lastEvent } of readRunPages(client, run, { follow, schedule, signal })) {
    const { runId } = of;
    for (const fact of facts) {
      latestAt = fact.at;
      await onFact?.(fact);
      told.push(...(await trace.next(fact)));
      if (fact.more) continue;
      const events = told;
      told = [];
      const child = childOf(of, fact);
      const place = placeOf(runId, fact.id);
      if (events.length === 0 && child === undefined && place !== 'at') continue;
      const known = place === 'behind' ? 0 : place === 'before' ? events.length : (after?.index ?? -1) + 1;
      yield { at: fact.at, runId, event: fact.id, events, known, place, child };
    }
    if (isPast || runId !== present?.runId || lastEvent < present.events) continue;
    isPast = true;
    const at = { at: latestAt, runId, event: lastEvent };
    yield { ...at, events: [], known: 0, place: 'behind', child: undefined, isPresent: true };
  }
}

/** A run that a rewind or a Reset has cut off is over where the next one begins. */
function createPlaces(after: Position | undefined): (runId: string, event: number) => Moment['place'] {
  let [seen, passed] = [false, after === undefined];
  return (runId, event) => {
    if (passed || after === undefined) return 'behind';
    if (runId !== after.runId) {
      passed = seen;
      return passed ? 'behind' : 'before';
    }
    seen = true;
    passed = event >= after.event;
    return event === after.event ? 'at' : passed ? 'behind' : 'before';
  };
}

/** A sub-agent's run is called as the parent's, a slash, and the call. */
function createChildReader(): (of: RunRef, fact: Fact) => Moment['child'] {
  const scheduled = new Map<string, string>();
  return ({ workflowId }, fact) => {
    if (!('of' in fact) || fact.of !== 'child') return undefined;
    const { key } = fact;
    if (fact.type === 'scheduled') {
      const isOurs = fact.name === AGENT_RUN && fact.workId.startsWith(`${workflowId}/`);
      if (isOurs) scheduled.set(key, fact.workId);
      return undefined;
    }
    const workId = scheduled.get(key);
    if (workId === undefined) return undefined;
    if (fact.type !== 'begun') return scheduled.delete(key) ? { type: 'over', key } : undefined;
    if (fact.runId === undefined) return undefined;
    const call = workId.slice(workflowId.length + 1);
    return { type: 'begun', key, call, run: { workflowId: workId, runId: fact.runId } };
  };
}
