import { isObject } from '../../../agent/values/json-object.ts';
import type { JsonObject } from '../../../agent/values/vocabulary.ts';
import { readBatchFile } from '../../../cli/batch/batch-file.ts';
import { checkQuestion } from '../../../cli/connection/command-config.ts';
import type { CommandConfig } from '../../../cli/connection/task-queue.ts';
import { UsageError } from '../../../cli/shell/io.ts';
import type { Eval } from '../client/eval-runs.ts';
import { type EvalCase, agentsOf } from '../rules/eval-definition.ts';

type Config = CommandConfig['loaded'];

/** Names of the config's evals: the one that was typed, or all. Throws UsageError. */
export function evalNames({ evals }: Config, name: string | undefined): string[] {
  const all = Object.keys(evals);
  if (all.length === 0) throw new UsageError('The config has no evals. How to write one: docs/evals.md.');
  if (name === undefined) return all;
  if (all.includes(name)) return [name];
  throw new UsageError(`There is no eval "${name}". The config has: ${all.join(', ')}.`);
}

/** An eval with its cases, from its file too. Throws UsageError, before anything is asked. */
export async function readEvalCases(loaded: Config, name: string): Promise<Eval> {
  const definition = loaded.evals[name];
  if (definition === undefined) throw new UsageError(`There is no eval "${name}".`);
  const { agent, checks } = definition;
  const cases = typeof definition.cases === 'string' ? await casesOf(definition.cases) : definition.cases;
  for (const { context } of cases)
    for (const asked of agentsOf(definition, cases)) checkQuestion(loaded, asked, { context });
  return { name, agent, cases, checks };
}

/** Reads a file as `reloop batch` does; the column `expected` and, in JSON Lines, `chatHistory` are for the case. */
async function casesOf(file: string): Promise<EvalCase[]> {
  const rows = await readBatchFile(file, undefined);
  return rows.map(({ columns, input: { input, context, variables } }, index) => {
    if (typeof input !== 'string')
      throw new UsageError(`${file}, row ${index + 1}: the question of a case is a text.`);
    const { expected } = columns;
    // An empty cell of a CSV file means that there is none.
    const hasExpected = expected !== undefined && expected !== '' && expected !== null;
    return { input, ...(hasExpected && { expected }), context, variables, chatHistory: historyIn(columns) };
  });
}

/** Checked when the run is started, as all history. */
function historyIn({ chatHistory }: JsonObject): EvalCase['chatHistory'] {
  if (!Array.isArray(chatHistory) || !chatHistory.every((message) => isObject(message))) return undefined;
  return chatHistory as unknown as EvalCase['chatHistory'];
}
