import { type WaitingCall, needsPerson, stateOf } from '../../agent/rules/waiting.ts';
import { type DecisionName, decisionFits } from '../../agent/rules/decisions.ts';
import { type RunStatus, asText } from '../../agent/values/vocabulary.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { type RunSummary, isSubAgent } from '../../client/read/list-runs.ts';
import { haltedStatuses, openStatuses } from '../../client/read/run-filters.ts';
import { recordedReport } from '../../client/read/run-status.ts';
import { typedCommand } from '../../client/connect/cli-name.ts';
import type { CliContext } from '../connection/context.ts';
import { everyPage } from '../connection/find-runs.ts';
import { runsTable, toolWord } from '../print/runs-table.ts';
import { type Io, UsageError } from '../shell/io.ts';
import { type BulkOptions, filtersOf } from '../options/bulk-options.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { table } from '../shell/display.ts';

/** A run, or a call that waits in it, that is decided on. */
export interface Target {
  run: RunSummary;
  waiting?: WaitingCall | undefined;
}

/** Runs, or calls, that are read or decided on at the same time. */
export const AT_ONCE = 8;

/** The open runs that fit. Throws UsageError for a status that none of these has. */
export async function openRuns(io: Io, context: CliContext, options: BulkOptions): Promise<Target[]> {
  const runs = await topmost(io, context, options, openStatuses);
  const { tool, modelCalls, waiting } = options;
  if (tool === undefined && modelCalls !== true && waiting === undefined) return runs.map((run) => ({ run }));
  const calls = await waitingCalls(context, runs, options);
  return [...new Set(calls.map(({ run }) => run))].map((run) => ({ run }));
}

/** Statuses of runs that are over, and that can be retried as a whole. */
const retriable: readonly RunStatus[] = ['failed', 'cancelled'];

/** True if a retry is for runs that are over, not for calls that wait. */
export function isForEnded({ status }: BulkOptions): boolean {
  return status !== undefined && retriable.includes(status);
}

/** The runs with the status that can be retried as a whole. Throws UsageError for filters of calls that wait. */
export async function endedRuns(io: Io, context: CliContext, options: BulkOptions): Promise<Target[]> {
  const { tool, modelCalls, waiting } = options;
  if (tool !== undefined || modelCalls === true || waiting !== undefined) {
    throw new UsageError(
      `--tool, --model-calls and --waiting are about calls that wait, and in a run that is ${options.status} none does. Leave them out.`,
    );
  }
  const runs = await topmost(io, context, options, retriable);
  // A sub-agent is a call of the run above it, which has continued.
  return runs.filter((run) => !isSubAgent(run)).map((run) => ({ run }));
}

/** Runs that are counted to say why nothing fits. */
const MOST_COUNTED = 1_000;

/** Says why nothing fits: which runs there are with the same filters, by their status. */
export async function whyNothing(
  { client }: CliContext,
  name: string,
  { status, ...options }: BulkOptions,
): Promise<string> {
  const { runs, nextPage } = await client.listPage({ ...filtersOf(options), limit: MOST_COUNTED });
  if (runs.length === 0) return 'No run matches these filters.';
  const amounts = new Map<RunStatus, number>();
  for (const run of runs) amounts.set(run.status, (amounts.get(run.status) ?? 0) + 1);
  const words = [...amounts].map(([one, amount]) => `${amount} ${one}`).join(', ');
  const more = nextPage === null ? '' : ', and more';
  const other = retriable.find((one) => one !== status && amounts.has(one));
  const hint = name === 'retry' && other !== undefined ? ` For runs that are over: --status ${other}.` : '';
  const isPaused = runs.some(({ pausedCalls, pausedInTemporal }) => pausedCalls ?? pausedInTemporal);
  const pause = isPaused
    ? ` What is paused in Temporal is unpaused there: ${typedCommand('show', ['RUN'])} says how.`
    : '';
  return `Runs with these filters: ${words}${more}.${hint}${pause}`;
}

/** The waiting calls that fit, also in sub-agents, and the number of those that do not take the decision. */
export async function fittingCalls(
  io: Io,
  context: CliContext,
  type: DecisionName,
  options: BulkOptions,
): Promise<{ targets: Target[]; others: number }> {
  // A wait that ends on its own is decided on only where the decision is for such waits: its run continues.
  const forLost = type === 'reconcile';
  const statuses = forLost ? openStatuses : haltedStatuses;
  const runs = await topmost(io, context, options, statuses);
  const halted = forLost ? runs.filter(({ waiting }) => waiting !== undefined) : runs;
  const found = await waitingCalls(context, halted, options);
  const calls = found.filter(({ waiting }) => needsPerson(waiting) !== forLost);
  const targets = calls.filter(({ waiting }) => decisionFits(type, stateOf(waiting)));
  return { targets, others: calls.length - targets.length };
}

/** Table of the targets, which a person reads before the confirmation. */
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
    toolWord(waiting?.tool ?? ''),
    waiting?.reason ?? '',
    waiting === undefined ? '' : whatAndWhy(waiting),
  ]);
  return table([['ID', 'AGENT', 'CALL', 'TOOL', 'WAITS', 'INPUT'], ...rows], width);
}

/** A sub-agent whose parent fits as well is left out: its waits and its end are found through the parent. */
async function topmost(
  io: Io,
  context: CliContext,
  options: BulkOptions,
  statuses: readonly RunStatus[],
): Promise<RunSummary[]> {
  const { status } = options;
  if (status !== undefined && !statuses.includes(status)) {
    throw new UsageError(`This is for runs that are ${statuses.join(' or ')}, not ${status}.`);
  }
  const wanted = statuses.filter((one) => status === undefined || one === status);
  if (wanted.length === 0) return [];
  const runs: RunSummary[] = [];
  for await (const page of everyPage(io, context, { ...filtersOf(options), status: wanted }))
    runs.push(...page);
  const ids = new Set(runs.map(({ id }) => id));
  return runs.filter(({ parent }) => parent === undefined || !ids.has(parent));
}

async function waitingCalls(
  { client }: CliContext,
  runs: readonly RunSummary[],
  { tool, modelCalls, waiting: reason }: BulkOptions,
): Promise<{ run: RunSummary; waiting: WaitingCall }[]> {
  const isCallOf = (waiting: WaitingCall) =>
    tool === undefined ? modelCalls !== true : waiting.tool === tool;
  const found = await aFewAtATime(runs, AT_ONCE, async (run) => {
    const report = await recordedReport(client.get(run.id, run.runId));
    return report.waiting.map((waiting) => ({ run, waiting }));
  });
  return found
    .flat()
    .filter(({ waiting }) => isCallOf(waiting) || (modelCalls === true && stateOf(waiting).kind === 'model'))
    .filter(({ waiting }) => reason === undefined || waiting.reason === reason);
}

/** A model call has no separate input: the model is asked with the run's transcript. */
function whatAndWhy({ toolInput, error }: WaitingCall): string {
  const input = toolInput === null ? [] : [oneLine(asText(toolInput).slice(0, 200))];
  const why = error === undefined ? [] : [oneLine(`${error.type}: ${error.message}`)];
  return [...input, ...why].join(' · ');
}
