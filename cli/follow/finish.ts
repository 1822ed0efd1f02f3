import { type RunStatus, asText } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { livePollers } from '../../client/connect/task-queue.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import type { OpenedRun } from '../connection/command-worker.ts';
import type { CliContext } from '../connection/context.ts';
import { withPage } from '../connection/web-ui.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { type Io, exitCodes, print, printJson, say, signalCodes, statusCodes } from '../shell/io.ts';
import { type FollowOptions, type Followed, follow } from './follow.ts';
import type { Leaving } from './leave.ts';
import { cliName, typedCommand } from '../../client/connect/cli-name.ts';

/** Output on stdout. */
export type Printed = 'answer' | 'report' | 'nothing';

interface FollowToEnd extends Omit<FollowOptions, 'flags'> {
  printed: Printed;
  /** A run that ends with this status ends as requested. */
  endsAs?: RunStatus | undefined;
}

/** Follows an opened run, and prints where that led. Resolves with the exit code. */
export async function followToEnd(
  io: Io,
  { context, run, ours }: OpenedRun,
  options: CommonOptions,
  { printed, endsAs, ...how }: FollowToEnd,
): Promise<number> {
  const followed = await follow(io, context, run, { ...how, flags: flagsToRepeat(options) });
  if (followed.type === 'ended' && followed.report.status === endsAs) return exitCodes.answered;
  return finish(io, withPage(context, run), followed, printed, onlyWorker(ours, context, run.id));
}

/** Prints the result of following a run, and returns the exit code. */
export async function finish(
  io: Io,
  run: Pick<AgentRun, 'id' | 'describe'>,
  followed: Followed,
  printed: Printed,
  /** True if this process is the run's only worker. Called when the command leaves the run. */
  isOnlyWorker: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<number> {
  if (followed.type === 'left') return finishLeft(io, run, followed, printed, await isOnlyWorker());
  const { report } = followed;
  const answered = report.status === 'completed' || report.status === 'stopped';
  if (printed === 'report') printJson(io, await run.describe());
  if (printed === 'answer' && answered) print(io, asText(report.output));
  if (followed.type === 'ended' && followed.error !== undefined) say(io, followed.error);
  return statusCodes[report.status];
}

/** Notes how the run, or the backtest, continues. `command` shows it. */
export function sayLeft(io: Io, what: 'run' | 'backtest', command: string, isOnlyWorker: boolean): void {
  say(
    io,
    isOnlyWorker
      ? `This command was the ${what}'s worker. The ${what} continues when another one starts: \`${cliName()} dev\` or \`${command}\``
      : `The ${what} continues wherever a worker serves it: \`${command}\``,
  );
}

function finishLeft(
  io: Io,
  { id }: Pick<AgentRun, 'id'>,
  { why }: Leaving,
  printed: Printed,
  isOnlyWorker: boolean,
): number {
  sayLeft(io, 'run', typedCommand('watch', [id]), isOnlyWorker);
  if (why !== 'detached') return signalCodes[why];
  if (printed === 'report') printJson(io, { id });
  if (printed === 'answer') print(io, id);
  return exitCodes.answered;
}

/** Checks whether this process is a run's only worker. True if the server cannot say. */
export function onlyWorker(ours: boolean, { client }: Pick<CliContext, 'client'>, id: string) {
  return async (): Promise<boolean> => {
    if (!ours) return false;
    try {
      const { taskQueue } = await locationOfRun(client.temporal, id);
      return (await livePollers(client.temporal, taskQueue)).every(isThisProcess);
    } catch {
      return true;
    }
  };
}

function isThisProcess(identity: string): boolean {
  return new RegExp(`(?:^|\\s)${process.pid}@`, 'u').test(identity);
}
