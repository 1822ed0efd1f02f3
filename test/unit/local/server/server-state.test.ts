import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anyPorts, freePorts } from '../../../../local/server/ports.ts';
import { lockHolder, tryLock } from '../../../../local/server/lock-file.ts';
import { readJson, writeJson } from '../../../../local/server/json-file.ts';
import { identify, isAlive, pidHere, processExists } from '../../../../local/server/process-identity.ts';
import { folderAbove, projectFolder, stateDirectory } from '../../../../local/server/project-folder.ts';
import {
  makeStateDirectory,
  readRecord,
  removeRecord,
  writeRecord,
  type ServerRecord,
} from '../../../../local/server/state-folder.ts';
import { startServer } from '../../../../local/server/server-process.ts';
import { runningServer } from '../../../../local/server/server.ts';
import { serverRecord } from '../../../support/server-record.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

let folder: string;

beforeEach(() => {
  folder = tempFolder(onTestFinished);
});

afterEach(() => void vi.unstubAllEnvs());

const recordOf = async (pid: number, grpc: number): Promise<ServerRecord> =>
  serverRecord({ address: `127.0.0.1:${grpc}`, ports: { grpc, ui: 8233 }, ...(await identify(pid)) });

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the folder of a project', () => {
  it('is .reloop beside the nearest package.json', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'a', 'package.json'), '{}');
    expect(stateDirectory(join(folder, 'a', 'b'))).toBe(join(folder, 'a', '.reloop'));
  });

  // Only root gives folders away.
  it.skipIf(process.getuid?.() !== 0)('does not lie above a folder of another owner', async () => {
    const mine = join(folder, 'theirs', 'mine');
    await mkdir(mine, { recursive: true });
    await writeFile(join(folder, 'theirs', 'package.json'), '{}');
    await chown(join(folder, 'theirs'), 4711, 4711);
    expect(projectFolder(mine)).toBe(mine);
  });

  it('is the same for a command in each folder of the project, also where RELOOP_STATE_DIR is relative', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{}');
    vi.stubEnv('RELOOP_STATE_DIR', 'state');
    expect(stateDirectory(join(folder, 'a', 'b'))).toBe(join(folder, 'state'));
  });

  it('does not lie above a folder that users share, as /tmp is', async () => {
    const mine = join(folder, 'shared', 'mine');
    await mkdir(mine, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{}');
    await writeFile(join(folder, 'shared', 'package.json'), '{}');
    expect(projectFolder(mine)).toBe(join(folder, 'shared'));
    await chmod(join(folder, 'shared'), 0o1777);
    expect(projectFolder(mine)).toBe(mine);
    expect(folderAbove(mine)).toBeUndefined();
  });

  it('is refused where it belongs to another user', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(4711);
    await expect(makeStateDirectory(folder)).rejects.toThrow('belongs to another user');
    vi.restoreAllMocks();
  });

  it('stays out of version control, and can be read by its user only', async () => {
    const made = join(folder, '.reloop');
    await makeStateDirectory(made);
    expect(await readFile(join(made, '.gitignore'), 'utf8')).toBe('*\n');
    expect(modeOf(made)).toBe(0o700);
  });

  it('keeps database, journal and log from other users, also those that were open to them', async () => {
    const names = ['temporal.db', 'temporal.db-wal', 'temporal.db-shm', 'server.log', 'server.json'];
    for (const name of names) await writeFile(join(folder, name), '', { mode: 0o644 });
    await makeStateDirectory(folder);
    expect(names.map((name) => modeOf(join(folder, name)))).toEqual(names.map(() => 0o600));
  });
});

describe('a JSON file', () => {
  it('is for its user only, and is replaced as a whole', async () => {
    const file = join(folder, 'any.json');
    await writeFile(file, '{"of":"another', { mode: 0o644 });
    expect(readJson(file)).toBeUndefined();
    writeJson(file, { now: [1] });
    expect({ value: readJson(file), mode: modeOf(file) }).toEqual({ value: { now: [1] }, mode: 0o600 });
    expect(await readdir(folder)).toEqual(['any.json']);
  });

  it('counts as none while it is missing', () => {
    expect(readJson(join(folder, 'none.json'))).toBeUndefined();
  });
});

