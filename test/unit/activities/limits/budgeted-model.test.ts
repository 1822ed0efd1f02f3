import { expect, test } from 'vitest';
import type { Attempt } from '../../../../activities/attempt/attempt.ts';
import type { BudgetKeeper } from '../../../../activities/limits/budget-keeper.ts';
import { budgetedModel } from '../../../../activities/limits/budgeted-model.ts';
import type { Settlement } from '../../../../agent/budgets/budget-rule.ts';
import { type Model, ModelError } from '../../../../adapters/models/model.ts';
import { callContext, modelRequest } from '../../../support/model-calls.ts';

const nothing = { calls: 0, totalTokens: 0, cost: 0 };
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

const limited = new ModelError('ModelRateLimited', 'no', { retryable: true });

test.each<[what: string, error: Error, spent: Settlement['spent'], text?: string]>([
  ['was refused', new ModelError('ModelBadRequest', 'no', { retryable: false }), nothing],
  ['was limited', limited, nothing],
  ['was limited, before its first piece', limited, nothing, ''],
  ['was limited in the middle of its reply', limited, null, 'I think'],
  ['was turned away', new ModelError('ModelServerError', 'no', { retryable: true, unbilled: true }), nothing],
  ["reached nobody, by a model of the user's", new TypeError('fetch failed', { cause: refused }), nothing],
  ['broke off', new ModelError('ModelStreamCut', 'no', { retryable: true }), null],
  ['has failed for unknown reasons', new Error('no'), null],
])('a request that %s is settled with what it is known to have taken', async (_what, error, spent, text) => {
  const settled: unknown[] = [];
  const ledger = {
    account: { rule: {} },
    reserve: async () => ({}),
    settle: async (sent: Settlement) => {
      settled.push(sent.spent);
      return {};
    },
  };
  const keeper = {
    estimates: { of: () => 1, learn: () => undefined },
    ledgersOf: () => [ledger],
  } as unknown as BudgetKeeper;
  const attempt = { context: { client: {}, info: {} } } as unknown as Attempt;
  const model: Model = {
    call(_request, { onText }) {
      if (text !== undefined) onText(text);
      return Promise.reject(error);
    },
  };
  const asked = { adapter: 'm', model: 'm' };
  const budgeted = budgetedModel(model, keeper, asked, { name: 'a' }, attempt);
  await expect(budgeted.call(modelRequest(), callContext())).rejects.toBe(error);
  expect(settled).toEqual([spent]);
});
