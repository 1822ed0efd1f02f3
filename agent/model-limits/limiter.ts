import { limits as bounds } from '../values/limits.ts';
import {
  type Lease,
  type LeaseRequest,
  type ModelLimits,
  USUAL_PRIORITY,
  type Want,
} from './lease-request.ts';
import { type Turns, firstOf, newTurns, taken } from './fair-turns.ts';

/** State of a model's limits, which one workflow keeps for all workers. JSON. */
export interface LimiterState {
  /** Time of the levels, in milliseconds since 1970. */
  at: number;
  /** Requests and tokens that have been saved up. Tokens may be below 0: the last request took more than was left. */
  saved: Amounts;
  /** Leases of the last minute, by the second. */
  past: ({ at: number } & Amounts)[];
  /** The model has asked to be left alone until then. */
  heldUntil: number;
  workers: { [id: string]: WorkerState };
  tenants: Turns;
  /** Turns of a tenant's agents. */
  agents: { [tenant: string]: Turns };
}

interface Amounts {
  requests: number;
  tokens: number;
}

interface WorkerState {
  at: number;
  inFlight: number;
  wants: Want[];
}

/**
 * Part of the limits that is used, in each minute. The rest is for estimates that were too low, and for the time between a lease
 * and its request.
 */
const SHARE = 0.97;
/** Requests and tokens are saved up for this time at most: the first requests do not come at once, and a pause is made up for. */
const SAVED_MS = 8_000;
const FIRST_MS = 1_000;
/** Workers ask more often than this while calls wait. */
const WANTED_MS = 2_000;
/** Workers report more often than this while requests are under way, if `concurrency` is limited. */
const WORKER_MS = 15_000;
const MINUTE = 60_000;
const SECOND = 1_000;

export function newLimiter(now: number): LimiterState {
  const saved = { requests: 1, tokens: 1 };
  const at = now - FIRST_MS;
  return { at, saved, past: [], heldUntil: 0, workers: {}, tenants: newTurns(), agents: {} };
}

/**
 * Grants a worker what is its part of the limits now, and returns the next state. Calls of the most urgent priority come before all others.
 * Among them, tenants share equally, and each tenant's agents. Among the workers with calls of one agent, the call that has waited longest
 * is the first. Capacity for other workers' calls is left until they ask.
 */
export function lease(
  before: LimiterState,
  request: LeaseRequest,
  now: number,
): { state: LimiterState; lease: Lease } {
  const { worker, limits, wants } = request;
  let state = withReport(refilled(before, limits, now), request, now);
  const granted = wants.map(() => 0);
  let open = openWants(state);
  for (let plan = state; open.length > 0 && mayBegin(plan, limits);) {
    const next = nextWant(plan, open);
    if (next === undefined) break;
    plan = withStart(plan, next, limits);
    open = open.flatMap((one) => (one === next ? lessOne(one, now) : [one]));
    if (next.worker !== worker) continue;
    state = withStart(state, next, limits);
    granted[next.index] = (granted[next.index] ?? 0) + 1;
  }
  const left = wants.flatMap((want, index) => {
    const calls = want.calls - (granted[index] ?? 0);
    return calls > 0 ? [{ ...want, calls }] : [];
  });
  state = withWorker(state, worker, { at: now, wants: left });
  return { state, lease: { granted, waitMs: waitMs(state, limits, now) } };
}

/** Infinity for a limit that is not given. */
function perMs(limit: number | undefined): number {
  return limit === undefined ? Infinity : (limit * SHARE) / MINUTE;
}

function refilled(state: LimiterState, { rpm, tpm }: ModelLimits, now: number): LimiterState {
  const ms = Math.max(0, now - state.at);
  return {
    ...state,
    at: now,
    saved: {
      requests: refilledBy(state.saved.requests, rpm, ms),
      tokens: refilledBy(state.saved.tokens, tpm, ms),
    },
    past: state.past.filter(({ at }) => now - at < MINUTE + SECOND),
  };
}

/** Saved requests or tokens after some time. At least one can be saved, however few the limit allows. 0 for no limit. */
function refilledBy(saved: number, limit: number | undefined, ms: number): number {
  if (limit === undefined) return 0;
  return Math.min(Math.max(1, perMs(limit) * SAVED_MS), saved + perMs(limit) * ms);
}

/** Adds a worker's report: corrections, the provider's numbers, and its calls. Drops workers that have reported nothing for long. */
function withReport(state: LimiterState, request: LeaseRequest, now: number): LimiterState {
  const { worker, wants, inFlight, used, holdMs = 0, remaining } = request;
  const workers = Object.entries(state.workers).filter(([, { at }]) => now - at < WORKER_MS);
  const { saved, past } = used === undefined ? state : withUsed(state, used);
  return {
    ...state,
    past,
    // The provider may have less left than we reckon with: others use the same key.
    saved: {
      requests: Math.min(saved.requests, remaining?.requests ?? Infinity),
      tokens: Math.min(saved.tokens, remaining?.tokens ?? Infinity),
    },
    heldUntil: Math.max(state.heldUntil, now + Math.min(holdMs, bounds.retryAfterMs)),
    workers: { ...Object.fromEntries(workers), [worker]: { at: now, inFlight, wants } },
  };
}

