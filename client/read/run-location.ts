import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { sessionId } from '../../agent/session/session.ts';
import { isOpen } from '../../history/list/listed.ts';
import { readFacts } from '../../history/read/facts.ts';
import { type RunRef, isNoWorkflow } from '../../history/read/pages.ts';
import { ownReads } from '../../history/read/scheduled-call.ts';
import type { Present } from '../../history/views/timeline.ts';
import {
  AGENT_BATCH,
  AGENT_RUN,
  AGENT_SESSION,
  BACKTEST,
  BACKTEST_RUN,
  type RunOwnership,
  ownershipIn,
} from '../../workflows/messages.ts';
import { openPromise } from '../connect/open-calls.ts';
import { RunNotFound, SessionNotFound, unless } from '../connect/errors.ts';
import type { DeploymentVersion } from '../../agent/values/names.ts';
import { backtestNotRun, batchNotRun, sessionNotRun } from './run-sentences.ts';

/** Run id, task queue and state of a run or a session, without reading its history. */
export interface RunLocation {
  runId: string;
  /** Run id of its first execution, before it continued as new. undefined: the server does not say so. */
  firstRunId?: string | undefined;
  taskQueue: string;
  /** The run is open: a worker of its queue has, or will have, work for it. */
  open: boolean;
  /** Distinguishes the workflow task that no worker has taken yet from others; undefined without one. */
  untaken?: string | undefined;
  /** Version of a deployment that the run stays on. */
  version?: DeploymentVersion | undefined;
  ownership: RunOwnership;
  /** Name of the agent, as the start has it; empty for a workflow that is not a run. */
  agent: string;
}

/** Location of the latest run of the id, or of a named run. Throws RunNotFound. */
export async function locationOfRun(client: Client, id: string, runId?: string): Promise<RunLocation> {
  return locationIn(await describeRun(client, id, runId));
}

/** True if there is a workflow of that id. Throws TemporalUnreachable. */
export async function runExists(client: Client, id: string): Promise<boolean> {
  const found = openPromise(client, describeRun(client, id));
  return (await unless(RunNotFound, found)) !== undefined;
}

/** A run that can be read, and how far its record went when Temporal was asked. */
export interface ReadableRun extends RunRef {
  open: boolean;
  present: Present;
  ownership?: RunOwnership | undefined;
}

/** The latest run of the id, or a named one. Throws RunNotFound, also for a workflow that is not a run and runs no agent. */
export async function readableRun(client: Client, id: string, named?: string): Promise<ReadableRun> {
  const { runId, status, historyLength, memo } = await describeOwn(client, id, named);
  const present = { runId, events: historyLength };
  return { workflowId: id, runId, open: isOpen(status.name), present, ownership: ownershipIn(memo) };
}

/** Location of the run, as {@link locationOfRun}. Throws RunNotFound, also for a workflow that is not a run and runs no agent. */
export async function locationOfOwnRun(client: Client, id: string, runId?: string): Promise<RunLocation> {
  return locationIn(await describeOwn(client, id, runId));
}

/** The namespace may have workflows of other programs, and sessions, which cannot be read or steered as runs. */
async function describeOwn(
  client: Client,
  id: string,
  named: string | undefined,
): Promise<WorkflowExecutionDescription> {
  const found = await describeRun(client, id, named);
  if (RUNS.has(found.type)) return found;
  if (found.type === AGENT_SESSION) throw sessionNotRun(id);
  if (found.type === AGENT_BATCH) throw batchNotRun(id);
  if (found.type === BACKTEST) throw backtestNotRun(id);
  if (await runsAgents(client, id, found)) return found;
  throw new RunNotFound(id);
}

/** A workflow that has just started has perhaps not come to its first agent. */
const BEGIN_MS = 3000;
const POLL_MS = 200;

/** True for a workflow of the user's that calls `runAgent`, which resolves the agent first. */
async function runsAgents(
  client: Client,
  workflowId: string,
  { runId, status, startTime }: WorkflowExecutionDescription,
): Promise<boolean> {
  for (;;) {
    const isNew = isOpen(status.name) && Date.now() - startTime.getTime() < BEGIN_MS;
    for await (const fact of readFacts(client, { workflowId, runId })) {
      if (fact.type === 'scheduled' && ownReads.get(fact.name) === 'agent') return true;
    }
    if (!isNew) return false;
    await sleep(POLL_MS);
  }
}

const RUNS: ReadonlySet<string> = new Set([AGENT_RUN, BACKTEST_RUN]);

/** Temporal's description of the latest run of the id, or of a named run. Throws RunNotFound. */
export async function describeRun(
  client: Client,
  id: string,
  runId?: string,
): Promise<WorkflowExecutionDescription> {
  return orRunNotFound(id, client.workflow.getHandle(id, runId).describe());
}

/** Throws RunNotFound in place of Temporal's error that there is no such workflow. */
export function orRunNotFound<T>(id: string, asked: Promise<T>): Promise<T> {
  return orMissing(asked, (options) => new RunNotFound(id, options));
}

/** Throws the error of `missing` in place of Temporal's error that there is no such workflow. */
export async function orMissing<T>(asked: Promise<T>, missing: (options: ErrorOptions) => Error): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw isNoWorkflow(error) ? missing({ cause: error }) : error;
  }
}

/** Throws SessionNotFound, also for a session that has ended. */
export async function locationOfSession(client: Client, name: string): Promise<RunLocation> {
  const asked = client.workflow.getHandle(sessionId(name)).describe();
  const place = locationIn(await orMissing(asked, (options) => new SessionNotFound(name, options)));
  if (!place.open) throw new SessionNotFound(name);
  return place;
}

/** Temporal's state of a workflow task that waits for a worker. */
const SCHEDULED = 1;

function locationIn({ runId, taskQueue, status, memo, raw }: WorkflowExecutionDescription): RunLocation {
  const { state, scheduledTime } = raw.pendingWorkflowTask ?? {};
  const untaken = Number(state) === SCHEDULED ? JSON.stringify(scheduledTime) : undefined;
  const firstRunId = raw.workflowExecutionInfo?.firstRunId || undefined;
  const ownership = ownershipIn(memo);
  const agent = typeof memo?.['agent'] === 'string' ? memo['agent'] : '';
  const open = isOpen(status.name);
  return { runId, firstRunId, taskQueue, open, untaken, version: pinnedVersion(raw), ownership, agent };
}

/** Temporal's behavior of a workflow that stays on a version. */
const PINNED = 1;

function pinnedVersion({
  workflowExecutionInfo: info,
}: WorkflowExecutionDescription['raw']): DeploymentVersion | undefined {
  const { behavior, deploymentVersion, versioningOverride } = info?.versioningInfo ?? {};
  const moved = versioningOverride?.pinned?.version;
  const of = moved ?? (Number(behavior) === PINNED ? deploymentVersion : undefined);
  return of ? { name: of.deploymentName ?? '', version: of.buildId ?? '' } : undefined;
}
