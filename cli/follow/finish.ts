import { asText } from '../../agent/vocabulary.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import type { RunReport } from '../../client/report.ts';
import { oneLine, shellWord } from '../print/display.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import type { Followed } from './follow.ts';
import { type Io, print, printAnswer, printJson, say } from '../io.ts';
import type { Leaving } from './leave.ts';
import { reloop } from '../../client/typed-command.ts';

/** What goes to stdout. */
export type Printed = 'answer' | 'report' | 'nothing';

/** Prints what following a run has come to, and says how the command ends. */
export async function finish(
  io: Io,
  run: Pick<AgentRun, 'id' | 'describe'>,
  followed: Followed,
  printed: Printed,
  /** This process is the run's worker. */
  ours = false,
): Promise<number> {
  if (followed.type === 'left') return finishLeft(io, run, followed, printed, ours);
  const { report } = followed;
  const answered = report.status === 'completed' || report.status === 'stopped';
  if (printed === 'report') printJson(io, await run.describe());
  if (printed === 'answer' && answered) printAnswer(io, asText(report.output));
  const error = errorLine(report);
  if (error !== undefined) say(io, error);
  return exitCodeOf(report);
}

/** undefined for a run that neither failed nor was cancelled. */
export function errorLine({ id, status, error }: RunReport): string | undefined {
  if (status === 'cancelled') return `error: Cancelled: run ${oneLine(id)} was cancelled`;
  return error === null ? undefined : `error: ${oneLine(`${error.type}: ${error.message}`)}`;
}

function finishLeft(
  io: Io,
  { id }: Pick<AgentRun, 'id'>,
  { why }: Leaving,
  printed: Printed,
  ours: boolean,
): number {
  const goesOn = ours
    ? `Its worker was this command, so the run stands still until there is another: \`${reloop()} dev\`, or`
    : 'The run goes on wherever a worker serves it:';
  say(io, `${goesOn} ${reloop()} watch ${shellWord(id)}`);
  if (why === 'SIGTERM') return exitCodes.terminated;
  if (why === 'SIGINT') return exitCodes.cancelled;
  if (printed === 'report') printJson(io, { id });
  if (printed === 'answer') print(io, id);
  return exitCodes.answered;
}
