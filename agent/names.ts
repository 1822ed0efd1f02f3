/** Names that a Temporal server knows Reloop by. */

/** Where runs are, unless somebody says otherwise. */
export const TASK_QUEUE = 'reloop';

/** All are of type Keyword. */
export const searchAttribute = {
  agent: 'ReloopAgent',
  status: 'ReloopStatus',
  session: 'ReloopSession',
} as const;

export const searchAttributes: readonly string[] = Object.values(searchAttribute);
