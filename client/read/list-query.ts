import { isOwnStatus, searchAttribute } from '../../agent/values/names.ts';
import { type ExecutionStatus, PAUSE_INFO } from '../../history/list/listed.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import { type RunFilters, executionStatusOf, runStatuses, wantedStatuses } from './run-filters.ts';

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
