import type { Mutant } from './mutants.ts';

/** Defects of budgets above runs. */
export const budgetMutants: readonly Mutant[] = [
  {
    name: 'a settlement that is sent again counts again',
    seed: 53,
    file: 'agent/budgets/ledger.ts',
    find: 'if (found === undefined) return { ledger: before, answer: {} };',
    replace: `if (found === undefined)
    return { ledger: spent === null ? before : added(before, before.days[0]?.from ?? 0, 'used', spent), answer: {} };`,
  },
  {
    name: 'a reservation that is sent again counts again',
    seed: 31,
    file: 'agent/budgets/ledger.ts',
    find: `  const ledger = brought(underRule(before, rule), now);
  if (isKnown(ledger, id)) {`,
    replace: `  const ledger = brought(underRule(before, rule), now);
  if (isKnown(ledger, id) && now < 0) {`,
  },
  {
    name: 'the reservation of a worker that died is forgotten',
    seed: 28,
    file: 'agent/budgets/ledger.ts',
    find: 'ledger.open.map((one) => (isBefore(one, asked) ? { ...one, lost: true as const } : one))',
    replace: 'ledger.open.filter((one) => !isBefore(one, asked))',
  },
  {
    name: 'a reservation is checked without those of requests under way',
    seed: 447,
    file: 'agent/budgets/ledger.ts',
    find: `  const spent = spentIn(period);
  const needed`,
    replace: `  const spent = spentIn({ ...period, open: [] });
  const needed`,
  },
  {
    name: 'a request whose end nobody knows costs nothing',
    seed: 53,
    file: 'activities/limits/budgeted-model.ts',
    find: '!hasBegun && isUnbilled(error) ? nothing : null',
    replace: 'nothing',
  },
  {
    name: 'a run that continues as new counts again in a budget of runs',
    seed: 28,
    file: 'activities/limits/budgeted-model.ts',
    find: 'extendDigest(EMPTY_DIGEST, id)',
    replace: 'extendDigest(EMPTY_DIGEST, runId)',
  },
  {
    name: 'a ledger that continues as new forgets its reservations',
    seed: 28,
    file: 'workflows/model-budget.ts',
    find: 'await continueAsNew<typeof modelBudget>(ledger);',
    replace: 'await continueAsNew<typeof modelBudget>({ ...ledger, open: [] });',
  },
];
