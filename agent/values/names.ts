import type { RunStatus } from './vocabulary.ts';

/** Names that a Temporal server knows Reloop by. */

/** Default task queue of runs. */
export const TASK_QUEUE = 'reloop';

/**
 * The build id of our workers. History records the build id of each task, so that a replay knows which code ran each
 * task, also before there is a manifest.
 */
export const BUILD = 'reloop.6';

/** All are of type Keyword. */
export const searchAttribute = {
  agent: 'ReloopAgent',
  status: 'ReloopStatus',
  session: 'ReloopSession',
} as const;

/** Statuses in the attribute: Temporal's own status says all others. */
const ownStatuses: readonly RunStatus[] = ['waiting', 'paused', 'stopped'];

export function isOwnStatus(status: RunStatus): boolean {
  return ownStatuses.includes(status);
}

export const searchAttributes: readonly string[] = Object.values(searchAttribute);
