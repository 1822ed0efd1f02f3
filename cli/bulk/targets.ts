import type { WaitingCall } from '../../agent/events.ts';
import { type DecisionName, ruleOf } from '../../agent/rules/decisions.ts';
import { stateOf } from '../../agent/rules/waiting.ts';
import { asText } from '../../agent/vocabulary.ts';
import { aFewAtATime } from '../../agent/concurrent.ts';
import type { RunSummary } from '../../client/list-runs.ts';
import { haltedStatuses, openStatuses } from '../../client/run-filters.ts';
import { recordedReport } from '../../client/run-status.ts';
import { everyPage, runsTable } from '../commands/list.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { filtersOf } from '../filter-options.ts';
import type { Io } from '../io.ts';
import { oneLine, table } from '../print/display.ts';
import type { BulkOptions } from './bulk-options.ts';

/** What is decided on: a run, or a call that waits in it. */
export interface Target {
  run: RunSummary;
  waiting?: WaitingCall | undefined;
}

/** Runs, or calls, that are read or decided on at the same time. */
export const AT_ONCE = 8;

/** The open runs that fit. Throws UsageError for a status that none of these has. */
export async function openRuns(io: Io, context: CliContext, options: BulkOptions): Promise<Target[]> {
  const runs = await topmost(io, context, options, openStatuses);
  if (options.tool === undefined && options.waiting === undefined) return runs.map((run) => ({ run }));
  const calls = await waitingCalls(context, runs, options);
  return [...new Set(calls.map(({ run }) => run))].map((run) => ({ run }));
}

/** The waiting calls that fit, those in sub-agents included, and how many of them the decision is not for. */
export async function fittingCalls(
  io: Io,
  context: CliContext,
  type: DecisionName,
  options: BulkOptions,
): Promise<{ targets: Target[]; others: number }> {
  const calls = await waitingCalls(context, await topmost(io, context, options, haltedStatuses), options);
  const targets = calls.filter(({ waiting }) => ruleOf(type).fits(stateOf(waiting)));
  return { targets, others: calls.length - targets.length };
}

/** As people look at it before they say yes. */
export function targetsTable(targets: readonly Target[], width?: number): string[] {
  if (targets.every(({ waiting }) => waiting === undefined)) {
    return runsTable(
      targets.map(({ run }) => run),
      width,
    );
  }
  const rows = targets.map(({ run, waiting }) => [
    oneLine(run.id),
    oneLine(run.agent),
    waiting?.call ?? '',
    oneLine(waiting?.tool ?? ''),
    waiting?.reason ?? '',
    waiting === undefined ? '' : whatAndWhy(waiting),
  ]);
  return table([['ID', 'AGENT', 'CALL', 'TOOL', 'WAITS', 'INPUT'], ...rows], width);
}

/** A sub-agent whose parent fits as well is left out: what waits in it is found through the parent, and so is its end. */
async function topmost(
  io: Io,
  context: CliContext,
  options: BulkOptions,
  statuses: typeof openStatuses,
): Promise<RunSummary[]> {
  const { status } = options;
  if (status !== undefined && !statuses.includes(status)) {
    throw new UsageError(`This is for runs that are ${statuses.join(' or ')}, not ${status}.`);
  }
  const wanted = statuses.filter((one) => status === undefined || one === status);
  if (wanted.length === 0) return [];
  const { runs } = await everyPage(io, context, { ...filtersOf(options), status: wanted });
  const ids = new Set(runs.map(({ id }) => id));
  return runs.filter(({ parent }) => parent === undefined || !ids.has(parent));
}

async function waitingCalls(
  { client }: CliContext,
  runs: readonly RunSummary[],
  { tool, waiting: reason }: BulkOptions,
): Promise<{ run: RunSummary; waiting: WaitingCall }[]> {
  const found = await aFewAtATime(runs, AT_ONCE, async (run) => {
    const report = await recordedReport(client.get(run.id, run.runId));
    return report.waiting.map((waiting) => ({ run, waiting }));
  });
  return found
    .flat()
    .filter(({ waiting }) => tool === undefined || waiting.tool === tool)
    .filter(({ waiting }) => reason === undefined || waiting.reason === reason);
}

/** The model is asked what its run says: such a call has no input of its own. */
function whatAndWhy({ toolInput, error }: WaitingCall): string {
  const input = toolInput === null ? [] : [oneLine(asText(toolInput).slice(0, 200))];
  const why = error === undefined ? [] : [oneLine(`${error.type}: ${error.message}`)];
  return [...input, ...why].join(' · ');
}
