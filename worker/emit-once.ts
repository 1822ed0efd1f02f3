import { LRUCache } from 'lru-cache';

/** Events that one execution has emitted. */
interface EmittedEvents {
  /** Number of the next event, unless a workflow task is done again. */
  next: number;
  /** Latest events, oldest first. */
  latest: { n: number; key: string }[];
  /** Events of a task that is done again, which were emitted the first time. */
  before: string[];
}

const EXECUTIONS = 1000;
/** More events than a workflow task emits. */
const LATEST = 100;

/**
 * Finds events that are emitted a second time. The SDK calls sinks before the server has accepted the end of a workflow task. The server
 * refuses the end where a message arrived meanwhile; then the task is done again, perhaps with other events between.
 */
export class EmitOnce {
  readonly #executions = new LRUCache<string, EmittedEvents>({ max: EXECUTIONS });

  /** Returns true for a new event. `n`: number of the event in its execution; `key`: what happened. */
  isNew(runId: string, n: number, key: string): boolean {
    const emitted = this.#executions.get(runId) ?? { next: 0, latest: [], before: [] };
    this.#executions.set(runId, emitted);
    const { latest, next } = emitted;
    if (n < next) {
      const first = latest.findIndex((event) => event.n >= n);
      emitted.before = first < 0 ? [] : latest.splice(first).map((event) => event.key);
    }
    emitted.next = n + 1;
    latest.push({ n, key });
    if (latest.length > LATEST) latest.shift();
    const at = emitted.before.indexOf(key);
    if (at >= 0) emitted.before.splice(at, 1);
    return at < 0;
  }
}
