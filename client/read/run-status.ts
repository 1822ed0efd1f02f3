import { RunView } from '../../agent/views/view.ts';
import type { PausedCall, RunEvent } from '../../agent/run/events.ts';
import type { Client } from '@temporalio/client';
import { searchAttribute } from '../../agent/values/names.ts';
import { statusOf } from '../../agent/run/run-result.ts';
import { needsPerson } from '../../agent/rules/waiting.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { RunStatus } from '../../agent/values/vocabulary.ts';
import type { ListedRun } from '../../history/list/listed.ts';
import type { RecordedResult } from '../../workflows/messages.ts';
import { type EventsOptions, followEvents } from './follow-events.ts';
import { pausedCallsOf } from '../connect/paused-calls.ts';
import { type RunReport, reportOf } from '../report.ts';
import { executionStatusOf, isRunStatus } from './run-filters.ts';

/** A call that waits, as the list of runs knows it. */
export interface WaitingInList {
  call: string;
  tool: string;
  reason: string;
  /** Start of the wait, milliseconds since 1970. Runs of earlier workers have not written it. */
  since?: number | undefined;
  /** Time at which the wait ends on its own, milliseconds since 1970: the call may still be running somewhere. */
  until?: number | undefined;
}

/** The status that the run itself wrote; without one, the status from its record. A run with a paused call is `paused`, where it is not said to wait. */
export async function statusOfListed(
  client: Client,
  run: ListedRun,
  pausedCalls: readonly PausedCall[] = [],
): Promise<RunStatus> {
  const { executionStatus, pausedInTemporal } = run;
  if (executionStatus === 'failed' || executionStatus === 'cancelled') return executionStatus;
  if (pausedInTemporal !== undefined) return 'paused';
  const status = await writtenStatus(client, run);
  return status === 'running' && pausedCalls.length > 0 ? 'paused' : status;
}

/** Calls of a listed run that an operator has paused with Temporal's own command. */
export async function pausedCallsOfListed(client: Client, run: ListedRun): Promise<PausedCall[]> {
  const { id: workflowId, runId, executionStatus, mayHavePausedCalls } = run;
  if (executionStatus !== 'open' || !mayHavePausedCalls) return [];
  return pausedCallsOf(client, { workflowId, runId }).catch(() => []);
}

async function writtenStatus(client: Client, run: ListedRun): Promise<RunStatus> {
  const { executionStatus, attributes } = run;
  if (executionStatus === 'failed' || executionStatus === 'cancelled') return executionStatus;
  const written = attributes[searchAttribute.status];
  if (isRunStatus(written))
    return executionStatusOf[written] === executionStatus ? written : usual(executionStatus);
  if (waitingOfListed(run).some(needsPerson)) return 'waiting';
  // The run itself writes every status that Temporal's does not show.
  if (attributes[searchAttribute.agent] !== undefined) return usual(executionStatus);
  // A record that cannot be read says no more than the server does.
  return executionStatus === 'open'
    ? openStatus(client, run).catch(() => usual(executionStatus))
    : endStatus(client, run).catch(() => usual(executionStatus));
}

/** The waiting calls in the run's memo. */
export function waitingOfListed({ executionStatus, memo }: ListedRun): WaitingInList[] {
  return executionStatus === 'open' ? readWaits(memo['waiting']) : [];
}

/** The value of a run's memo `waiting` has a call that waits for a person. */
export function waitsForPerson(waiting: unknown): boolean {
  return readWaits(waiting).some(needsPerson);
}

function readWaits(waiting: unknown): WaitingInList[] {
  if (!Array.isArray(waiting)) return [];
  return waiting.map((item: unknown) => {
    const [since, until] = [fieldOf(item, 'since'), fieldOf(item, 'until')];
    return {
      call: textOf(item, 'call'),
      tool: textOf(item, 'tool'),
      reason: textOf(item, 'reason'),
      ...(typeof since === 'number' ? { since } : {}),
      ...(typeof until === 'number' ? { until } : {}),
    };
  });
}

/** A run that can be read: AgentRun. */
interface ReadableRun {
  id: string;
  events(options: EventsOptions): AsyncIterable<RunEvent>;
}

/** Report of a run's record so far. Throws RunNotFound. */
export async function recordedReport(run: ReadableRun): Promise<RunReport> {
  const view = new RunView(run.id);
  for await (const event of run.events({ live: false, follow: false })) view.add(event);
  return reportOf(view);
}

function usual(executionStatus: 'open' | 'completed'): RunStatus {
  return executionStatus === 'open' ? 'running' : 'completed';
}

async function openStatus(client: Client, { id, runId }: ListedRun): Promise<RunStatus> {
  const view = new RunView(id, runId);
  const recorded = followEvents(client, { workflowId: id, runId }, { live: false, follow: false });
  for await (const { event } of recorded) view.add(event);
  return view.status;
}

async function endStatus(client: Client, { id, runId }: ListedRun): Promise<RunStatus> {
  const handle = client.workflow.getHandle(id, runId, { followRuns: false });
  const { stopReason } = (await handle.result()) as RecordedResult; // of a workflow of this type
  return statusOf(stopReason);
}

function textOf(item: unknown, field: string): string {
  const value = fieldOf(item, field);
  return typeof value === 'string' ? value : '';
}
