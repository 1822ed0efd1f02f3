import type { BudgetDefinition } from '../../agent/budgets/budget-rule.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import { BudgetNotFound } from '../../client/connect/errors.ts';
import { Random } from './random.ts';
import { isCalm, sleep } from './virtual-time.ts';

/** Agents of a world, each of which has an account of its own in a budget of agents. */
const AGENTS = ['top', 'helper', 'second'];
/** More than a simulation has. */
const MANY_RUNS = 1_000;
/** Longer than all that a worker can be away, and than three tries of a message. */
const LAST_MESSAGES_MS = 90_000;

/** Budgets that some of the runs use up. */
export function someBudgets(own: Random): BudgetDefinition[] {
  const onEnd = () => own.of(['wait', 'wait', 'stop', 'fail'] as const);
  const rules: BudgetDefinition[] = [
    { name: 'all', per: 'day', totalTokens: own.int(500, 20_000), runs: MANY_RUNS, onEnd: onEnd() },
    { name: 'agents', of: 'agent', per: 'month', totalTokens: own.int(500, 20_000), onEnd: onEnd() },
  ];
  return own.some(rules, own.int(1, 2));
}

/** Budgets of a version of the config: a deploy changes the limits. */
export function budgetsIn(version: number, budgets: readonly BudgetDefinition[]): BudgetDefinition[] {
  return budgets.map((rule) => ({
    ...rule,
    totalTokens: Math.ceil((rule.totalTokens ?? 0) / (1 + version)),
  }));
}

/** Somebody extends each account now and then while `work` is under way, so that no run waits for the next day. */
export async function withTreasurer<T>(
  client: AgentClient,
  { budgets }: { budgets: readonly BudgetDefinition[] },
  work: () => Promise<T>,
): Promise<T> {
  if (budgets.length === 0) return work();
  const random = new Random(budgets[0]?.totalTokens ?? 0);
  const over = new AbortController();
  const extendAll = async () => {
    while (!over.signal.aborted) {
      await sleep(random.int(2000, 20_000));
      const totalTokens = isCalm() ? 200_000 : random.int(500, 5000);
      for (const { name, key } of accountsOf(budgets)) await extend(client, name, key, totalTokens);
    }
  };
  const [result] = await Promise.all([work().finally(() => over.abort()), extendAll()]);
  await sleep(LAST_MESSAGES_MS);
  for (const { name, key } of accountsOf(budgets)) await extend(client, name, key, 1);
  return result;
}

function accountsOf(budgets: readonly BudgetDefinition[]): { name: string; key: string }[] {
  return budgets.flatMap(({ name, of = 'all' }) =>
    (of === 'all' ? [''] : AGENTS).map((key) => ({ name, key })),
  );
}

/** An extension is answered with a report, which the laws find in the ledger's history. */
async function extend(client: AgentClient, name: string, key: string, totalTokens: number): Promise<void> {
  try {
    await client.budgets().extend(name, { totalTokens }, key);
  } catch (error) {
    // No run has used the account.
    if (!(error instanceof BudgetNotFound)) throw error;
  }
}
