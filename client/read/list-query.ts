import type { Client } from '@temporalio/client';
import { isOwnStatus, searchAttribute } from '../../agent/values/names.ts';
import { type ExecutionStatus, type ListedRun, PAUSE_INFO } from '../../history/list/listed.ts';
import { isInvalidArgument } from '../../history/read/pages.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import { type RunFilters, executionStatusOf, runStatuses, wantedStatuses } from './run-filters.ts';
import { locationOfRun } from './run-location.ts';
import { isUnreadable } from './run-outcome.ts';

/**
 * The server's part of the filters, in Temporal's query language. It lets through every run that fits, and some that do
 * not: runs without search attributes, and filters that the language cannot express. `indexed`: the server knows the
 * attributes.
 */
export function queryOf(filters: RunFilters, indexed: boolean): string {
  const { agent, session, tags = [], idPrefix, since, until } = filters;
  return [
    `WorkflowType = "${AGENT_RUN}"`,
    'ExecutionStatus != "ContinuedAsNew"',
    ...statusConditions(filters, indexed),
    ...(indexed ? attributeCondition(searchAttribute.agent, agent) : []),
    ...(indexed ? attributeCondition(searchAttribute.session, session) : []),
    ...(indexed ? tags.flatMap((tag) => attributeCondition(searchAttribute.tags, tag)) : []),
    ...(idPrefix === undefined || !canBeAsked(idPrefix)
      ? []
      : [`WorkflowId STARTS_WITH ${quoted(idPrefix)}`]),
    ...(since === undefined ? [] : [`StartTime >= "${since.toISOString()}"`]),
    ...(until === undefined ? [] : [`StartTime < "${until.toISOString()}"`]),
  ].join(' AND ');
}

/** Query condition of each status. A workflow that Temporal's own pause stopped is open; older servers do not know that status. */
const CONDITIONS: { readonly [S in ExecutionStatus]: string } = {
  open: 'CloseTime IS NULL',
  completed: 'ExecutionStatus = "Completed"',
  failed: 'ExecutionStatus IN ("Failed", "Terminated", "TimedOut")',
  cancelled: 'ExecutionStatus = "Canceled"',
};

function statusConditions(filters: RunFilters, indexed: boolean): string[] {
  const wanted = wantedStatuses(filters);
  if (runStatuses.every((status) => wanted.includes(status))) return [];
  const statuses = [...new Set(wanted.map((status) => executionStatusOf[status]))];
  const parts = statuses.map((executionStatus) => {
    const unwanted = runStatuses.filter(
      (status) => executionStatusOf[status] === executionStatus && !wanted.includes(status),
    );
    if (!indexed || unwanted.length === 0) return CONDITIONS[executionStatus];
    const own = wanted.filter((status) => executionStatusOf[status] === executionStatus);
    const condition = own.every(isOwnStatus) ? isWritten(own) : isNone(searchAttribute.status, unwanted);
    return `(${CONDITIONS[executionStatus]} AND ${condition})`;
  });
  return [parts.length === 1 ? parts.join() : `(${parts.join(' OR ')})`];
}

/** A run that has an agent's name has written these where they hold. */
function isWritten(values: readonly string[]): string {
  const { agent, status } = searchAttribute;
  const byOperator = values.includes('paused') ? ` OR ${PAUSE_INFO} IS NOT NULL` : '';
  return `(${status} IN (${values.map(quoted).join(', ')}) OR ${agent} IS NULL${byOperator})`;
}

function isNone(attribute: string, values: readonly string[]): string {
  return `(${attribute} IS NULL OR ${attribute} NOT IN (${values.map(quoted).join(', ')}))`;
}

/** The agent, the session and the tags come at once: where a run has no agent's name, it has none of them. */
function attributeCondition(attribute: string, value: string | undefined): string[] {
  if (value === undefined || !canBeAsked(value)) return [];
  return [`(${attribute} = ${quoted(value)} OR ${searchAttribute.agent} IS NULL)`];
}

/** Servers on SQL find no value with one of these, however it is written. */
function canBeAsked(value: string): boolean {
  return !/["\\\p{Cc}]/u.test(value);
}

function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/gu, (character) => `\\${character}`)}"`;
}

/** Ids that one request asks for. */
const IDS_AT_ONCE = 100;

/**
 * Says of the runs of a page which ones another run has replaced under the same id. One request finds the ids that have several runs, and only
 * those are read one by one.
 */
export async function replacedRuns(
  client: Client,
  runs: readonly ListedRun[],
): Promise<(run: ListedRun) => Promise<boolean>> {
  const ids = [...new Set(runs.filter(({ closedAt }) => closedAt !== null).map(({ id }) => id))];
  const parts = Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, part) =>
    ids.slice(part * IDS_AT_ONCE, (part + 1) * IDS_AT_ONCE),
  );
  const found = await Promise.all(parts.map((part) => withSeveralRuns(client, part)));
  const several = new Set(found.flat());
  return async (run) => run.closedAt !== null && several.has(run.id) && isReplaced(client, run);
}

/** Returns all ids if the server cannot be asked for several. */
async function withSeveralRuns(client: Client, ids: readonly string[]): Promise<readonly string[]> {
  const runIds = new Map<string, Set<string>>();
  const asked = ids.filter(canBeAsked);
  if (asked.length === 0) return ids;
  const query = `WorkflowId IN (${asked.map(quoted).join(', ')})`;
  let token = new Uint8Array();
  try {
    do {
      const page = await client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        query,
        pageSize: 1000,
        nextPageToken: token,
      });
      for (const { execution } of page.executions) {
        const { workflowId, runId } = {
          workflowId: execution?.workflowId ?? '',
          runId: execution?.runId ?? '',
        };
        runIds.set(workflowId, (runIds.get(workflowId) ?? new Set()).add(runId));
      }
      token = new Uint8Array(page.nextPageToken);
    } while (token.length > 0);
  } catch (error) {
    if (isInvalidArgument(error)) return ids;
    throw error;
  }
  return ids.filter((id) => runIds.get(id)?.size !== 1);
}

async function isReplaced(client: Client, { id, runId }: ListedRun): Promise<boolean> {
  const latest = locationOfRun(client, id).catch((error: unknown) => {
    if (isUnreadable(error)) return undefined; // a list shows the run as it is
    throw error;
  });
  return ((await latest)?.runId ?? runId) !== runId;
}
