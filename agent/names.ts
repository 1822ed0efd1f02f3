import type { RunStatus } from './vocabulary.ts';

/** Names that a Temporal server knows Reloop by. */

/** Where runs are, unless somebody says otherwise. */
export const TASK_QUEUE = 'reloop';

/**
 * How the build ids of our workers begin. History records the build id of each task, so that a replay knows what a task did,
 * also the first of a run, before there is a manifest. Since `reloop.5` agents are resolved within the workflow task; the
 * workers of `reloop.5`, and no others, made calls of inline tools there too.
 */
export const BUILD = 'reloop.6';
export const INLINE_TASK_BUILD = 'reloop.5';

/** All are of type Keyword. */
export const searchAttribute = {
  agent: 'ReloopAgent',
  status: 'ReloopStatus',
  session: 'ReloopSession',
} as const;

/** The statuses that the attribute says: for all others Temporal has a word of its own. */
const ownStatuses: readonly RunStatus[] = ['waiting', 'paused', 'stopped'];

export function isOwnStatus(status: RunStatus): boolean {
  return ownStatuses.includes(status);
}

export const searchAttributes: readonly string[] = Object.values(searchAttribute);
