import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { createBudgetKeeper } from '../../../../activities/limits/budget-keeper.ts';

test('a message to a ledger is sent outside of the call that came first: the end of one call cancels no entry of another', async () => {
  const attempts = new AsyncLocalStorage<string>();
  const senders: (string | undefined)[] = [];
  const client = {
    withDeadline: (_deadline: number, send: () => unknown) => send(),
    workflow: {
      async executeUpdateWithStart(_update: string, { args: [entries] }: { args: [unknown[]] }) {
        senders.push(attempts.getStore());
        return entries.map(() => ({}));
      },
    },
  } as unknown as Client;
  const rule = { name: 'all', of: 'all', per: 'day', onEnd: 'wait', warnAt: 0.8 } as const;
  const keeper = createBudgetKeeper({
    budgetsOf: () => [{ rule, key: '' }],
    runQueueOf: (own) => own,
  });
  const settle = (id: string) =>
    attempts.run(id, async () => {
      const [ledger] = keeper.ledgersOf(client, 'agents', { name: 'helper' });
      return ledger?.settle({ id, spent: null });
    });
  expect(await Promise.all([settle('first'), settle('second')])).toEqual([{}, {}]);
  expect(senders).toEqual([undefined, undefined]);
});
