import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDesk, type LeaseDesk } from '../../server/keeper/lease-server.ts';
import { takeLease } from '../../server/keeper/lease.ts';
import type { LockHolder } from '../../server/lock-file.ts';
import type { ServerRecord } from '../../server/state.ts';

const server: ServerRecord = {
  address: '127.0.0.1:7233',
  namespace: 'default',
  uiUrl: 'http://127.0.0.1:8233',
  ports: { grpc: 7233, ui: 8233 },
  pid: 1,
  born: null,
  dbFile: 'temporal.db',
  fastSettings: true,
  binary: { path: 'temporal', source: 'PATH', version: '1.5.1' },
  ready: true,
};

let desk: LeaseDesk;
let keeper: LockHolder;

beforeEach(async () => {
  desk = await openDesk();
  keeper = { pid: process.pid, born: null, token: desk.token, port: desk.port };
});

afterEach(() => desk.close());

async function lease() {
  const taken = await takeLease(keeper);
  if (taken === undefined) throw new Error('The desk refused.');
  return taken;
}

describe('a lease', () => {
  it('comes with the server, as soon as there is one', async () => {
    const early = lease();
    desk.serve(async () => server);
    expect((await early).server).toEqual(server);
  });

  it('keeps the server until the last holder has released it or died', async () => {
    desk.serve(async () => server);
    let deserted = false;
    void desk.deserted.then(() => (deserted = true));

    const [first, second] = [await lease(), await lease()];
    await first.release();
    const killed = connect(desk.port, '127.0.0.1');
    killed.write(`${desk.token}\n`);
    await once(killed, 'data');
    await second.release();
    expect(deserted).toBe(false);

    killed.resetAndDestroy(); // as the system does it for a process that was killed
    await desk.deserted;
  });

  it('is not given for a wrong token', async () => {
    desk.serve(async () => server);
    expect(await takeLease({ ...keeper, token: 'guessed' })).toBeUndefined();
  });

  it('is not given by a keeper that is on its way out, nor by one that is gone', async () => {
    desk.serve(async () => server);
    desk.refuse();
    expect(await takeLease(keeper)).toBeUndefined();
    desk.close();
    expect(await takeLease(keeper)).toBeUndefined();
  });

  it('fails with what the keeper says when there is no server to give', async () => {
    const asked = new Promise<void>((resolve) => {
      desk.serve(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const refused = lease().catch((error: unknown) => error);
    await asked;
    desk.close('No disk.');
    expect(await refused).toMatchObject({ name: 'TemporalUnreachable', message: 'No disk.' });
  });

  it('says that it was lost, and why if its keeper knows', async () => {
    desk.serve(async () => server);
    const told = await lease();
    desk.close('The disk is full.');
    expect(await told.lost).toBe('The disk is full.');
  });
});
