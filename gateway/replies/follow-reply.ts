import {
  type AgentClient,
  createWorkerLook,
  isRecorded,
  type RunEvent,
  RunView,
} from '../../client/index.ts';
import { Refused, problemOf } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { isPlainAgent } from '../http/route.ts';
import { type StartedRun, waitUntilBegun } from '../start/start-run.ts';
import { type RunPart, runParts } from './run-parts.ts';
import { withStillness } from './stillness.ts';
import { type WorkerPart, withWorkerParts } from './worker-parts.ts';

/** A part of a run's reply, and its place in the record. Two readers of a run find the same recorded part at the same place. */
export interface PlacedPart {
  part: RunPart;
  place: PartPlace;
}

export interface PartPlace {
  /** Number of recorded events up to the part. */
  event: number;
  /** Number of the recorded event with which the latest model call started, or failed. */
  since: number;
  /** Attempt of the latest model call. */
  attempt: number;
}

/** A reply that is being read; `view` is the state of the run so far. */
export interface Reply {
  view: RunView;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Can be read once. */
  parts: AsyncGenerator<PlacedPart>;
}

export interface ReplyOptions {
  /** `wait`: the parts end also when the run is held up until a person decides. `now`: they end with what is recorded now. */
  until: 'end' | 'wait' | 'now';
  signal: AbortSignal;
}

/** Reads the reply of a run. Resolves when the run has started. Throws RunNotFound; Refused if the signal comes before. */
export async function followReply(
  { client, agents }: Pick<ProtocolRequest, 'client' | 'agents'>,
  { id, hasBegun = true }: { id: string; hasBegun?: boolean },
  { until, signal }: ReplyOptions,
): Promise<Reply> {
  if (!hasBegun && !(await waitUntilBegun(client, id, signal))) throw notBegun(id);
  const follow = until !== 'now';
  const left = new AbortController();
  const events = client
    .get(id)
    .events({ follow, live: follow, signal: AbortSignal.any([signal, left.signal]) });
  const reply = await replyOf(id, events, { agents });
  if (!follow) return reply;
  const place: PartPlace = { event: 0, since: 0, attempt: 0 };
  const look = createWorkerLook(client, { id });
  const wrap = (part: RunPart) => ({ part, place: { ...place } });
  const still = withStillness(placesIn(reply.parts, place), { view: reply.view, wrap });
  const parts = withWorkerParts(until === 'wait' ? untilHeldUp(still, reply.view, left) : still, look, {
    isWorking: () => reply.view.heldUpBy().length === 0,
    wrap,
  });
  return { ...reply, parts };
}

async function* untilHeldUp(
  parts: AsyncGenerator<PlacedPart>,
  view: RunView,
  left: AbortController,
): AsyncGenerator<PlacedPart> {
  try {
    for await (const placed of parts) {
      yield placed;
      if (view.isCaughtUp && placed.part.type === 'held_up' && placed.part.by.length > 0) return;
    }
  } finally {
    left.abort();
  }
}

/** Notes the place of the latest part. */
async function* placesIn(parts: AsyncGenerator<PlacedPart>, latest: PartPlace): AsyncGenerator<PlacedPart> {
  for await (const placed of parts) {
    Object.assign(latest, placed.place);
    yield placed;
  }
}

/** Says whether a worker is there while a run waits for its turn in a session. Ends when the run has started, and with the signal. */
export async function* partsUntilBegun(
  client: AgentClient,
  { id, hasBegun, session }: StartedRun,
  signal: AbortSignal,
): AsyncGenerator<WorkerPart> {
  if (hasBegun) return;
  async function* begun(): AsyncGenerator<WorkerPart> {
    await waitUntilBegun(client, id, signal);
    yield* [];
  }
  const look = createWorkerLook(client, { id, session });
  yield* withWorkerParts(begun(), look, { isWorking: () => true, wrap: (part) => part });
}

/** Reads a reply from the events of a run. Throws Refused without events. */
export async function replyOf(
  id: string,
  events: AsyncGenerator<RunEvent>,
  { agents }: Pick<ProtocolRequest, 'agents'>,
): Promise<Reply> {
  const view = new RunView(id);
  const place: PartPlace = { event: 0, since: 0, attempt: 0 };
  const first = await events.next();
  if (first.done === true) throw notBegun(id);
  note(first.value);
  return { view, startedAt: first.value.at, parts: placedParts(first.value) };

  async function* placedParts(begun: RunEvent): AsyncGenerator<PlacedPart> {
    const isPlain = isPlainAgent(agents, view.agent);
    for await (const part of runParts(seen(begun), { isPlain, view })) yield { part, place: { ...place } };
  }

  async function* seen(begun: RunEvent): AsyncGenerator<RunEvent> {
    yield begun;
    for await (const event of events) {
      if (event.within !== undefined) continue;
      note(event);
      yield event;
    }
  }

  function note(event: RunEvent): void {
    view.add(event);
    if (isRecorded(event)) place.event++;
    if (event.type === 'model_started' || event.type === 'model_failed') place.since = place.event;
    if (event.type === 'model_text') place.attempt = event.attempt;
    if (event.type === 'model_ended') place.attempt = event.turn.attempt ?? event.attempts;
  }
}

/**
 * A request that has started a run and has no answer. Clients send some requests again on their own, and so would start a second run.
 * 400 is the status that none of them sends again: the AI SDK (6 and 7) sends 408, 409, 429 and 5xx again, LangChain.js (core 1.4.0) all but
 * 400 to 407, 409 and 413. OpenAI's clients and the SDKs on top of them know the header too.
 */
export function refusedAfterStart(code: string, message: string): Refused {
  return new Refused(400, code, message, { 'x-should-retry': 'false' });
}

/** Makes the error for a client whose run has been started, if the run cannot be read. */
export function errorAfterStart(id: string, error: unknown): unknown {
  const { status, detail } = problemOf(error);
  if (status < 500) return error;
  return refusedAfterStart('RunUnderWay', `Run ${id} has been started, but cannot be read now. ${detail}`);
}

function notBegun(id: string): Refused {
  return refusedAfterStart('RunUnderWay', `Run ${id} has not begun yet.`);
}
