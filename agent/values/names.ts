import type { RunStatus } from './vocabulary.ts';

/** Reloop's names on a Temporal server, and in MCP. */

/** Default task queue of runs. */
export const TASK_QUEUE = 'reloop';

/**
 * Build id of Reloop's workers. History records the build id of each task, so a replay knows which code ran the task.
 */
export const BUILD = 'reloop.1';

/** A version of a deployment: the workers of one build of a project. */
export interface DeploymentVersion {
  name: string;
  version: string;
}

/** Metadata of each payload that reaches the workflow code of a worker that encrypts. */
export const ENCRYPTING = 'reloop-encrypting';

/** Search attributes. `tags` is of type KeywordList, the others are of type Keyword. */
export const searchAttribute = {
  agent: 'ReloopAgent',
  status: 'ReloopStatus',
  session: 'ReloopSession',
  tags: 'ReloopTags',
} as const;

/** Statuses of the attribute. Temporal's own status has the others. */
const ownStatuses: readonly RunStatus[] = ['waiting', 'paused', 'stopped'];

export function isOwnStatus(status: RunStatus): boolean {
  return ownStatuses.includes(status);
}

/** Query of Temporal for the runs that wait for a person. */
export const WAITING_RUNS = `${searchAttribute.status}="waiting" AND ExecutionStatus="Running"`;

export const searchAttributes: readonly string[] = Object.values(searchAttribute);

/** MCP's extension for tasks, of revision 2026-07-28 (SEP-2663). */
export const MCP_TASKS = 'io.modelcontextprotocol/tasks';

/** Field of an MCP call's `_meta` with its idempotency key: a call that is made again asks for the same run. */
export const MCP_IDEMPOTENCY_KEY = 'reloop/idempotency-key';

/**
 * Start of the ids of the workflows that serve a task queue. No id of one queue begins as those of another do: a slash within the
 * queue's name is written %2F.
 */
export function queuePrefix(kind: string, taskQueue: string): string {
  return `${kind}/${taskQueue.replaceAll(/[%/]/gu, encodeURIComponent)}/`;
}
