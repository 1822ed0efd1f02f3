import { localTime, oneLine, table } from '../print/display.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Io, print, printJson, say } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { neverStarted } from '../context.ts';
import { withTemporal } from '../with-run.ts';
import type { RunSummary } from '../../client/agent-client.ts';

export interface ListOptions extends CommonOptions {
  limit: number;
}

/** `reloop list`: the runs there are, latest first. */
export async function list(io: Io, { limit, ...options }: ListOptions): Promise<number> {
  const runs = (await neverStarted(options)) ? [] : await readRuns(io, limit, options);
  if (options.json === true) printJson(io, runs);
  else if (runs.length === 0) say(io, 'There are no runs yet: reloop run AGENT "question"');
  else printTable(io, runs);
  return exitCodes.answered;
}

async function readRuns(io: Io, limit: number, options: CommonOptions): Promise<RunSummary[]> {
  return withTemporal(io, options, async ({ client }) => {
    const runs: RunSummary[] = [];
    for await (const run of client.list(limit)) runs.push(run);
    return runs;
  });
}

function printTable(io: Io, runs: RunSummary[]): void {
  const rows = runs.map(({ id, status, agent, startedAt, input }) => [
    oneLine(id),
    status,
    oneLine(agent),
    localTime(startedAt),
    oneLine(input),
  ]);
  const head = ['ID', 'STATUS', 'AGENT', 'STARTED', 'QUESTION'];
  for (const line of table([head, ...rows], io.stdout.columns ?? 120)) print(io, line);
}
