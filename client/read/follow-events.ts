import type { Client } from '@temporalio/client';
import type { AgentKind } from '../../agent/definition/kind.ts';
import { type RunEvent, isRecorded } from '../../agent/run/events.ts';
import type { RunRef } from '../../history/read/pages.ts';
import type { Fact } from '../../history/read/fact.ts';
import { type AskedRequest, requestReader } from '../../history/views/requests.ts';
import type { Present } from '../../history/views/timeline.ts';
import { type Position, isPositionOf, readPositions, writePositions } from '../../history/read/positions.ts';
import { InvalidInput } from '../connect/errors.ts';
import { watchEvents } from './watch-events.ts';

export interface EventsOptions {
  /** Include text, progress and failed attempts of calls under way. Default true. */
  live?: boolean | undefined;
  /** Continue until the run ends (default); without, return the events so far. */
  follow?: boolean | undefined;
  /** Include the events of sub-agents' runs, each with its `within`. Default false. */
  subAgents?: boolean | undefined;
  /** The `eventId` of an event: continue right after it. */
  after?: string | undefined;
  /** Called with the exact request of each model call of the run itself, before the call's `model_started` arrives. */
  onRequest?: ((request: AskedRequest) => unknown) | undefined;
  /** All kinds that agents of the run may have, for `onRequest`. Default: the built-in kinds. */
  kinds?: readonly AgentKind[] | undefined;
  /** Ends the events, as leaving the loop does, also while none comes. */
  signal?: AbortSignal | undefined;
}

/** The events of a run as its readers get them; `runId`: which run of Temporal recorded the event. */
export async function* followEvents(
  client: Client,
  run: RunRef,
  { live = true, follow = true, subAgents = false, after, onRequest, kinds, signal }: EventsOptions,
  present?: Present,
): AsyncGenerator<{ event: RunEvent; runId: string }> {
  const positions = await knownPositions(client, run, after);
  const isOver = () => signal?.aborted === true;
  if (isOver()) return;
  const left = new AbortController();
  const leave = () => left.abort();
  signal?.addEventListener('abort', leave);
  try {
    const requestsOf = requestReader(client, kinds);
    const onFact = onRequest && (async (fact: Fact) => (await requestsOf(fact)).forEach(onRequest));
    const options = { live, follow, subAgents, present, onFact };
    for await (const { event, positions: at } of watchEvents(client, run, options, positions, left)) {
      if (isOver()) return;
      const eventId = isRecorded(event) ? writePositions(at) : undefined;
      yield {
        event: eventId === undefined ? event : { ...event, eventId },
        runId: at[0]?.runId ?? run.runId,
      };
    }
  } catch (error) {
    if (!isOver()) throw error;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

/** Throws InvalidInput for a value that is not an event of this run. */
export async function knownPositions(
  client: Client,
  run: RunRef,
  after: string | undefined,
): Promise<Position[]> {
  if (after === undefined) return [];
  const positions = readPositions(after) ?? [];
  const own = positions.find(({ within }) => within === '');
  if (own !== undefined && (await isPositionOf(client, run, own))) return positions;
  throw new InvalidInput(
    `There is no event "${after.slice(0, 200)}" in run "${run.workflowId}", or it is no longer kept. events() without \`after\` starts with the first event.`,
  );
}
