import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentClient } from '../../client/index.ts';
import { type WaitingReader, createWaitingReader } from './waiting-reader.ts';
import type { WaitingRun } from './waiting-run.ts';

/** A change of what waits. The first changes are the runs that wait now, up to `caught_up`, which comes again when `more` changes. */
export type WaitingChange =
  | { type: 'waiting'; run: WaitingRun }
  | { type: 'over'; id: string }
  /** `more`: more runs wait than are listed. */
  | { type: 'caught_up'; more: boolean };

/** The runs that wait for a person, as they come and go. */
export interface WaitingFeed {
  /**
   * Changes of the runs whose ids start with `prefix`, and that belong to `owner`, if given. A slow reader gets the latest state. Throws the errors of the client, and an
   * AbortError when the signal comes.
   */
  changes(prefix: string, signal: AbortSignal, owner?: string): AsyncGenerator<WaitingChange>;
}

export interface WaitingFeedOptions {
  /** Address of Temporal's Web UI. */
  webUi?: string | undefined;
  /** Milliseconds between two polls. Default: 1000. */
  pollMs?: number | undefined;
}

const POLL_MS = 1000;

/** The state of what waits, of all readers of one prefix. */
interface Poll {
  readers: number;
  runs: ReadonlyMap<string, WaitingRun>;
  more: boolean;
  /** Counts the changes of the state; 0: nothing is known yet. */
  version: number;
  failure?: unknown;
  /** Emits `changed`. */
  readonly news: EventEmitter;
}

/** Asks Temporal once a second for each prefix that has readers, however many these are. */
export function createWaitingFeed(
  client: AgentClient,
  { webUi, pollMs = POLL_MS }: WaitingFeedOptions = {},
): WaitingFeed {
  const polls = new Map<string, Poll>();

  return {
    async *changes(prefix, signal, owner) {
      const poll = polls.get(prefix) ?? begin(prefix);
      poll.readers++;
      try {
        yield* changesOf(poll, signal, owner);
      } finally {
        poll.readers--;
      }
    },
  };

  function begin(prefix: string): Poll {
    const news = new EventEmitter().setMaxListeners(0);
    const poll: Poll = { readers: 0, runs: new Map(), more: false, version: 0, news };
    polls.set(prefix, poll);
    void keepPolling(prefix, poll, createWaitingReader(client, prefix, webUi));
    return poll;
  }

  async function keepPolling(prefix: string, poll: Poll, read: WaitingReader): Promise<void> {
    try {
      do {
        const { runs, more } = await read();
        if (poll.version === 0 || more !== poll.more || differ(runs, poll.runs)) {
          Object.assign(poll, { runs, more, version: poll.version + 1 });
          poll.news.emit('changed');
        }
        await sleep(pollMs, undefined, { ref: false });
      } while (poll.readers > 0);
      polls.delete(prefix);
    } catch (failure) {
      polls.delete(prefix);
      Object.assign(poll, { failure, version: poll.version + 1 });
      poll.news.emit('changed');
    }
  }
}

async function* changesOf(
  poll: Poll,
  signal: AbortSignal,
  owner: string | undefined,
): AsyncGenerator<WaitingChange> {
  const sent = new Map<string, WaitingRun>();
  let moreSent: boolean | undefined;
  for (let seen = 0; ;) {
    if (poll.version === seen) await once(poll.news, 'changed', { signal });
    seen = poll.version;
    const { runs, more, failure } = poll;
    if (failure !== undefined) throw failure;
    for (const [id, run] of runs) {
      if (sent.get(id) === run || (owner !== undefined && run.owner !== owner)) continue;
      sent.set(id, run);
      yield { type: 'waiting', run };
    }
    for (const id of sent.keys()) {
      if (runs.has(id)) continue;
      sent.delete(id);
      yield { type: 'over', id };
    }
    if (more === moreSent) continue;
    moreSent = more;
    yield { type: 'caught_up', more };
  }
}

/** A run that has changed is another object. */
function differ(a: ReadonlyMap<string, WaitingRun>, b: ReadonlyMap<string, WaitingRun>): boolean {
  return a.size !== b.size || [...a].some(([id, run]) => b.get(id) !== run);
}
