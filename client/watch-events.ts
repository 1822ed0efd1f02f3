import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { RunEvent } from '../agent/events.ts';
import { createLivePoll } from '../history/live.ts';
import { type RunRef, isNotFound } from '../history/pages.ts';
import { type Position, isPositionOf, positionsBelow, positionsWithin } from '../history/positions.ts';
import { type ChildBegun, type Moment, createCallsUnderWay, readTimeline } from '../history/timeline.ts';
import { createPool } from './pool.ts';

export interface WatchOptions {
  follow: boolean;
  live: boolean;
  subAgents: boolean;
}

/** An event, and where a reader of this run and of those below it stands behind it. */
export interface WatchedEvent {
  at: number;
  event: RunEvent;
  positions: Position[];
}

type Arrival = { at: number } & (
  | { from: 'record'; moment: Moment | 'end' }
  | { from: 'calls'; event: RunEvent }
  | { from: 'child'; child: Child; watched: WatchedEvent }
);

/** A sub-agent's run under way. `source`: it is being read. */
interface Child extends Pick<ChildBegun, 'call' | 'run'> {
  source: AsyncGenerator<Arrival> | undefined;
  positions: Position[];
  left: AbortController;
}

const POLL_MS = 1000;

/**
 * The events of a run and, where asked for, of the runs of its sub-agents, each between its call's beginning and end, from
 * behind `after`. Who stops reading while something is waited for aborts `left`; the reader throws then.
 */
export async function* watchEvents(
  client: Client,
  run: RunRef,
  options: WatchOptions,
  after: readonly Position[],
  left: AbortController,
): AsyncGenerator<WatchedEvent> {
  const own = after.find(({ within }) => within === '');
  let position = own;
  let current = run;
  const children = new Map<string, Child>();
  const underWay = createCallsUnderWay();
  const pool = createPool<Arrival>({ complete: !options.follow });
  const { follow } = options;
  pool.add(fromRecord(readTimeline(client, run, { follow, after: own, signal: left.signal })));
  if (options.live && follow) pool.add(fromCalls());
  try {
    for (let arrival = await pool.next(); arrival !== undefined; arrival = await pool.next()) {
      if (arrival.from === 'child') yield ofChild(arrival.child, arrival.watched);
      else if (arrival.from === 'calls') yield* ofCalls(arrival.event);
      else if (arrival.moment === 'end') return;
      else {
        yield* ofMoment(arrival.moment);
        if (arrival.moment.events.at(-1)?.type === 'run_ended') return;
      }
    }
  } finally {
    left.abort();
    for (const child of children.values()) child.left.abort();
    await pool.close();
  }

  async function* ofMoment(moment: Moment): AsyncGenerator<WatchedEvent> {
    const { child, place, events, known, runId, event } = moment;
    if (place === 'behind') open();
    if (child?.type === 'over') yield* over(child.key);
    if (child?.type === 'begun' && options.subAgents) begin(child, place);
    current = { ...run, runId };
    for (const [index, told] of events.entries()) {
      underWay.add(told);
      if (index < known) continue;
      position = { within: '', runId, event, index };
      yield watched({ ...told, at: moment.at });
    }
    if (place === 'at') open();
  }

  function begin({ key, call, run: below }: ChildBegun, place: Moment['place']): void {
    const positions = positionsWithin(after, call);
    children.set(key, { call, run: below, source: undefined, positions, left: new AbortController() });
    if (place === 'behind') open();
  }

  /** What is under way where the reader goes on: of what is over by then it has been told all. */
  function open(): void {
    for (const child of children.values()) {
      if (child.source !== undefined) continue;
      child.source = fromChild(client, child, options);
      pool.add(child.source);
    }
  }

  /** What a sub-agent did comes before what its call came to. */
  async function* over(key: string): AsyncGenerator<WatchedEvent> {
    const child = children.get(key);
    if (child?.source !== undefined) {
      for await (const arrival of pool.rest(child.source))
        if (arrival.from === 'child') yield ofChild(child, arrival.watched);
    }
    children.delete(key);
  }

  function ofChild(child: Child, { event, positions, at }: WatchedEvent): WatchedEvent {
    child.positions = positions;
    const within = event.within === undefined ? child.call : `${child.call}/${event.within}`;
    return { at, event: { ...event, within }, positions: standing(child) };
  }

  /** A call may have ended since it was asked about. */
  function* ofCalls(event: RunEvent): Generator<WatchedEvent> {
    if ('call' in event && underWay.has(event.call)) yield watched(event);
  }

  function watched(event: RunEvent): WatchedEvent {
    return { at: event.at, event, positions: standing() };
  }

  /** First where the event is of. */
  function standing(first?: Child): Position[] {
    const below = (child: Child) => positionsBelow(child.positions, child.call);
    const others = [...children.values()].filter((child) => child !== first).flatMap(below);
    return [
      ...(first === undefined ? [] : below(first)),
      ...(position === undefined ? [] : [position]),
      ...others,
    ];
  }

  /** What calls under way show. It is a convenience: when it cannot be had, the recorded events go on without it. */
  async function* fromCalls(): AsyncGenerator<Arrival> {
    const poll = createLivePoll(client, () => current, underWay.has);
    for (;;) {
      await sleep(POLL_MS, undefined, { ref: false, signal: left.signal });
      if (!underWay.any()) continue;
      for (const event of await poll().catch(() => [])) yield { at: event.at, from: 'calls', event };
    }
  }
}

async function* fromRecord(moments: AsyncGenerator<Moment>): AsyncGenerator<Arrival> {
  for await (const moment of moments) yield { at: moment.at, from: 'record', moment };
  yield { at: Number.MAX_SAFE_INTEGER, from: 'record', moment: 'end' };
}

/** A sub-agent's run that is no longer kept is not there. */
async function* fromChild(client: Client, child: Child, options: WatchOptions): AsyncGenerator<Arrival> {
  const { run, positions, left } = child;
  try {
    const own = positions.find(({ within }) => within === '');
    const isKnown = own !== undefined && (await isPositionOf(client, run, own));
    for await (const watched of watchEvents(client, run, options, isKnown ? positions : [], left))
      yield { at: watched.at, from: 'child', child, watched };
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
