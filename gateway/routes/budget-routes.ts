import type { BudgetReport } from '../../client/index.ts';
import type { Caller } from '../http/caller.ts';
import { Refused } from '../http/problem.ts';
import { route } from '../http/route.ts';
import * as schemas from './schemas.ts';

/** Budgets above runs. An admin of a tenant sees the accounts of this tenant. They limit the tenant, so others extend them. */
export const budgetRoutes = [
  route({
    method: 'get',
    path: '/budgets',
    summary: 'The accounts of budgets that runs have used',
    response: schemas.budgetList,
    handle: async ({ client, caller }) =>
      (await client.budgets().list())
        .filter((account) => isOf(caller, account))
        .map((account) => shownTo(caller, account)),
  }),
  route({
    method: 'post',
    path: '/budgets/{name}/extend',
    summary:
      'Add to the limits of an account, for the current day or month. The same `Idempotency-Key` of the same caller adds once',
    body: schemas.budgetExtension,
    response: schemas.budgetReport,
    async handle({ client, caller, name, body: { key, ...more }, request }) {
      if (caller.tenant !== undefined)
        throw new Refused(
          404,
          'BudgetNotFound',
          'There is no budget that you may extend: those of a tenant are extended by an admin without a tenant.',
        );
      const id = request.headers.get('idempotency-key') ?? undefined;
      return client.budgets().extend(name, more, key, { id });
    },
  }),
];

/** A tenant does not see who of the operators has extended its account. */
function shownTo({ tenant }: Caller, account: BudgetReport): BudgetReport {
  if (tenant === undefined) return account;
  const periods = account.periods.map((period) => ({
    ...period,
    extensions: period.extensions.map((extension) => ({ ...extension, by: undefined })),
  }));
  return { ...account, periods };
}

function isOf({ tenant }: Caller, { rule, key }: Pick<BudgetReport, 'rule' | 'key'>): boolean {
  return tenant === undefined || (rule.of === 'tenant' && key === tenant);
}
