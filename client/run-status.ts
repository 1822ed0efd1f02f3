import type { Client } from '@temporalio/client';
import { searchAttribute } from '../agent/names.ts';
import { statusOf } from '../agent/run-result.ts';
import { fieldOf } from '../agent/values.ts';
import type { RunStatus } from '../agent/vocabulary.ts';
import type { ListedRun } from '../history/listed.ts';
import type { RecordedResult } from '../workflows/messages.ts';
import { AgentRun } from './agent-run.ts';
import { type RunReport, addToReport, emptyReport } from './report.ts';
import { isRunStatus, standingOf } from './run-filters.ts';

/** A call that waits, as the list of runs knows it. */
export interface WaitingInList {
  call: string;
  tool: string;
  reason: string;
}

/** What the run itself wrote wins; where it wrote nothing, its record is read. */
export async function statusOfListed(client: Client, run: ListedRun): Promise<RunStatus> {
  const { standing, attributes } = run;
  if (standing === 'failed' || standing === 'cancelled') return standing;
  const written = attributes[searchAttribute.status];
  if (isRunStatus(written)) return standingOf[written] === standing ? written : usual(standing);
  if (waitingOfListed(run).length > 0) return 'waiting';
  // It would have written what Temporal does not say.
  if (attributes[searchAttribute.agent] !== undefined) return usual(standing);
  // A record that cannot be read says no more than the server does.
  return standing === 'open'
    ? openStatus(client, run).catch(() => usual(standing))
    : endStatus(client, run).catch(() => usual(standing));
}

/** What the run wrote into its memo of what waits. */
export function waitingOfListed({ standing, memo }: ListedRun): WaitingInList[] {
  const { waiting } = memo;
  if (standing !== 'open' || !Array.isArray(waiting)) return [];
  return waiting.map((item: unknown) => ({
    call: textOf(item, 'call'),
    tool: textOf(item, 'tool'),
    reason: textOf(item, 'reason'),
  }));
}

/** What is recorded of a run, as it stands. Throws RunNotFound. */
export async function recordedReport(run: Pick<AgentRun, 'id' | 'events'>): Promise<RunReport> {
  const report = emptyReport(run.id, '');
  for await (const event of run.events({ live: false, follow: false })) addToReport(report, event);
  return report;
}

function usual(standing: 'open' | 'completed'): RunStatus {
  return standing === 'open' ? 'running' : 'completed';
}

async function openStatus(client: Client, { id, runId }: ListedRun): Promise<RunStatus> {
  return (await recordedReport(new AgentRun(client, id, runId))).status;
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
