import { resolve } from 'node:path';
import { z } from 'zod/v4';
import type { FreshStart } from '../../../agent/start/run-start.ts';
import { overridesOf } from '../../../agent/start/overrides.ts';
import { ConfigError } from '../../../config/define.ts';
import { concurrencySchema } from '../../../config/options/concurrency-option.ts';
import { type Checks, options } from '../../../config/options/options.ts';
import { type Check, type EvalCase, type EvalDefinition, agentsOf } from '../rules/eval-definition.ts';

/** The name is part of ids and tags. */
const NAME = /^[\w.-]{1,60}$/u;

const check = z.custom<Check>(
  (value) =>
    z.looseObject({ name: z.string().min(1), atLeast: z.number().min(0).max(1) }).safeParse(value).success,
  "is not a check. import { exact, check } from 'reloop/evals', or its others; a function: check('name', (run) => true)",
);

const caseShape = {
  input: z.string('is not a text').min(1, 'is empty'),
  expected: z.json().optional(),
  context: z.record(z.string(), z.json()).optional(),
  chatHistory: z
    .array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.string() }))
    .optional(),
  variables: z.record(z.string(), z.string()).optional(),
  checks: z.array(check).optional(),
} satisfies Checks<EvalCase>;

const evalShape = {
  agent: z.string(),
  cases: z.union([z.string().min(1), z.array(options(caseShape)).min(1)], {
    error: (issue) =>
      Array.isArray(issue.input) ? undefined : 'is neither a list of cases nor the name of a file',
  }),
  checks: z.array(check),
  concurrency: concurrencySchema.optional(),
} satisfies Checks<EvalDefinition>;

export const evalsSchema = z.record(z.string(), options(evalShape));

/** Names of files become paths, as seen from the project's folder. */
export function completeEvals(evals: Evals = {}, folder: string): Evals {
  const completed = Object.entries(evals).map(([key, one]) => [
    key,
    typeof one.cases === 'string' ? { ...one, cases: resolve(folder, one.cases) } : one,
  ]);
  return Object.fromEntries(completed) as Evals; // the same evals
}

type Evals = { readonly [name: string]: EvalDefinition };

/** Throws {@link ConfigError} for agents that are not there, checks that no report could tell apart, and cases that no run can have. */
export function checkEvals(evals: Evals = {}, checkStart: (start: FreshStart) => void): void {
  for (const [key, one] of Object.entries(evals)) {
    // A file is read by the command.
    const items = typeof one.cases === 'string' ? [] : one.cases;
    try {
      if (!NAME.test(key))
        throw new ConfigError('its name has to be 1 to 60 letters, digits, "_", "." and "-".');
      for (const { context } of items)
        for (const agent of agentsOf(one, items))
          checkStart({
            agent,
            question: { input: '', chatHistory: [] },
            overrides: overridesOf({ context }),
          });
      if (typeof one.cases === 'string') checkNames(one.checks);
      for (const { checks = [] } of items) checkNames([...one.checks, ...checks]);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new ConfigError(`Eval "${key}": ${problem}`, { cause: error });
    }
  }
}

function checkNames(checks: readonly Check[]): void {
  const names = checks.map((one) => one.name);
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined)
    throw new ConfigError(
      `two checks of a case are called "${twice}". Take one out, or give it another name.`,
    );
  if (checks.length === 0) throw new ConfigError('a case has no check, so that nothing could fail.');
}
