import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresMemory } from '../../adapters/tools/memory/postgres-memory.ts';
import { type Broker, brokerProblem, startBroker } from '../support/brokers.ts';
import { storeBehaviour } from '../support/memory-stores.ts';

const problem = await brokerProblem('postgres');

describe.skipIf(problem !== undefined)(
  `PostgreSQL${problem === undefined ? '' : ` (skipped: ${problem})`}`,
  () => {
    let server: Broker;
    beforeAll(async () => {
      server = await startBroker('postgres');
    }, 60_000);
    afterAll(() => server.stop());

    test('has one table, also when several workers start at a time', async () => {
      const stores = Array.from({ length: 8 }, () => postgresMemory(server.url));
      const mine = { tenant: 'start', scope: '' };
      const puts = stores.map((store, index) =>
        store.put(mine, { key: `k${index}`, text: 't', updatedAt: index }, 10),
      );
      expect(new Set(await Promise.all(puts))).toEqual(new Set([true]));
      expect(await stores[0]?.search(mine, '', 10)).toHaveLength(8);
      await Promise.all(stores.map((store) => store.close()));
    });

    test('is connected to again after it was down', async () => {
      const store = postgresMemory(server.url);
      const mine = { tenant: 'outage', scope: '' };
      await store.put(mine, { key: 'k', text: 't', updatedAt: 1 }, 10);
      await server.kill();
      await expect(store.search(mine, '', 10)).rejects.toThrow();
      await server.start();
      await expect
        .poll(() => store.search(mine, '', 10).catch(() => []), { timeout: 20_000 })
        .toHaveLength(1);
      await store.close();
    });

    storeBehaviour('in it', async () => postgresMemory(server.url));
  },
);
