import { randomUUID } from 'node:crypto';
import type {
  Lease,
  LeaseRequest,
  ModelLimits,
  Remaining,
  Want,
} from '../../agent/model-limits/lease-request.ts';

/** A call that wants to ask the model. */
export interface LimitedCall {
  tenant: string;
  /** 1 goes first. undefined: 3. */
  priority?: number | undefined;
  agent: string;
  /** Estimated tokens of the request and its reply. Replies to other calls change the estimate. */
  tokens(): number;
  /** Start of the wait, in milliseconds since 1970. */
  since: number;
}

/** A granted request. One of its functions is called, once. */
export interface Permit {
  /** The request is over. `tokens`: those that it took, if they are known. */
  end(tokens?: number): void;
  /** The request was not sent: another call may have it. */
  giveBack(): void;
}

/** The calls of a worker that wait for one model's limits, or are under way. */
export interface WaitingCalls {
  /** Resolves when the request may start. Rejects with the signal's reason; then nothing is taken. */
  wait(call: LimitedCall, signal: AbortSignal): Promise<Permit>;
  /** Keeps all workers from asking the model for this time. */
  hold(ms: number): void;
  /** Numbers that the provider sent with a reply. */
  remains(remaining: Remaining): void;
  /** Estimated time until a call that waits now may start. */
  readonly waitMs: number;
  /** The error of the last message, if it had no answer. */
  readonly problem: unknown;
}

interface Waiter extends LimitedCall {
  grant(permit: Permit): void;
}

/** Shortest time between two messages to the workflow. */
const EVERY_MS = 400;
/** Time until the next message after one that failed. */
const AGAIN_MS = 2_000;
/** Time until the next message if no call waits for its answer. */
const LATER_MS = 5_000;

/** `ask` sends a message to the workflow that keeps the model's limits. Its errors are not passed on: calls wait longer. */
export function createWaitingCalls(
  limits: ModelLimits,
  ask: (request: LeaseRequest) => Promise<Lease>,
): WaitingCalls {
  const worker = randomUUID();
  const waiting = new Map<string, Waiter[]>();
  let inFlight = 0;
  let waitMs = 0;
  let problem: unknown;
  /** Facts that the workflow does not know yet. */
  let unreported: Pick<LeaseRequest, 'used' | 'holdMs' | 'remaining'> | undefined;
  /** Calls of other workers depend on the report. */
  let urgent = false;
  let timer: NodeJS.Timeout | undefined;
  let asking = false;
  let nextAt = 0;

  const use = (requests: number, tokens: number) => {
    const { used } = unreported ?? {};
    unreported = {
      ...unreported,
      used: { requests: (used?.requests ?? 0) + requests, tokens: (used?.tokens ?? 0) + tokens },
    };
  };

  function plan(): void {
    clearTimeout(timer);
    if (asking) return;
    const isNow = waiting.size > 0 || urgent;
    const isAlive = inFlight > 0 && limits.concurrency !== undefined;
    if (!isNow && !isAlive && unreported === undefined) return;
    const at = isNow ? nextAt : nextAt + LATER_MS;
    timer = setTimeout(() => void exchange(), Math.max(0, at - Date.now()));
    timer.unref(); // an activity that waits keeps the process alive
  }

  async function exchange(): Promise<void> {
    const pairs = [...waiting];
    const wants = pairs.map(([, waiters]) => wantOf(waiters));
    const reported = unreported;
    unreported = undefined;
    urgent = false;
    asking = true;
    nextAt = Date.now() + EVERY_MS;
    try {
      const lease = await ask({ worker, limits, wants, inFlight, ...reported });
      waitMs = lease.waitMs;
      problem = undefined;
      pairs.forEach(([pair], index) => start(pair, lease.granted[index] ?? 0, wants[index]?.tokens ?? 0));
    } catch (error) {
      nextAt = Date.now() + AGAIN_MS;
      waitMs = AGAIN_MS;
      problem = error;
      // A message that may have arrived: its corrections are lost, and not made twice.
    } finally {
      asking = false;
      plan();
    }
  }

  /** Starts the calls of an agent that have waited longest. Gives back what no call needs any more. */
  function start(pair: string, granted: number, tokens: number): void {
    const waiters = waiting.get(pair) ?? [];
    const first = waiters.splice(0, granted);
    if (waiters.length === 0) waiting.delete(pair);
    inFlight += first.length;
    for (const waiter of first) waiter.grant(permit(tokens));
    const unused = granted - first.length;
    if (unused > 0) use(-unused, -unused * tokens);
  }

  function permit(leased: number): Permit {
    const ended = (requests: number, tokens: number) => {
      inFlight -= 1;
      if (requests !== 0 || tokens !== 0) use(requests, tokens);
      urgent ||= limits.concurrency !== undefined;
      plan();
    };
    return {
      end: (tokens = leased) => ended(0, tokens - leased),
      giveBack: () => ended(-1, -leased),
    };
  }

  return {
    get waitMs() {
      return waitMs;
    },
    get problem() {
      return problem;
    },
    hold(ms) {
      unreported = { ...unreported, holdMs: Math.max(ms, unreported?.holdMs ?? 0) };
      urgent = true;
      plan();
    },
    remains(remaining) {
      unreported = { ...unreported, remaining };
    },
    wait(caller, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const pair = JSON.stringify([caller.tenant, caller.priority, caller.agent]);
        const leave = () => {
          const others = (waiting.get(pair) ?? []).filter((one) => one !== waiter);
          if (others.length === 0) waiting.delete(pair);
          else waiting.set(pair, others);
          reject(signal.reason as Error);
        };
        const waiter: Waiter = {
          ...caller,
          grant(given) {
            signal.removeEventListener('abort', leave);
            resolve(given);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        const all = [...(waiting.get(pair) ?? []), waiter];
        waiting.set(
          pair,
          all.sort((a, b) => a.since - b.since),
        );
        plan();
      });
    },
  };
}

function wantOf(waiters: readonly Waiter[]): Want {
  const [{ tenant, priority, agent, since }] = waiters as [Waiter]; // never empty
  const tokens = waiters.reduce((sum, one) => sum + one.tokens(), 0) / waiters.length;
  return { tenant, priority, agent, calls: waiters.length, tokens: Math.ceil(tokens), since };
}
