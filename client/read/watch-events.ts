import type { Client } from '@temporalio/client';
import type { RunEvent } from '../../agent/run/events.ts';
import type { LiveEvent } from '../../agent/live-text/attempt-texts.ts';
import { createLiveCalls } from '../../agent/live-text/live-calls.ts';
import { type RunRef, isNotFound } from '../../history/read/pages.ts';
import {
  type Position,
  isPositionOf,
  positionsBelow,
  positionsWithin,
} from '../../history/read/positions.ts';
import type { ChildBegun, Moment, TimelineOptions } from '../../history/views/timeline.ts';
import { readTimeline } from '../../history/views/timeline.ts';
import { type CallNews, callsUnderWay } from './calls-under-way.ts';
import { createPool } from './pool.ts';

/** `present`: the point of history at which `caught_up` is emitted. */
export interface WatchOptions extends Pick<TimelineOptions, 'present' | 'onFact'> {
  follow: boolean;
  live: boolean;
  subAgents: boolean;
}

/** An event, and the position after it of a reader of this run and of its sub-agents. */
export interface WatchedEvent {
  at: number;
  event: RunEvent;
  positions: Position[];
}

type Arrival =
  | CallNews
  | ({ at: number } & (
      { from: 'record'; moment: Moment | 'end' } | { from: 'child'; child: Child; watched: WatchedEvent }
    ));

/** A sub-agent's run under way. `source`: it is being read. */
interface Child extends Pick<ChildBegun, 'call' | 'run'> {
  source: AsyncGenerator<Arrival> | undefined;
  positions: Position[];
  left: AbortController;
}

/**
 * The events of a run and, where asked for, of the runs of its sub-agents, each between its call's beginning and end,
 * starting after the cursor `after`. To stop while the reader waits, abort `left`; the reader throws then.
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
  const calls = createLiveCalls();
  const pool = createPool<Arrival>({ complete: !options.follow });
  const { follow, present, onFact } = options;
  const reading = { follow, after: own, present, onFact, signal: left.signal };
  pool.add(fromRecord(readTimeline(client, run, reading)));
  const isLive = options.live && follow;
  const source = { run: () => current, calls, signal: left.signal };
  if (isLive) for (const news of callsUnderWay(client, source)) pool.add(news);
  try {
    for (let arrival = await pool.next(); arrival !== undefined; arrival = await pool.next()) {
      if (arrival.from === 'child') yield ofChild(arrival.child, arrival.watched);
      else if (arrival.from !== 'record') yield* ofCalls(arrival);
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
    const { child, relation, events, known, runId, event } = moment;
    if (moment.isPresent) {
      if (isLive) yield watched({ type: 'caught_up', at: moment.at });
      return;
    }
    if (relation === 'after') open();
    if (child?.type === 'over') yield* over(child.key);
    if (child?.type === 'begun' && options.subAgents) begin(child, relation);
    current = { ...run, runId };
    for (const [index, told] of events.entries()) {
      const early = calls.recorded(told, runId);
      if (index >= known) {
        position = { within: '', runId, event, index };
        yield watched({ ...told, at: moment.at });
      }
      yield* live(early);
    }
    if (relation === 'at') open();
  }

  function begin({ key, call, run: below }: ChildBegun, relation: Moment['relation']): void {
    const positions = positionsWithin(after, call);
    children.set(key, { call, run: below, source: undefined, positions, left: new AbortController() });
    if (relation === 'after') open();
  }

  /** Opens calls under way at the `after` cursor: of calls that are over by then, the reader has had all events. */
  function open(): void {
    for (const child of children.values()) {
      if (child.source !== undefined) continue;
      child.source = fromChild(client, child, options);
      pool.add(child.source);
    }
  }

  /** A sub-agent's events come before the result of its call. */
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

  /** A call may have ended since its news came. */
  function* ofCalls(news: CallNews): Generator<WatchedEvent> {
    if (news.from === 'channel') {
      yield* live(calls.pieces(news.pieces));
      return;
    }
    const event = news.from === 'server' ? news.event : news.report.before;
    if (event !== undefined && 'call' in event && calls.underWay.has(event.call)) yield watched(event);
    if (news.from === 'heartbeat') yield* live(calls.heartbeat(news.report.call, news.report.texts));
  }

  function* live(events: readonly LiveEvent[]): Generator<WatchedEvent> {
    for (const event of events) yield watched({ ...event, at: Date.now() });
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
    for await (const watched of watchEvents(
      client,
      run,
      { ...options, present: undefined, onFact: undefined },
      isKnown ? positions : [],
      left,
    ))
      yield { at: watched.at, from: 'child', child, watched };
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