function withUsed<S extends Pick<LimiterState, 'at' | 'saved' | 'past'>>(
  state: S,
  { requests, tokens }: Amounts,
): S {
  const second = state.at - (state.at % SECOND);
  const last = state.past.at(-1);
  const isSame = last?.at === second;
  const before = isSame ? last : { requests: 0, tokens: 0 };
  const now = { at: second, requests: before.requests + requests, tokens: before.tokens + tokens };
  return {
    ...state,
    saved: { requests: state.saved.requests - requests, tokens: state.saved.tokens - tokens },
    past: [...(isSame ? state.past.slice(0, -1) : state.past), now],
  };
}

function mayBegin(state: LimiterState, { rpm, tpm, concurrency = Infinity }: ModelLimits): boolean {
  const inFlight = Object.values(state.workers).reduce((sum, one) => sum + one.inFlight, 0);
  const { saved, past } = state;
  const inMinute = (name: keyof Amounts) => past.reduce((sum, one) => sum + one[name], 0);
  return (
    state.at >= state.heldUntil &&
    inFlight < concurrency &&
    (rpm === undefined || (saved.requests >= 1 && inMinute('requests') < rpm * SHARE)) &&
    (tpm === undefined || (saved.tokens > 0 && inMinute('tokens') < tpm * SHARE))
  );
}

interface OpenWant extends Want {
  worker: string;
  index: number;
}

function openWants({ workers, at: now }: LimiterState): OpenWant[] {
  return Object.entries(workers).flatMap(([worker, { at, wants }]) =>
    now - at >= WANTED_MS ? [] : wants.map((want, index) => ({ ...want, worker, index })),
  );
}

const priorityOf = ({ priority = USUAL_PRIORITY }: Want): number => priority;

function nextWant({ tenants, agents }: LimiterState, all: readonly OpenWant[]): OpenWant | undefined {
  const priority = Math.min(...all.map(priorityOf));
  const open = all.filter((want) => priorityOf(want) === priority);
  const tenant = firstOf(
    tenants,
    open.map((want) => want.tenant),
  );
  const ofTenant = open.filter((want) => want.tenant === tenant);
  const agent = firstOf(
    turnsOf(agents, tenant ?? ''),
    ofTenant.map((want) => want.agent),
  );
  return ofTenant
    .filter((want) => want.agent === agent)
    .reduce<OpenWant | undefined>(
      (first, want) => (first === undefined || want.since < first.since ? want : first),
      undefined,
    );
}

/** The waits of calls are taken to be spread evenly from the longest until now. */
function lessOne(want: OpenWant, now: number): OpenWant[] {
  const { calls, since } = want;
  return calls <= 1 ? [] : [{ ...want, calls: calls - 1, since: since + (now - since) / calls }];
}

function withStart(state: LimiterState, want: OpenWant, limits: ModelLimits): LimiterState {
  const { worker, tenant, agent, tokens } = want;
  const cost = Math.max(1 / (limits.rpm ?? Infinity), tokens / (limits.tpm ?? Infinity)) || 1;
  const inFlight = (state.workers[worker]?.inFlight ?? 0) + 1;
  const tenants = taken(state.tenants, tenant, cost);
  // A tenant whose turns are forgotten has had none for a while.
  const agents = Object.entries(state.agents).filter(([name]) => Object.hasOwn(tenants.next, name));
  return withWorker(
    {
      ...withUsed(state, { requests: 1, tokens }),
      tenants,
      agents: {
        ...Object.fromEntries(agents),
        [tenant]: taken(turnsOf(state.agents, tenant), agent, cost),
      },
    },
    worker,
    { inFlight },
  );
}

function turnsOf(agents: LimiterState['agents'], tenant: string): Turns {
  return (Object.hasOwn(agents, tenant) ? agents[tenant] : undefined) ?? newTurns();
}

function withWorker(state: LimiterState, id: string, change: Partial<WorkerState>): LimiterState {
  const before = state.workers[id] ?? { at: state.at, inFlight: 0, wants: [] };
  return { ...state, workers: { ...state.workers, [id]: { ...before, ...change } } };
}

function waitMs(state: LimiterState, { rpm, tpm }: ModelLimits, now: number): number {
  const wants = openWants(state);
  const calls = wants.reduce((sum, want) => sum + want.calls, 0);
  const tokens = wants.reduce((sum, want) => sum + want.calls * want.tokens, 0);
  const missing = (needed: number, saved: number) => Math.max(0, needed - saved);
  const { saved, heldUntil } = state;
  return Math.ceil(
    Math.max(0, heldUntil - now) +
      Math.max(missing(calls, saved.requests) / perMs(rpm), missing(tokens, saved.tokens) / perMs(tpm)),
  );
}
