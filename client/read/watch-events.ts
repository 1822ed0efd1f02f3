import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { RunEvent } from '../../agent/run/events.ts';
import { type CallsUnderWay, trackCalls } from '../../agent/run/view.ts';
import { createLivePoll } from '../../history/list/live.ts';
import { type RunRef, isNotFound } from '../../history/read/pages.ts';
import {
  type Position,
  isPositionOf,
  positionsBelow,
  positionsWithin,
} from '../../history/read/positions.ts';
import type { ChildBegun, Moment, TimelineOptions } from '../../history/views/timeline.ts';
import { readTimeline } from '../../history/views/timeline.ts';
import { callsNotBegun } from '../connect/calls-not-begun.ts';
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
/** Polls of the calls under way for each look at who could begin them. */
const POLLS_A_LOOK = 3;

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
  const underWay: CallsUnderWay = new Map();
  const pool = createPool<Arrival>({ complete: !options.follow });
  const { follow, present, onFact } = options;
  const reading = { follow, after: own, present, onFact, signal: left.signal };
  pool.add(fromRecord(readTimeline(client, run, reading)));
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
    const { child, relation, events, known, runId, event } = moment;
    if (moment.isPresent) {
      if (options.live && follow) yield watched({ type: 'caught_up', at: moment.at });
      return;
    }
    if (relation === 'after') open();
    if (child?.type === 'over') yield* over(child.key);
    if (child?.type === 'begun' && options.subAgents) begin(child, relation);
    current = { ...run, runId };
    for (const [index, told] of events.entries()) {
      trackCalls(underWay, told);
      if (index < known) continue;
      position = { within: '', runId, event, index };
      yield watched({ ...told, at: moment.at });
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

  /**
   * Live events of calls under way. A convenience: if they cannot be had, the recorded events continue without them.
   */
  async function* fromCalls(): AsyncGenerator<Arrival> {
    const poll = createLivePoll(
      client,
      () => current,
      (call) => underWay.has(call),
    );
    const told = new Set<string>();
    for (let polls = 0; ; polls++) {
      await sleep(POLL_MS, undefined, { ref: false, signal: left.signal });
      if (underWay.size === 0) continue;
      for (const event of await poll().catch(() => [])) yield { at: event.at, from: 'calls', event };
      if (polls % POLLS_A_LOOK !== 0) continue;
      for (const unbegun of await callsNotBegun(client, current).catch(() => [])) {
        if (told.has(unbegun.call)) continue;
        told.add(unbegun.call);
        const event = { at: Date.now(), type: 'not_begun', ...unbegun } as const;
        yield { at: event.at, from: 'calls', event };
      }
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
