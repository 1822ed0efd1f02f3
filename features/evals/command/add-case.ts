import { appendFile, readFile } from 'node:fs/promises';
import { loadCommandConfig } from '../../../cli/connection/command-config.ts';
import { withHistory } from '../../../cli/connection/context.ts';
import type { CommandConfig } from '../../../cli/connection/task-queue.ts';
import { formatOf } from '../../../cli/batch/file-format.ts';
import type { CommonOptions } from '../../../cli/options/options.ts';
import { type Io, UsageError, exitCodes, printJson, say } from '../../../cli/shell/io.ts';
import type { AgentRun } from '../../../client/api/agent-run.ts';
import { oneLine } from '../../render/words/amounts.ts';
import type { EvalCase } from '../rules/eval-definition.ts';
import { evalNames } from './eval-cases.ts';

/** `reloop eval add`: a case from a run that has happened. */
export async function addCase(
  io: Io,
  id: string,
  name: string | undefined,
  options: CommonOptions,
): Promise<number> {
  const { loaded } = await loadCommandConfig(options.config);
  if (name !== undefined) evalNames(loaded, name);
  return withHistory(io, { ...options, loaded }, id, async (_, run) => {
    const { agent } = await run.labels();
    const target = targetOf(loaded, agent, name);
    const item = await caseOf(run);
    await append(target.file, `${JSON.stringify(item)}\n`);
    if (options.json === true) printJson(io, { eval: target.name, file: target.file, case: item });
    else say(io, `Added to ${oneLine(target.file)}. Look at "expected": it is what the agent answered.`);
    return exitCodes.answered;
  });
}

/** The eval whose file gets the case: the named one, or the only one of the run's agent. Throws UsageError. */
function targetOf({ evals }: CommandConfig['loaded'], agent: string, named: string | undefined) {
  const fitting = Object.entries(evals).flatMap(([name, one]) =>
    one.agent === agent && typeof one.cases === 'string' ? [{ name, file: one.cases }] : [],
  );
  const [target, ...more] = named === undefined ? fitting : fitting.filter(({ name }) => name === named);
  if (target === undefined) {
    const which = named === undefined ? 'No eval of the config' : `Eval "${named}" is not one that`;
    throw new UsageError(
      `${which} asks agent ${agent} the cases of a file. Write one with cases: 'FILE.jsonl'.`,
    );
  }
  if (more.length > 0)
    throw new UsageError(`Which eval? Type its name, too: ${fitting.map(({ name }) => name).join(', ')}.`);
  if (formatOf(target.file) !== 'jsonl')
    throw new UsageError(
      `${target.file} is not a file of JSON Lines (.jsonl), and cases are added to those only.`,
    );
  return target;
}

/** Throws UsageError for a run that no case can repeat. */
async function caseOf(run: AgentRun): Promise<EvalCase> {
  const start = await run.recordedStart();
  if (start === undefined)
    throw new UsageError(`The record of run "${run.id}" does not have its question any more.`);
  const { input, session, chatHistory = [], variables, overrides } = start;
  if (typeof input !== 'string')
    throw new UsageError(
      `Run "${run.id}" was asked about images or files, and the question of a case is a text.`,
    );
  if (session !== undefined)
    throw new UsageError(
      `Run "${run.id}" is part of session "${session}", whose earlier messages a case would not have. Write the case by hand, with chatHistory.`,
    );
  const { output, status } = await run.describe();
  return {
    input,
    ...(status === 'completed' && { expected: output }),
    ...(overrides.context !== undefined && { context: overrides.context }),
    ...(chatHistory.length > 0 && { chatHistory: [...chatHistory] }),
    ...(variables !== undefined && { variables }),
  };
}

/** Appends a line; the last line of the file may lack its end. */
async function append(file: string, line: string): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => '');
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  try {
    await appendFile(file, end + line);
  } catch (error) {
    throw new UsageError(
      `${file} could not be written: ${error instanceof Error ? error.message : String(error)}.`,
      { cause: error },
    );
  }
}
