import { needsPerson } from '../../agent/rules/waiting.ts';
import type { RunPage, RunSummary } from '../../client/read/list-runs.ts';
import { type Io, UsageError, exitCodes, printColored, printJson, say } from '../shell/io.ts';
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

/** `reloop list`: the runs that fit, open ones first, latest first; with `--status waiting` those that wait longest. */
export async function list(io: Io, options: ListOptions): Promise<number> {
  const isFiltered = Object.values(filtersOf(options)).some((value) => value !== undefined);
  const { found, runs } = (await neverStarted(options)) ? NOTHING : await find(io, options);
  if (options.json === true) printJson(io, runs);
  else if (runs.length > 0)
    for (const line of runsTable(runs, io.stdout.columns, colorsFor(io.stdout, io.env)))
      printColored(io, line);
  else if (isFiltered) say(io, `No run fits. \`${cliName()} list\` shows all.`);
  else if (found.nextPage === null) say(io, `There are no runs yet: ${cliName()} run AGENT "question"`);
  if (found.nextPage !== null)
    say(io, `There may be more: the same with --page ${found.nextPage}, or --all.`);
  return exitCodes.answered;
}

const NOTHING = { found: { nextPage: null, lookedAt: 0, unindexed: false }, runs: [] };

interface Found {
  found: Pick<RunPage, 'nextPage' | 'lookedAt' | 'unindexed'>;
  runs: (RunSummary & { url?: string | undefined })[];
}

function find(io: Io, { limit, page, all = false, full, ...options }: ListOptions): Promise<Found> {
  const filters = { ...filtersOf(options), full };
  return withTemporal(io, options, async (context) => {
    const found = all
      ? await everyPage(io, context, filters)
      : await context.client.listPage({ ...filters, limit, page });
    if (found.unindexed && !all) sayUnindexed(io);
    if (found.runs.length === 0 && options.agent !== undefined) {
      await checkAgentName(context, options.agent, options);
    }
    const listed = options.status === 'waiting' ? longestWaitFirst(found.runs) : found.runs;
    return { found, runs: listed.map((run) => ({ ...run, url: runPage(context, run.id, run.runId) })) };
  });
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
