import { type AgentClient, BudgetNotFound, type BudgetReport } from '../../client/index.ts';
import type { Caller } from '../http/caller.ts';
import { route } from '../http/route.ts';
import * as schemas from './schemas.ts';

/** Budgets above runs. A caller of a tenant has the accounts of this tenant. */
export const budgetRoutes = [
  route({
    method: 'get',
    path: '/budgets',
    summary: 'The accounts of budgets that runs have used',
    response: schemas.budgetList,
    handle: async ({ client, caller }) =>
      (await client.budgets().list()).filter((account) => isOf(caller, account)),
  }),
  route({
    method: 'post',
    path: '/budgets/{name}/extend',
    summary: 'Add to the limits of an account, for the current day or month',
    body: schemas.budgetExtension,
    response: schemas.budgetReport,
    async handle({ client, caller, name, body: { key = '', ...more } }) {
      if (caller.tenant !== undefined) await checkOwn(client, caller, name, key);
      return client.budgets().extend(name, more, key);
    },
  }),
];

function isOf({ tenant }: Caller, { rule, key }: Pick<BudgetReport, 'rule' | 'key'>): boolean {
  return tenant === undefined || (rule.of === 'tenant' && key === tenant);
}

/** Throws BudgetNotFound for the account of somebody else. An agent may have the name of a tenant, so the rule is read. */
async function checkOwn(client: AgentClient, caller: Caller, name: string, key: string): Promise<void> {
  const accounts = await client.budgets().list();
  const found = accounts.some(
    (account) => account.rule.name === name && account.key === key && isOf(caller, account),
  );
  if (!found) throw new BudgetNotFound(name, key);
}
