import { backtestId } from '../../workflows/messages.ts';
import { sessionId } from '../../agent/session/session.ts';
import { advised, cliName, shellWord, typedCommand } from '../connect/cli-name.ts';
import { RunNotFound } from '../connect/errors.ts';

/** Errors for ids of workflows that are not runs. */

export function foreign(id: string): string {
  return `"${id}" is not a run of an agent: it is your own workflow, and it has completed. describe() has what it returned, and what agents did in it.`;
}

export function sessionNotRun(id: string): RunNotFound {
  const name = id.slice(sessionId('').length);
  return advised(
    new RunNotFound(id, { found: `"${id}" is a session, not a run.` }),
    `\`${cliName()} session show ${name}\` or client.session() reads it, and lists its runs.`,
  );
}

export function backtestNotRun(id: string): RunNotFound {
  const name = id.slice(backtestId('').length);
  return advised(
    new RunNotFound(id, { found: `"${id}" is a backtest, not a run.` }),
    `\`${cliName()} backtest AGENT --id ${name}\` or client.backtest() reads it. Its runs are called ${id}/RUN.`,
  );
}

export function batchNotRun(id: string): RunNotFound {
  return advised(
    new RunNotFound(id, { found: `"${id}" is a batch, not a run.` }),
    `Its runs are called ${id}-1, ${id}-2 and so on: \`${typedCommand('report', [], ['--tag', shellWord(id)])}\` sums them up.`,
  );
}

export const numberWithoutCall =
  'decide: the third argument is the number of a wait of one call. Name the call: run.decide(waiting.call, …, waiting.n).';
