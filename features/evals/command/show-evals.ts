import { loadCommandConfig } from '../../../cli/connection/command-config.ts';
import { neverStarted, withTemporal } from '../../../cli/connection/context.ts';
import type { CommonOptions } from '../../../cli/options/options.ts';
import { type Io, UsageError, exitCodes } from '../../../cli/shell/io.ts';
import type { AgentClient } from '../../../client/api/agent-client.ts';
import { type Eval, readEval } from '../client/eval-runs.ts';
import { findEvals } from '../client/find-evals.ts';
import { type EvalReport, comparedWith } from '../rules/eval-report.ts';
import { evalNames, readEvalCases } from './eval-cases.ts';
import { type ReportFiles, checkReportFiles, printReports } from './print-reports.ts';

interface ShowOptions extends CommonOptions, ReportFiles {
  id?: string;
  against?: string;
}

/** `reloop eval show`: the recorded results, and what changed since those before. */
export async function showEvals(io: Io, name: string | undefined, options: ShowOptions): Promise<number> {
  await checkReportFiles(options);
  const { loaded } = await loadCommandConfig(options.config);
  const names = evalNames(loaded, name);
  if (names.length > 1 && (options.id ?? options.against) !== undefined)
    throw new UsageError('--id and --against are of one eval: type its name, too.');
  if (await neverStarted(options)) throw none(names);
  return withTemporal(io, { ...options, loaded }, async ({ client }) => {
    const reports: EvalReport[] = [];
    for (const one of names) {
      const report = await shown(client, await readEvalCases(loaded, one), options);
      if (report !== undefined) reports.push(report);
    }
    if (reports.length === 0) throw none(names);
    await printReports(io, reports, options);
    return exitCodes.answered;
  });
}

function none(names: readonly string[]): UsageError {
  const [name = ''] = names;
  return new UsageError(`There are no results of ${names.join(', ')}. \`reloop eval ${name}\` makes some.`);
}

/** Resolves with undefined where there are no results. Throws UsageError for an id without any. */
async function shown(
  client: AgentClient,
  one: Eval,
  { id: named, against }: ShowOptions,
): Promise<EvalReport | undefined> {
  const all = named === undefined || against === undefined ? await findEvals(client, one.name) : [];
  const id = named ?? all[0];
  if (id === undefined) return undefined;
  const report = await readEval(client, one, id);
  if (named !== undefined) checkThere(one, report);
  const isListed = all.includes(id);
  const earlier = against ?? (isListed ? all.slice(all.indexOf(id) + 1) : all).find((other) => other !== id);
  if (earlier === undefined) return report;
  const before = await readEval(client, one, earlier);
  if (against !== undefined) checkThere(one, before);
  return comparedWith(report, before);
}

function checkThere({ name }: Eval, { id, total, missing }: EvalReport): void {
  if (missing < total) return;
  throw new UsageError(
    `"${id}" has no run of a case of eval ${name}. The cases may have changed; \`reloop list --tag ${id}\` shows its runs.`,
  );
}
