import { needsPerson } from '../../agent/rules/waiting.ts';
import type { RunSummary } from '../../client/read/list-runs.ts';
import { type Io, UsageError, exitCodes, printColored, printJson, printJsonItems, say } from '../shell/io.ts';
import { type CliContext, neverStarted, withTemporal } from '../connection/context.ts';
import { everyPage, sayUnindexed } from '../connection/find-runs.ts';
import { type FilterOptions, filtersOf } from '../options/bulk-options.ts';
import type { CommonOptions } from '../options/options.ts';
import { colorsFor } from '../shell/display.ts';
import { runsTable } from '../print/runs-table.ts';
import { runPage } from '../connection/web-ui.ts';
import { cliName } from '../../client/connect/cli-name.ts';

export interface ListOptions extends CommonOptions, FilterOptions {
  limit?: number;
  page?: string;
  /** Every page. */
  all?: boolean;
  /** Includes the answer, the error, and the usage. */
  full?: boolean;
}

/**
 * `reloop list`: the runs that fit, open ones first, latest first; with `--status waiting` those that wait longest. With `--all` each page
 * of the server is printed as it comes, as a separate table.
 */
export async function list(io: Io, options: ListOptions): Promise<number> {
  if (await neverStarted(options)) print(io, options, [], null);
  else await withTemporal(io, options, (context) => find(io, options, context));
  return exitCodes.answered;
}

type Listed = RunSummary & { url?: string | undefined };

async function find(
  io: Io,
  { limit, page, all = false, full, ...options }: ListOptions,
  context: CliContext,
): Promise<void> {
  const filters = { ...filtersOf(options), full };
  const withUrl = (run: RunSummary) => ({ ...run, url: runPage(context, run.id, run.runId) });
  const inOrder = (runs: readonly RunSummary[]) =>
    (options.status === 'waiting' ? longestWaitFirst(runs) : runs).map(withUrl);
  if (all && options.status !== 'waiting') {
    const pages = everyPage(io, context, filters);
    if ((await printPages(io, options, pages, withUrl)) > 0) return;
    return printFound([], null);
  }
  if (all) {
    const runs: RunSummary[] = [];
    for await (const some of everyPage(io, context, filters)) runs.push(...some);
    return printFound(inOrder(runs), null);
  }
  const found = await context.client.listPage({ ...filters, limit, page });
  if (found.unindexed) sayUnindexed(io);
  return printFound(inOrder(found.runs), found.nextPage);

  async function printFound(runs: readonly Listed[], nextPage: string | null): Promise<void> {
    if (runs.length === 0 && options.agent !== undefined)
      await checkAgentName(context, options.agent, options);
    print(io, options, runs, nextPage);
  }
}

/** Prints each page as it comes, as JSON one array over all. Returns how many runs there were; of none nothing is printed. */
async function printPages(
  io: Io,
  { json }: CommonOptions,
  pages: AsyncIterable<readonly RunSummary[]>,
  withUrl: (run: RunSummary) => Listed,
): Promise<number> {
  let printed = 0;
  for await (const page of pages) {
    const runs = page.map(withUrl);
    if (json !== true) printTable(io, runs);
    else if (runs.length > 0) printJsonItems(io, runs, printed === 0);
    printed += runs.length;
  }
  if (json === true && printed > 0) io.stdout.write(']\n');
  return printed;
}

function print(io: Io, options: ListOptions, runs: readonly Listed[], nextPage: string | null): void {
  const isFiltered = Object.values(filtersOf(options)).some((value) => value !== undefined);
  if (options.json === true) printJson(io, runs);
  else if (runs.length > 0) printTable(io, runs);
  else if (isFiltered) say(io, `No run fits. \`${cliName()} list\` shows all.`);
  else if (nextPage === null) say(io, `There are no runs yet: ${cliName()} run AGENT "question"`);
  if (nextPage !== null) say(io, `There may be more: add --page ${nextPage}, or --all.`);
}

function printTable(io: Io, runs: readonly Listed[]): void {
  if (runs.length === 0) return;
  for (const line of runsTable(runs, io.stdout.columns, colorsFor(io.stdout, io.env))) printColored(io, line);
}

/** Sorted here: the memo has the start of a wait, and the server cannot sort by it. */
export function longestWaitFirst(runs: readonly RunSummary[]): RunSummary[] {
  const startOf = ({ waiting = [] }: RunSummary) =>
    Math.min(...waiting.filter(needsPerson).map(({ since = Infinity }) => since));
  const inOrder = runs.map((run) => ({ run, since: startOf(run) }));
  return inOrder
    .toSorted((a, b) => a.since - b.since || 0) // NaN: both are unknown
    .map(({ run }) => run);
}

/** An agent name without runs must at least be in the config; otherwise it is a typo. Throws UsageError. */
export async function checkAgentName(
  { client }: Pick<CliContext, 'client'>,
  agent: string,
  { config }: CommonOptions,
): Promise<void> {
  const { runs } = await client.listPage({ agent, limit: 1 });
  if (runs.length > 0) return;
  const { loadConfig } = await import('../../config/load/load.ts');
  // The agent's name cannot be checked without a working config.
  const agents = await loadConfig(config).then(
    (loaded) => [...loaded.agents.keys()],
    () => [agent],
  );
  if (agents.includes(agent)) return;
  throw new UsageError(`There is no run of an agent "${agent}", and the config has: ${agents.join(', ')}.`);
}
