import type { Client } from '@temporalio/client';
import type { RunEvent } from '../../agent/run/events.ts';
import type { RunFact } from '../../agent/run/run-fact.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import { readRunPages } from '../read/lineage.ts';
import type { RunRef } from '../read/pages.ts';
import type { Position } from '../read/positions.ts';
import { createTrace } from '../trace/trace.ts';

/** The run events of one history event. */
export interface Moment {
  at: number;
  runId: string;
  event: number;
  events: RunEvent[];
  /** Number of first events that the reader has already had. */
  known: number;
  /** Relative to the `after` cursor: before it, at it, or after it. */
  relation: 'before' | 'at' | 'after';
  /** A sub-agent's run has started, or is over. */
  child: ChildBegun | { type: 'over'; key: string } | undefined;
  /** All events up to `present` have been read. Such a moment has no events. */
  isPresent?: true;
}

/** Length of a run's record at the time of a look at it. */
export interface Present {
  runId: string;
  events: number;
}

export interface ChildBegun {
  type: 'begun';
  key: string;
  /** The call in the sub-agent's workflow id: `3.1`, or `3.1~1` for its second schedule. */
  call: string;
  run: RunRef;
}

export interface TimelineOptions {
  follow: boolean;
  /** Cursor of the reader. Earlier events are read, because later events depend on them, and marked as `known`. */
  after?: Position | undefined;
  signal?: AbortSignal | undefined;
  /** When the record has been read up to here, a separate moment with `isPresent` says so. */
  present?: Present | undefined;
  /** Called with every fact, before its events. `of`: its meaning for the run. */
  onFact?: ((fact: Fact, of: RunFact | undefined) => Promise<void>) | undefined;
}

/** Reads a run's record as run events. Leaves out history events without run events, except starts and ends of sub-agents. */
export async function* readTimeline(
  client: Client,
  run: RunRef,
  { follow, after, present, signal, onFact }: TimelineOptions,
): AsyncGenerator<Moment> {
  const trace = createTrace(run.workflowId);
  const childOf = createChildReader();
  const relationOf = createRelation(after);
  let collected: RunEvent[] = [];
  let [latestAt, isPast] = [0, present === undefined];
  let fact: Fact | undefined;
  for await (const { run: of, facts, lastEvent } of readRunPages(client, run, { follow, signal })) {
    const { runId } = of;
    for (fact of facts) {
      latestAt = fact.at;
      const read = await trace.read(fact);
      await onFact?.(fact, read.of);
      collected.push(...read.events);
      if (fact.more) continue;
      const events = collected;
      collected = [];
      const child = childOf(of, fact);
      const relation = relationOf(runId, fact.id);
      if (events.length === 0 && child === undefined && relation !== 'at') continue;
      const known =
        relation === 'after' ? 0 : relation === 'before' ? events.length : (after?.index ?? -1) + 1;
      yield { at: fact.at, runId, event: fact.id, events, known, relation, child };
    }
    fact = undefined; // it would keep its page while the next one is waited for
    if (isPast || runId !== present?.runId || lastEvent < present.events) continue;
    isPast = true;
    const at = { at: latestAt, runId, event: lastEvent };
    yield { ...at, events: [], known: 0, relation: 'after', child: undefined, isPresent: true };
  }
}

/**
 * Returns a function that compares an event with the cursor. If the cursor's event was dropped by a restart, the first event of the next
 * run is after the cursor.
 */
function createRelation(after: Position | undefined): (runId: string, event: number) => Moment['relation'] {
  let [seen, passed] = [false, after === undefined];
  return (runId, event) => {
    if (passed || after === undefined) return 'after';
    if (runId !== after.runId) {
      passed = seen;
      return passed ? 'after' : 'before';
    }
    seen = true;
    passed = event >= after.event;
    return event === after.event ? 'at' : passed ? 'after' : 'before';
  };
}

/** Returns a function that reads starts and ends of sub-agents. A sub-agent's workflow id is the parent's id, a slash, and the call. */
function createChildReader(): (of: RunRef, fact: Fact) => Moment['child'] {
  const scheduled = new Map<string, string>();
  return ({ workflowId }, fact) => {
    if (!('of' in fact) || fact.of !== 'child') return undefined;
    const { key } = fact;
    if (fact.type === 'scheduled') {
      const isSubAgent = fact.name === AGENT_RUN && fact.workId.startsWith(`${workflowId}/`);
      if (isSubAgent) scheduled.set(key, fact.workId);
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
