import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { LiveCalls } from '../../agent/live-text/live-calls.ts';
import type { LivePiece } from '../../agent/live-text/live-piece.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { type CallReport, createLivePoll } from '../../history/list/live.ts';
import type { RunRef } from '../../history/read/pages.ts';
import { livePieces } from '../../features/live/subscription.ts';
import { type Obstacles, obstaclesOf } from '../connect/obstacles.ts';

/** News of a call under way, from no record. */
export type CallNews = { at: number } & (
  | { from: 'heartbeat'; report: CallReport }
  | { from: 'channel'; pieces: readonly LivePiece[] }
  | { from: 'server'; event: Extract<RunEvent, { type: 'not_begun' | 'call_paused' }> }
);

/** `run`: the run that is read now. */
export interface CallsSource {
  run: () => RunRef;
  calls: Pick<LiveCalls, 'underWay' | 'scheduledAt'>;
  signal: AbortSignal;
}

const POLL_MS = 1000;
/** Polls of the calls under way for each look at who could start them. */
const POLLS_A_LOOK = 3;

/**
 * News of calls under way: heartbeats each second, pieces of text as they come. A convenience: if they cannot be had, the recorded events
 * continue without them.
 */
export function callsUnderWay(client: Client, source: CallsSource): AsyncGenerator<CallNews>[] {
  const poll = createLivePoll(client, source.run, source.calls.scheduledAt);
  const look = async (): Promise<CallNews[] | undefined> => {
    const reports = await poll().catch(() => undefined);
    return reports?.map((report) => ({ at: report.at, from: 'heartbeat', report }));
  };
  return [fromServer(client, source, look), fromChannel(client, source, look)];
}

type Look = () => Promise<CallNews[] | undefined>;

async function* fromServer(
  client: Client,
  { run, calls, signal }: CallsSource,
  look: Look,
): AsyncGenerator<CallNews> {
  let told = new Set<string>();
  for (let polls = 0; ; polls++) {
    await sleep(POLL_MS, undefined, { ref: false, signal });
    if (calls.underWay.size === 0) continue;
    yield* (await look()) ?? [];
    if (polls % POLLS_A_LOOK !== 0) continue;
    const found = await obstaclesOf(client, run()).catch(() => undefined);
    if (found === undefined) continue;
    const obstacles = eventsOf(found);
    const keys = obstacles.map(({ type, call }) => `${type} ${call}`);
    for (const [index, event] of obstacles.entries()) {
      if (!told.has(keys[index] ?? '')) yield { at: event.at, from: 'server', event };
    }
    told = new Set(keys);
  }
}

function eventsOf({ notBegun = [], pausedCalls = [] }: Obstacles) {
  const at = Date.now();
  return [
    ...pausedCalls.map((paused) => ({ at, type: 'call_paused' as const, ...paused })),
    ...notBegun.map((unbegun) => ({ at, type: 'not_begun' as const, ...unbegun })),
  ];
}

/** Yields pieces of texts. Asks the server before the first piece of a further attempt how the last one ended: readers get that first. */
async function* fromChannel(
  client: Client,
  { run, calls, signal }: CallsSource,
  look: Look,
): AsyncGenerator<CallNews> {
  const known = new Map<string, number>();
  for await (const pieces of livePieces(client, run().workflowId, signal)) {
    let rest = pieces;
    for (;;) {
      const further = rest.findIndex(({ call, attempt }) => attempt > (known.get(call) ?? 1));
      const next = further < 0 ? rest : rest.slice(0, further);
      if (next.length > 0) yield { at: Date.now(), from: 'channel', pieces: next };
      const first = rest[further];
      if (first === undefined) break;
      const news = calls.underWay.has(first.call) ? await look() : undefined;
      // The heartbeats have the text, if there is no answer.
      if (news === undefined) break;
      yield* news;
      known.set(first.call, first.attempt);
      rest = rest.slice(further);
    }
  }
}
