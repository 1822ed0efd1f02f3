import {
  type AgentClient,
  ClientClosed,
  isSubAgent,
  type RunSummary,
  TemporalUnreachable,
} from '../../client/index.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { type WaitingRun, readWaitingRun, unreadableRun } from './waiting-run.ts';

/** Reads the runs that wait now. `more`: more runs wait than are listed. Throws the errors of the client. */
export type WaitingReader = () => Promise<{ runs: ReadonlyMap<string, WaitingRun>; more: boolean }>;

const MOST_RUNS = 500;
/** Calls that a run lists at most. */
const MOST_LISTED = 10;
/** Runs that are read at the same time. */
const READERS = 8;

interface KnownRun {
  /** The waits as the list has them. */
  listed: string;
  run: WaitingRun;
}

/** Each read asks for the list, and reads the history of a run only where the list has changed. */
export function createWaitingReader(
  client: AgentClient,
  prefix: string,
  webUi: string | undefined,
): WaitingReader {
  let known = new Map<string, KnownRun>();
  return async () => {
    const idPrefix = prefix || undefined;
    const status = ['waiting', 'paused'] as const;
    const { runs, nextPage } = await client.listPage({ status, limit: MOST_RUNS, idPrefix });
    const halted = runs.filter(isHalted);
    const read = await aFewAtATime(halted, READERS, readIfChanged);
    known = new Map(read.map((one) => [one.run.id, one]));
    const waiting = read.filter(
      ({ run }) => run.calls.length > 0 || (run.paused ?? run.problem) !== undefined,
    );
    return { runs: new Map(waiting.map(({ run }) => [run.id, run])), more: nextPage !== null };
  };

  async function readIfChanged(summary: RunSummary): Promise<KnownRun> {
    const { runId, waiting: calls, pausedCalls, pausedInTemporal } = summary;
    const listed = JSON.stringify([runId, calls, pausedCalls, pausedInTemporal]);
    const before = known.get(summary.id);
    const isSame = before?.listed === listed && before.run.problem === undefined && isWhole(summary);
    if (isSame) return before;
    const run = await readWaitingRun(client, summary, webUi).catch(unlessReadable(summary));
    return before !== undefined && JSON.stringify(before.run) === JSON.stringify(run)
      ? { listed, run: before.run }
      : { listed, run };
  }

  function unlessReadable(summary: RunSummary) {
    return (error: unknown) => {
      const isOfAll = error instanceof TemporalUnreachable || error instanceof ClientClosed;
      if (isOfAll || !(error instanceof Error)) throw error;
      return unreadableRun(client, summary, webUi, error);
    };
  }
}

/** A run lists its first calls that wait: there may be more. */
function isWhole(run: RunSummary): boolean {
  const { waiting = [] } = run;
  return (waiting.length > 0 || isPausedInTemporal(run)) && waiting.length < MOST_LISTED;
}

/** A sub-agent's waits are those of its parent too, and its paused calls are its own only. */
function isHalted(run: RunSummary): boolean {
  if (isOwn(run)) return run.status !== 'paused' || isPausedInTemporal(run);
  return isPausedInTemporal(run) && run.waiting === undefined;
}

/** A run that Reloop's own `pause` has paused waits for no person. */
function isPausedInTemporal({ pausedCalls, pausedInTemporal }: RunSummary): boolean {
  return (pausedCalls ?? pausedInTemporal) !== undefined;
}

/** A sub-agent's waits are those of its parent too. */
export function isOwn(run: RunSummary): boolean {
  return !isSubAgent(run);
}
