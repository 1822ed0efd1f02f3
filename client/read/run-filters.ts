import { types } from 'node:util';
import { TAGS_RULE, areTags } from '../../agent/definition/run-tags.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { RunStatus } from '../../agent/values/vocabulary.ts';
import type { ExecutionStatus } from '../../history/list/listed.ts';

/** Filters for runs. A filter that is left out has no effect. */
export interface RunFilters {
  status?: RunStatus | readonly RunStatus[] | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  /** Runs that have all of these. */
  tags?: readonly string[] | undefined;
  /** Runs for this tenant. The server cannot look there: every run is read. */
  tenant?: string | undefined;
  /** Runs that belong to this person: see `owner` of a run. The server cannot look there: every run is read. */
  owner?: string | undefined;
  /** Runs whose id starts with this text. */
  idPrefix?: string | undefined;
  /** Started then or later; a long run continues as new from time to time. */
  since?: Date | undefined;
  /** Started before. */
  until?: Date | undefined;
  /** Text in the first 200 characters of the question, in capitals or not. The server cannot search there: every run is read. */
  text?: string | undefined;
}

export interface ListOptions extends RunFilters {
  /** Default: 50 for a page, all for a list. */
  limit?: number | undefined;
  /** Read the answer, the error and the usage of each run, too: a request for each, and more for a run that failed. Default: false. */
  full?: boolean | undefined;
  /** Token of the page: the `nextPage` of the page before. */
  page?: string | undefined;
}

export const executionStatusOf: { readonly [S in RunStatus]: ExecutionStatus } = {
  running: 'open',
  waiting: 'open',
  paused: 'open',
  completed: 'completed',
  stopped: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** All statuses of a run. */
export const runStatuses = Object.keys(executionStatusOf) as RunStatus[]; // the keys of the literal above

export const openStatuses = runStatuses.filter((status) => executionStatusOf[status] === 'open');

/** Returns true for the status of a run that is not over. */
export function isOpenStatus(status: RunStatus): boolean {
  return executionStatusOf[status] === 'open';
}

/** Statuses of runs that make no progress, so that calls may wait in them. */
export const haltedStatuses = openStatuses.filter((status) => status !== 'running');

export function isRunStatus(text: unknown): text is RunStatus {
  return typeof text === 'string' && Object.hasOwn(executionStatusOf, text);
}

/** The statuses that fit, all of them where none is named. */
export function wantedStatuses({ status }: RunFilters): readonly RunStatus[] {
  if (status === undefined) return runStatuses;
  return typeof status === 'string' ? [status] : status;
}

/** Throws InvalidInput. */
export function checkListOptions(options: ListOptions): void {
  const { agent, session, owner, tags, tenant, idPrefix, text, since, until, limit = 1 } = options;
  for (const status of wantedStatuses(options)) {
    if (isRunStatus(status)) continue;
    throw new InvalidInput(`There is no status "${String(status)}". Known: ${runStatuses.join(', ')}.`);
  }
  for (const [name, value] of Object.entries({ agent, session, owner, tenant, idPrefix, text })) {
    if (value === undefined || (typeof value === 'string' && value.trim() !== '')) continue;
    throw new InvalidInput(`${name} is empty. Leave it out, or write what to look for.`);
  }
  if (tags !== undefined && !areTags(tags)) throw new InvalidInput(`tags has to be ${TAGS_RULE}.`);
  for (const [name, time] of Object.entries({ since, until })) {
    if (time === undefined || (types.isDate(time) && Number.isFinite(time.getTime()))) continue;
    throw new InvalidInput(`${name} is not a time. Give a Date.`);
  }
  if (since !== undefined && until !== undefined && since >= until) {
    throw new InvalidInput('since is not before until, so that no run can fit. Change one of them.');
  }
  if (!Number.isInteger(limit) || limit < 1) {
    throw new InvalidInput(`limit is ${limit}; give a whole number, 1 or more.`);
  }
}