describe('a process', () => {
  it.each([
    ['exists', undefined, true],
    ['of another user exists', 'EPERM', true],
    ['that has ended does not exist', 'ESRCH', false],
  ])('%s', (_title, code, exists) => {
    vi.spyOn(process, 'kill').mockImplementation(() => {
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return true;
    });
    expect(processExists(4711)).toBe(exists);
    vi.restoreAllMocks();
  });

  it.each([
    [`4711@${hostname()}`, 4711],
    [`reloop dev 4711@${hostname()} other.config.ts`, 4711],
    ['4711@another-machine', undefined],
    ['a name of its own', undefined],
  ])('is known, on this machine, by the identity "%s"', (identity, pid) => {
    expect(pidHere(identity)).toBe(pid);
  });

  it('is not mistaken for a later one with its number', async () => {
    const me = await identify(process.pid);
    expect(await isAlive(me)).toBe(true);
    expect(await isAlive({ ...me, startedAt: 'another time' })).toBe(false);
  });
});

describe('the record of the server', () => {
  it('reads back as it was written, and is gone when removed', async () => {
    const record = await recordOf(process.pid, 7233);
    writeRecord(folder, record);
    expect(readRecord(folder)).toEqual(record);
    await removeRecord(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['', '{"address":', '{"address":"127.0.0.1:1"}'])('counts as none when it is %j', async (text) => {
    await writeFile(join(folder, 'server.json'), text);
    expect(readRecord(folder)).toBeUndefined();
  });

  it('speaks of a running server only while that process lives and its port is open', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('No port.');
    const record = await recordOf(process.pid, address.port);
    const dead = spawnSync('/bin/sh', ['-c', 'true']).pid;

    writeRecord(folder, { ...record, ready: false });
    expect(await runningServer(folder)).toBeUndefined();
    writeRecord(folder, { ...record, pid: dead });
    expect(await runningServer(folder)).toBeUndefined();
    writeRecord(folder, record);
    expect(await runningServer(folder)).toMatchObject({ address: record.address, pid: process.pid });
    await new Promise((closed) => listener.close(closed));
    expect(await runningServer(folder)).toBeUndefined();
  });
});

describe('a server', () => {
  it('says that it ended at once also to a keeper that looks later', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const log = openSync(join(folder, 'server.log'), 'a');
    const ports = await freePorts(anyPorts);
    const options = { binary: '/bin/false', ports, dbFile: undefined, cwd: folder, log };
    const server = startServer(options, new AbortController().signal);
    await server.ended;
    await sleep(100); // `ready` is rejected at the next look at the port
    process.off('unhandledRejection', unhandled);
    closeSync(log);
    expect(unhandled).not.toHaveBeenCalled();
    await expect(server.ready).rejects.toThrow('it ended with exit code 1');
  });
});

describe('a lock', () => {
  const holder = { startedAt: 'long ago', token: 'of the dead', port: 0 };

  it('is had by one of many who want it at once', async () => {
    const file = join(folder, 'lock');
    const locks = await Promise.all(Array.from({ length: 20 }, () => tryLock(file)));
    expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
  });

  it('is free again after its release', async () => {
    const file = join(folder, 'lock');
    const lock = await tryLock(file, { token: 'mine', port: 4711 });
    expect(await lockHolder(file)).toMatchObject({ pid: process.pid, token: 'mine', port: 4711 });
    await lock?.release();
    expect(await lockHolder(file)).toBeUndefined();
    expect(await tryLock(file)).toBeDefined();
  });

  it('is taken over, by one, from a process that died or whose number went to another', async () => {
    const file = join(folder, 'lock');
    const dead = spawnSync('/bin/sh', ['-c', 'true']).pid;
    for (const pid of [dead, process.pid]) {
      await writeFile(file, JSON.stringify({ ...holder, pid }));
      expect(await lockHolder(file)).toBeUndefined();
      const locks = await Promise.all(Array.from({ length: 20 }, () => tryLock(file)));
      expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
    }
  });

  it('is left alone while it is being written; one that nobody finished is taken over', async () => {
    const file = join(folder, 'lock');
    await writeFile(file, '{"pid":');
    expect(await tryLock(file)).toBeUndefined();
    await utimes(file, 0, 0);
    expect(await tryLock(file)).toBeDefined();
  });

  it('is not removed by a late release of somebody else', async () => {
    const file = join(folder, 'lock');
    const mine = await tryLock(file);
    await rm(file);
    await tryLock(file, { token: 'theirs', port: 0 });
    await mine?.release();
    expect(await lockHolder(file)).toMatchObject({ token: 'theirs' });
  });
});

describe('ports', () => {
  it('are the wanted ones where those are free, and others where they are taken', async () => {
    const free = await freePorts({ grpc: 0, ui: 0 });
    expect(free.grpc).not.toBe(free.ui);
    expect(await freePorts(free)).toEqual(free);
    const taken = createServer().listen(free.grpc, '127.0.0.1');
    await once(taken, 'listening');
    const { grpc, ui } = await freePorts(free);
    expect({ ui, other: grpc !== free.grpc && grpc !== ui }).toEqual({ ui: free.ui, other: true });
    taken.close();
  });
});
