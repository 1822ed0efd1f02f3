import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLeaseServer, type LeaseServer } from '../../../../../local/server/keeper/lease-server.ts';
import { takeLease } from '../../../../../local/server/keeper/lease.ts';
import type { LockHolder } from '../../../../../local/server/lock-file.ts';
import { serverRecord } from '../../../../support/server-record.ts';

const server = serverRecord();

let leases: LeaseServer;
let keeper: LockHolder;

beforeEach(async () => {
  leases = await openLeaseServer();
  keeper = { pid: process.pid, startedAt: null, token: leases.token, port: leases.port };
});

afterEach(() => leases.close());

async function lease() {
  const taken = await takeLease(keeper);
  if (taken === undefined) throw new Error('The keeper refused.');
  return taken;
}

describe('a lease', () => {
  it('comes with the server, as soon as there is one', async () => {
    const early = lease();
    leases.offer(server);
    expect((await early).server).toEqual(server);
  });

  it('keeps the server until the last holder has released it or died', async () => {
    leases.offer(server);

    const [first, second] = [await lease(), await lease()];
    await first.release();
    const killed = connect(leases.port, '127.0.0.1');
    killed.write(`${leases.token}\n`);
    await once(killed, 'data');
    await second.release();
    expect(leases.idle.aborted).toBe(false);

    killed.resetAndDestroy(); // as the system does it for a process that was killed
    await once(leases.idle, 'abort');
  });

  it('is not given for a wrong token', async () => {
    leases.offer(server);
    expect(await takeLease({ ...keeper, token: 'guessed' })).toBeUndefined();
  });

  it('is not given by a keeper that is on its way out, nor by one that is gone', async () => {
    leases.offer(server);
    leases.refuse();
    expect(await takeLease(keeper)).toBeUndefined();
    leases.close();
    expect(await takeLease(keeper)).toBeUndefined();
  });

  it('fails with what the keeper says when there is no server to give', async () => {
    leases.offer(server);
    leases.offer(undefined);
    const refused = lease().catch((error: unknown) => error);
    // Each takes as many turns of the event loop as the request above needs to arrive.
    for (let round = 0; round < 5; round++) await takeLease({ ...keeper, token: 'guessed' });
    leases.close('No disk.');
    expect(await refused).toMatchObject({ name: 'TemporalUnreachable', message: 'No disk.' });
  });

  it('says that it was lost, and why if its keeper knows', async () => {
    leases.offer(server);
    const told = await lease();
    leases.close('The disk is full.');
    expect(await told.lost).toBe('The disk is full.');
  });

  it('is not given to one who never ends a line, and costs the keeper no more than 64 KB', async () => {
    leases.offer(server);
    const endless = connect(leases.port, '127.0.0.1').on('error', () => undefined);
    const closed = new Promise<void>((resolve) => endless.once('close', () => resolve()));
    endless.write('x'.repeat(10_000_000));
    await closed;
    expect((await lease()).server).toEqual(server);
  });
});
