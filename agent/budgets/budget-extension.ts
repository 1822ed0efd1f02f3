import { senderProblem } from '../start/sender-name.ts';
import { isObject } from '../values/json-object.ts';
import type { BudgetRule } from './budget-rule.ts';

/** Problem of an addition to a budget's limits; undefined: none. */
export function extensionProblem(more: unknown, rule: BudgetRule): string | undefined {
  if (!isObject(more)) return 'an extension is { "cost": 5 }, { "totalTokens": 10000 } or { "runs": 10 }';
  const { id, by, ...added } = more;
  const problem = idProblem(id) ?? senderProblem(by);
  if (problem !== undefined) return problem;
  const names = Object.keys(added).filter((name) => added[name] !== undefined);
  if (names.length === 0) return 'say how much is added: cost, totalTokens or runs';
  for (const name of names) {
    const amount = added[name];
    if (name !== 'cost' && name !== 'totalTokens' && name !== 'runs')
      return `unknown: ${name} (known: cost, totalTokens, runs)`;
    if (rule[name] === undefined) return `the budget "${rule.name}" has no limit of ${name}`;
    if (typeof amount !== 'number' || !Number.isFinite(amount) || amount <= 0)
      return `${name} is not a number above 0`;
    if (name !== 'cost' && !Number.isSafeInteger(amount)) return `${name} is not a whole number`;
  }
  return undefined;
}

const MOST_ID_CHARS = 200;

function idProblem(id: unknown): string | undefined {
  if (id === undefined || (typeof id === 'string' && id !== '' && id.length <= MOST_ID_CHARS))
    return undefined;
  return `id is a text of 1 to ${MOST_ID_CHARS} characters`;
}
