import type { Client } from '@temporalio/client';
import { fieldsOf } from '../../agent/values/json-object.ts';
import { isOpen } from '../../history/list/listed.ts';
import { isInvalidArgument } from '../../history/read/pages.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import { InvalidInput } from '../connect/errors.ts';
import { describeRun } from '../read/run-location.ts';
import { cliName } from '../connect/cli-name.ts';
import type { RecordedRunRef } from '../../agent/run/run-input.ts';

/** Recorded runs by their ids, or the finished ones of an agent that fit a visibility query of Temporal's. */
export type RecordedRuns = readonly string[] | { query: string };

/** Throws InvalidInput or RunNotFound. */
export async function findRecordedRuns(
  client: Client,
  agent: string,
  runs: RecordedRuns,
  limit: number,
): Promise<RecordedRunRef[]> {
  const found =
    'query' in runs
      ? await runsOfQuery(client, agent, runs.query, limit)
      : await runsOfIds(client, [...new Set(runs)].slice(0, limit));
  if (found.length > 0) return found;
  const why = 'query' in runs ? `No finished run of ${agent} fits ${runs.query}` : 'No recorded run is named';
  throw new InvalidInput(
    `${why}, so there is nothing to ask again. \`${cliName()} list\` shows the runs there are.`,
  );
}

/** A run that is asked for by its id may be another agent's. */
async function runsOfIds(client: Client, ids: readonly string[]): Promise<RecordedRunRef[]> {
  const found: RecordedRunRef[] = [];
  for (const id of ids) found.push(await runOfId(client, id));
  return found;
}

async function runOfId(client: Client, workflowId: string): Promise<RecordedRunRef> {
  const { runId, type, status } = await describeRun(client, workflowId);
  if (type !== AGENT_RUN) {
    throw new InvalidInput(
      `"${workflowId}" is a workflow of type ${type}, not a run of an agent: it cannot be asked again.`,
    );
  }
  if (isOpen(status.name)) {
    throw new InvalidInput(
      `Run "${workflowId}" is not over yet: a backtest compares with runs that are. Wait for it, or leave it out.`,
    );
  }
  return { workflowId, runId };
}

/** Latest first. Of an id that has several runs, the latest. */
async function runsOfQuery(
  client: Client,
  agent: string,
  query: string,
  limit: number,
): Promise<RecordedRunRef[]> {
  const over = 'CloseTime IS NOT NULL AND ExecutionStatus != "ContinuedAsNew"';
  const found = new Map<string, RecordedRunRef>();
  try {
    const all = client.workflow.list({ query: `WorkflowType = "${AGENT_RUN}" AND ${over} AND (${query})` });
    for await (const { workflowId, runId, memo } of all) {
      if (memo?.['agent'] !== agent || found.has(workflowId)) continue;
      found.set(workflowId, { workflowId, runId });
      if (found.size >= limit) break;
    }
  } catch (error) {
    const why = refusal(error);
    if (why === undefined) throw error;
    throw new InvalidInput(
      `Temporal does not understand the query ${query}: ${why}. Write one such as StartTime > "2026-01-01T00:00:00Z", or ids of runs with commas between.`,
      { cause: error },
    );
  }
  return [...found.values()];
}

/** Temporal's message about a query; undefined for any other error. */
function refusal(error: unknown): string | undefined {
  const { details, cause } = fieldsOf(error);
  if (isInvalidArgument(error) && typeof details === 'string') return details;
  return cause === undefined ? undefined : refusal(cause);
}
