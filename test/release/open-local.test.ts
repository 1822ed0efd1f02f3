import { readdirSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { ClientClosed, TemporalUnreachable } from '../../client/connect/errors.ts';
import { openLocal } from '../../local/embedded/open-local.ts';
import { runningServer } from '../../local/server/server.ts';
import { agent, loadedConfig } from '../support/config.ts';
import { tempFolder } from '../support/temp-folder.ts';

const stateDir = tempFolder();
afterEach(() => vi.restoreAllMocks());

const named = (address: string) => ({ address, namespace: 'default', connection: {} });
const own = { address: undefined, namespace: 'default', connection: {} };
const quiet = { stateDir, onProgress: () => undefined };

describe('with the address of a server', () => {
  test('connects to that server and starts none', async () => {
    const local = await openLocal({ ...quiet, temporal: named(inject('temporalAddress')) });
    expect(local.embedded).toBeUndefined();
    expect(local.client.address).toBe(inject('temporalAddress'));
    await local.close();
    expect(readdirSync(stateDir)).toEqual([]);
  });

  test('ends its worker and its connection on close, however often it is closed', async () => {
    const local = await openLocal({ temporal: named(inject('temporalAddress')), taskQueue: 'opened' });
    const worker = await local.startWorker(loadedConfig({ agents: [agent()] }), {
      taskQueues: ['opened'],
      role: 'program',
      onLog: () => undefined,
    });
    await Promise.all([local.close(), local.close()]);
    await expect(worker.ended).resolves.toBeUndefined();
    await expect(local.client.get('any').describe()).rejects.toThrow(ClientClosed);
  });
});

describe('without an address', () => {
  test("shares the project's own server until it is closed", async () => {
    const [one, other] = await Promise.all([
      openLocal({ ...quiet, temporal: own }),
      openLocal({ ...quiet, temporal: own }),
    ]);
    expect(one.embedded?.address).toBe(other.client.address);
    await one.close();
    expect(await runningServer(stateDir)).toMatchObject({ address: other.client.address });
    await other.close();
    await expect.poll(() => runningServer(stateDir), { timeout: 20_000 }).toBeUndefined();
  });

  test('lets the server end if the connection fails', async () => {
    vi.spyOn(Connection, 'connect').mockRejectedValueOnce(new Error('no connection'));
    await expect(openLocal({ ...quiet, temporal: own })).rejects.toThrow(TemporalUnreachable);
    await expect.poll(() => runningServer(stateDir), { timeout: 20_000 }).toBeUndefined();
  });
});
