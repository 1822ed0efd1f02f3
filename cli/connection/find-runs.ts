import { WAITING_RUNS } from '../../agent/values/names.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { type RunSummary, listPages } from '../../client/read/list-runs.ts';
import type { ListOptions } from '../../client/read/run-filters.ts';
import { count } from '../../features/render/words/amounts.ts';
import { type Io, say } from '../shell/io.ts';
import type { CliContext } from './context.ts';

/** The runs that match, page by page. Says once that the server cannot filter. */
export async function* everyPage(
  io: Io,
  { client }: Pick<CliContext, 'client'>,
  filters: Omit<ListOptions, 'limit' | 'page'>,
): AsyncGenerator<RunSummary[]> {
  let said = false;
  for await (const { runs, unindexed } of listPages(client.temporal, filters)) {
    if (unindexed && !said) sayUnindexed(io);
    said ||= unindexed;
    yield runs;
  }
}

export function sayUnindexed(io: Io): void {
  say(
    io,
    `note: this server does not have our search attributes, so each run is read, which is slower: \`${cliName()} doctor\` says more.`,
  );
}

/** Runs in which a call waits for a person; 0 where the server cannot search for them. */
export async function countWaiting({ client }: Pick<CliContext, 'client'>): Promise<number> {
  try {
    return (await client.temporal.workflow.count(WAITING_RUNS)).count;
  } catch {
    return 0;
  }
}

/** `3 runs wait for you`. */
export function waitingRuns(amount: number): string {
  return `${count(amount, 'run')} ${amount === 1 ? 'waits' : 'wait'} for you`;
}
