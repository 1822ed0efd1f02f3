import type { RunPage, RunSummary } from '../../client/list-runs.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { type CliContext, neverStarted } from '../context.ts';
import { type FilterOptions, filtersOf } from '../filter-options.ts';
import { type Io, print, printJson, say } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { type Colors, colorsFor, count, localTime, oneLine, table } from '../print/display.ts';
import { runPage } from '../web-ui.ts';
import { withTemporal } from '../with-run.ts';
import { reloop } from '../../client/typed-command.ts';

export interface ListOptions extends CommonOptions, FilterOptions {
  limit?: number;
  /** Where to go on. */
  page?: string;
  /** Every page. */
  all?: boolean;
}

/** `reloop list`: the runs that fit, open ones first, latest first. */
export async function list(io: Io, options: ListOptions): Promise<number> {
  const isFiltered = Object.values(filtersOf(options)).some((value) => value !== undefined);
  const { found, runs } = (await neverStarted(options)) ? NOTHING : await find(io, options);
  if (options.json === true) printJson(io, runs);
  else if (runs.length > 0)
    for (const line of runsTable(runs, io.stdout.columns, colorsFor(io.stdout, io.env))) print(io, line);
  else if (isFiltered) say(io, `No run fits. \`${reloop()} list\` shows all.`);
  else if (found.nextPage === null) say(io, `There are no runs yet: ${reloop()} run AGENT "question"`);
  if (options.text !== undefined) say(io, `Looked at ${count(found.lookedAt, 'run')}.`);
  if (found.nextPage !== null)
    say(io, `There may be more: the same with --page ${found.nextPage}, or --all.`);
  return exitCodes.answered;
}

/** Columns of a list of runs, latest first; what waits has one where something does. */
export function runsTable(
  runs: readonly RunSummary[],
  width?: number,
  colors: Pick<Colors, 'yellow'> = { yellow: String },
): string[] {
  const anyWaits = runs.some(({ waiting }) => waiting !== undefined);
  const rows = runs.map(({ id, status, agent, startedAt, input, waiting }) => [
    oneLine(id),
    status,
    oneLine(agent),
    localTime(startedAt),
    ...(anyWaits ? [waitingWords(waiting ?? [])] : []),
    oneLine(input),
  ]);
  const head = ['ID', 'STATUS', 'AGENT', 'STARTED', ...(anyWaits ? ['WAITS FOR YOU'] : []), 'QUESTION'];
  const isWaiting = (cell: string, column: number) => head[column] === 'STATUS' && cell.trim() === 'waiting';
  return table([head, ...rows], width, (cell, column) =>
    isWaiting(cell, column) ? colors.yellow(cell) : cell,
  );
}

const NOTHING = { found: { nextPage: null, lookedAt: 0, unindexed: false }, runs: [] };

interface Found {
  found: Pick<RunPage, 'nextPage' | 'lookedAt' | 'unindexed'>;
  runs: (RunSummary & { url?: string | undefined })[];
}

function find(io: Io, { limit, page, all = false, ...options }: ListOptions): Promise<Found> {
  const filters = filtersOf(options);
  return withTemporal(io, options, async (context) => {
    const found = all
      ? await everyPage(io, context, filters)
      : await context.client.listPage({ ...filters, limit, page });
    if (found.unindexed && !all) sayUnindexed(io);
    if (found.runs.length === 0 && options.agent !== undefined) {
      await checkAgentName(context, options.agent, options);
    }
    return { found, runs: found.runs.map((run) => ({ ...run, url: runPage(context, run.id, run.runId) })) };
  });
}

/** All that fits. Says once where the server cannot filter. */
export async function everyPage(
  io: Io,
  { client }: Pick<CliContext, 'client'>,
  filters: ReturnType<typeof filtersOf>,
): Promise<RunPage> {
  const all: RunPage = { runs: [], nextPage: null, lookedAt: 0, unindexed: false };
  const seen = new Set<string>();
  let page: string | undefined;
  do {
    const next = await client.listPage({ ...filters, limit: 200, page });
    if (next.unindexed && !all.unindexed) sayUnindexed(io);
    // One that ends meanwhile moves to a later page.
    all.runs.push(...next.runs.filter(({ runId }) => !seen.has(runId)));
    for (const { runId } of next.runs) seen.add(runId);
    all.lookedAt += next.lookedAt;
    all.unindexed = next.unindexed;
    page = next.nextPage ?? undefined;
  } while (page !== undefined);
  return all;
}

function sayUnindexed(io: Io): void {
  say(
    io,
    `note: this server does not have our search attributes, so each run is read, which is slower: \`${reloop()} doctor\` says more.`,
  );
}

function waitingWords([first, ...more]: NonNullable<RunSummary['waiting']>): string {
  if (first === undefined) return '';
  const others = more.length === 0 ? '' : ` (+${more.length})`;
  return `${oneLine(first.call)} ${oneLine(first.tool)} ${oneLine(first.reason)}${others}`;
}

/** An agent that has no runs at all is one of the config, or a mistake. Throws UsageError. */
export async function checkAgentName(
  { client }: Pick<CliContext, 'client'>,
  agent: string,
  { config }: CommonOptions,
): Promise<void> {
  const { runs } = await client.listPage({ agent, limit: 1 });
  if (runs.length > 0) return;
  const { loadConfig } = await import('../../config/load.ts');
  // Without a config that works nobody knows better.
  const agents = await loadConfig(config).then(
    (loaded) => [...loaded.agents.keys()],
    () => [agent],
  );
  if (agents.includes(agent)) return;
  throw new UsageError(`There is no run of an agent "${agent}", and the config has: ${agents.join(', ')}.`);
}
