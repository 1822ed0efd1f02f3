import { isObject } from '../values/json-object.ts';
import { queuePrefix } from '../values/names.ts';

/** The protocol between workers and the workflow that shares a model's limits among them. */

/** Limits of one model, over all workers of a task queue. At least one is given. */
export interface ModelLimits {
  /** Requests a minute. */
  rpm?: number | undefined;
  /** Tokens a minute, of prompts and replies together. */
  tpm?: number | undefined;
  /** Requests at a time. */
  concurrency?: number | undefined;
}

/** Workflow type. */
export const MODEL_LIMITS = 'modelLimits';
/** Name of the update by which a worker asks for requests. */
export const LEASE = 'lease';

/** Type of the failure of an attempt that leaves its place in the worker to another call: it is not counted. */
export const MODEL_LIMIT = 'ModelLimit';

/** Priority of a run that names none. Temporal has the same. */
export const USUAL_PRIORITY = 3;

/** Id of the workflow: one for each task queue and model. */
export function limiterId(taskQueue: string, model: string): string {
  return `${queuePrefix('reloop-limits', taskQueue)}${model}`;
}

/** Calls of one agent, tenant and priority that wait in a worker. */
export interface Want {
  tenant: string;
  /** 1 goes first. Absent: {@link USUAL_PRIORITY}. */
  priority?: number | undefined;
  agent: string;
  calls: number;
  /** Estimated tokens of each. */
  tokens: number;
  /** Start of the longest wait, in milliseconds since 1970. */
  since: number;
}

/** Numbers of a provider's headers: what is left until its limit. */
export interface Remaining {
  requests?: number | undefined;
  tokens?: number | undefined;
}

/** Message of a worker to the workflow. */
export interface LeaseRequest {
  worker: string;
  limits: ModelLimits;
  wants: Want[];
  /** Requests of this worker under way. */
  inFlight: number;
  /** Correction of earlier leases: what was used beyond the lease; negative for less. */
  used?: { requests: number; tokens: number } | undefined;
  /** The model asked to be left alone for this time. */
  holdMs?: number | undefined;
  remaining?: Remaining | undefined;
}

export interface Lease {
  /** Calls that may start now, for each of the wants. */
  granted: number[];
  /** Estimated time until all calls that wait now have started. */
  waitMs: number;
}

/** Returns true for a request that a worker of ours has sent: a person may send anything in the Web UI. */
export function isLeaseRequest(value: unknown): value is LeaseRequest {
  if (!isObject(value)) return false;
  const { worker, limits, wants, inFlight, used, holdMs, remaining } = value;
  return (
    typeof worker === 'string' &&
    isObject(limits) &&
    Array.isArray(wants) &&
    wants.every(isWant) &&
    areNumbers([inFlight, holdMs ?? 0]) &&
    (used === undefined || (isObject(used) && areNumbers([used['requests'], used['tokens']]))) &&
    (remaining === undefined || isObject(remaining))
  );
}

function isWant(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { tenant, priority = USUAL_PRIORITY, agent, calls, tokens, since } = value;
  const numbers = [priority, calls, tokens, since];
  return typeof tenant === 'string' && typeof agent === 'string' && areNumbers(numbers);
}

function areNumbers(values: readonly unknown[]): boolean {
  return values.every((value) => Number.isFinite(value));
}
