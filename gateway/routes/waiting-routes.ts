import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { type Told, toldTo, toldWaiting } from '../start/withheld.ts';
import { route } from '../http/route.ts';
import { seenOwner } from '../start/own-runs.ts';
import { ownPrefix } from '../http/tenant.ts';
import { eventText, sseResponse } from '../replies/sse-response.ts';
import type { WaitingChange } from '../waiting/waiting-feed.ts';
import { isOwn } from '../waiting/waiting-reader.ts';
import * as schemas from './schemas.ts';

/** Runs that are read at the same time. */
const READERS = 8;

/** The calls that wait for a person, over all runs. */
export const waitingRoutes = [
  route({
    method: 'get',
    path: '/waiting',
    summary: 'Runs that wait for a person',
    query: schemas.waitingQuery,
    response: schemas.waitingList,
    async handle({ client, caller, query: { limit = 50 } }) {
      const idPrefix = ownPrefix(caller) || undefined;
      const { runs } = await client.listPage({
        status: 'waiting',
        limit,
        idPrefix,
        owner: seenOwner(caller),
      });
      return aFewAtATime(runs.filter(isOwn), READERS, async ({ id }) => ({
        run: await client.get(id).describe(),
      }));
    },
  }),
  route({
    method: 'get',
    path: '/waiting/events',
    summary:
      'Server-sent events: `waiting` for each run that waits for a person, `caught_up`, and then `waiting` and `over` as runs change',
    handle: async ({ feed, caller, request, report }) =>
      sseResponse(request, (signal) =>
        waitingTexts(
          feed.changes(ownPrefix(caller), signal, seenOwner(caller)),
          toldTo(caller),
          signal,
          report,
        ),
      ),
  }),
];

async function* waitingTexts(
  changes: AsyncGenerator<WaitingChange>,
  told: Told,
  signal: AbortSignal,
  report: (error: unknown) => void,
): AsyncGenerator<string> {
  try {
    for await (const change of changes) {
      const { type, ...data } =
        change.type === 'waiting' ? { ...change, run: toldWaiting(change.run, told) } : change;
      yield eventText(data, type);
    }
  } catch (error) {
    if (!signal.aborted) report(error);
  }
}
