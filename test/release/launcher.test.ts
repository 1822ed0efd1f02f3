import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePorts, type Ports } from '../../local/server/ports.ts';
import { lockHolder } from '../../local/server/lock-file.ts';
import { identify, isAlive } from '../../local/server/process-identity.ts';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { TEMPORAL_VERSION, downloadBySdk } from '../../local/server/binary/fetch.ts';
import { acquireServer, runningServer, type EmbeddedServer } from '../../local/server/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

interface Holder {
  process: ChildProcess;
  server: Omit<EmbeddedServer, 'release'>;
}

const LIMIT_MS = 30_000;
const script = fileURLToPath(new URL('../support/hold-server.ts', import.meta.url));

let binary: string;
let stateDir: string;
let ports: Ports;
let started: ChildProcess[];
let acquired: EmbeddedServer[];

// The build, where there is one, is not part of any test's time.
beforeAll(async () => {
  ({ path: binary } = await findTemporalBinary({ onProgress: (line) => console.error(line) }));
}, 600_000);

beforeEach(async () => {
  vi.stubEnv('TEMPORAL_CLI_PATH', binary);
  stateDir = tempFolder(onTestFinished);
  ports = await freePorts({ grpc: 0, ui: 0 });
  started = [];
  acquired = [];
});

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(acquired.map((server) => server.release()));
  await stopped();
  vi.unstubAllEnvs();
});

/** This process as a command. */
async function acquire(
  wanted = ports,
  onProgress: (line: string) => void = () => undefined,
): Promise<EmbeddedServer> {
  const server = await acquireServer({ stateDir, ports: wanted, onProgress });
  acquired.push(server);
  return server;
}

/** Another command, in a process group of its own. */
async function hold(): Promise<Holder> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, stateDir, JSON.stringify(ports)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  started.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { process: child, server: JSON.parse(line) as Holder['server'] }; // written by the script
}

function killGroup({ process: { pid } }: Holder, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid !== undefined) process.kill(-pid, signal);
}

/** Nobody keeps a server any more, and none runs. */
async function stopped(): Promise<void> {
  await until(async () => (await lockHolder(join(stateDir, 'keeper.json'))) === undefined);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !(await condition()); await sleep(20)) {
    if (Date.now() > end) throw new Error('It did not come to this in time.');
  }
}

async function keeperPid(): Promise<number> {
  const keeper = await lockHolder(join(stateDir, 'keeper.json'));
  if (keeper === undefined) throw new Error('No keeper.');
  return keeper.pid;
}

async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

const startWorkflow = (address: string, workflowId: string) =>
  withClient(address, ({ workflow }) =>
    workflow.start('anything', { workflowId, taskQueue: 'none', args: [] }),
  );

/** gRPC backs off from an address that was just killed, for longer than the server takes to come back. */
const statusOf = async (address: string, workflowId: string) => {
  await until(() => answers(address));
  return withClient(address, async ({ workflow }) => {
    return (await workflow.getHandle(workflowId).describe()).status.name;
  });
};

/** As soon as the port is free. */
async function listenAt(port: number): Promise<Server> {
  for (;;) {
    const server = createServer().listen(port, '127.0.0.1');
    const listens = once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (await listens) return server;
  }
}

const answers = (address: string) =>
  withClient(address, async ({ connection }) => {
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    return true;
  }).catch(() => false);

describe('the embedded Temporal server', { timeout: 4 * LIMIT_MS }, () => {
  it('is one for commands that start at the same moment, and stays while one of them lives', async () => {
    const [first, second, third] = await Promise.all([hold(), hold(), acquire()]);
    expect(first.server).toMatchObject({ address: `127.0.0.1:${ports.grpc}`, pid: third.pid });
    expect(second.server.pid).toBe(third.pid);
    expect([first.server, second.server, third].filter(({ startedByUs }) => startedByUs)).toHaveLength(1);

    killGroup(first);
    await once(first.process, 'exit');
    await third.release();
    await sleep(1_500); // longer than it waits for another command
    expect(await runningServer(stateDir)).toMatchObject({ pid: second.server.pid });
    expect(await answers(second.server.address)).toBe(true);

    killGroup(second);
    await stopped();
    expect(await runningServer(stateDir)).toBeUndefined();
    expect(await answers(second.server.address)).toBe(false);
  });

  it('is ready for runs: 90 days of history, search attributes, a Web UI at the link', async () => {
    const server = await acquire();
    await withClient(server.address, async ({ connection }) => {
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 60 * 60);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({
        namespace: 'default',
      });
      expect(Object.keys(customAttributes ?? {})).toEqual(
        expect.arrayContaining(['ReloopAgent', 'ReloopStatus', 'ReloopSession']),
      );
    });
    expect(server.uiUrl).toBe(`http://127.0.0.1:${ports.ui}`);
    expect((await fetch(server.uiUrl)).status).toBe(200);
    await server.release();
  });

  it('has its runs again after a clean end', async () => {
    const before = await acquire();
    await startWorkflow(before.address, 'kept');
    await before.release();
    const after = await acquire(); // while the first one is still closing its file
    expect(await statusOf(after.address, 'kept')).toBe('RUNNING');
    await after.release();
  });

  it('comes back at the same address with the same runs when it is killed', async () => {
    const server = await acquire();
    await startWorkflow(server.address, 'kept');
    process.kill(server.pid, 'SIGKILL');
    await until(async () => ((await runningServer(stateDir))?.pid ?? server.pid) !== server.pid);
    expect(await runningServer(stateDir)).toMatchObject({ address: server.address, uiUrl: server.uiUrl });
    expect(await statusOf(server.address, 'kept')).toBe('RUNNING');
    await server.release();
  });

  it('stays where it was when its keeper is killed: those who need it start another', async () => {
    const [server, other] = [await acquire(), await hold()];
    await startWorkflow(server.address, 'kept');
    const [former, keeper] = [await identify(server.pid), await keeperPid()];
    process.kill(keeper, 'SIGKILL');
    await until(async () => ((await runningServer(stateDir))?.pid ?? server.pid) !== server.pid);
    expect(await keeperPid()).not.toBe(keeper);
    expect(await statusOf(server.address, 'kept')).toBe('RUNNING');
    expect(await isAlive(former)).toBe(false);

    await server.release();
    await sleep(1_500);
    expect(await answers(other.server.address)).toBe(true);
    other.process.stdin?.end();
    await stopped();
    expect(await answers(server.address)).toBe(false);
  });

  it('goes on after everything was killed: same runs, same address, no second server', async () => {
    const holder = await hold();
    const { address, pid } = holder.server;
    const former = await identify(pid);
    await startWorkflow(address, 'kept');
    const keeper = await keeperPid();
    // The holder stands still before the keeper is gone: it would start another one.
    killGroup(holder, 'SIGSTOP');
    process.kill(keeper, 'SIGKILL');
    killGroup(holder);
    const server = await acquire(await freePorts({ grpc: 0, ui: 0 }));
    expect(server).toMatchObject({ address, startedByUs: true });
    expect(await statusOf(address, 'kept')).toBe('RUNNING');
    expect(await isAlive(former)).toBe(false);
    await server.release();
  });

  it('takes another port, and links to it, where its own are taken', async () => {
    const taken = createServer().listen(ports.ui, '127.0.0.1');
    await once(taken, 'listening');
    const said: string[] = [];
    const server = await acquire(ports, (line) => said.push(line));
    expect(said).toEqual([
      'Starting Temporal …',
      expect.stringMatching(
        new RegExp(
          `^Port ${ports.ui} is taken by another program \\(pid ${process.pid}, .+\\): Web UI at ${server.uiUrl}$`,
          'u',
        ),
      ),
    ]);
    expect(server.address).toBe(`127.0.0.1:${ports.grpc}`);
    expect(server.uiUrl).not.toBe(`http://127.0.0.1:${ports.ui}`);
    expect((await fetch(server.uiUrl)).status).toBe(200);
    await server.release();
    taken.close();
  });

  it('is not mistaken for another process that took its port when it was killed', async () => {
    const server = await acquire();
    await startWorkflow(server.address, 'kept');
    process.kill(server.pid, 'SIGKILL');
    const foreign = await listenAt(ports.grpc);
    await until(async () =>
      /another process listens/u.test(await readFile(join(stateDir, 'server.log'), 'utf8')),
    );
    expect(await runningServer(stateDir)).toBeUndefined();
    foreign.close();
    expect(await statusOf(server.address, 'kept')).toBe('RUNNING');
    await server.release();
  });

  it('writes nothing that other users can read', async () => {
    const umask = process.umask(0o022);
    const server = await acquire();
    process.umask(umask);
    await startWorkflow(server.address, 'secret');
    const files = (await readdir(stateDir)).filter((name) => name !== '.gitignore');
    const open = files.filter((name) => (statSync(join(stateDir, name)).mode & 0o077) !== 0);
    expect(files).toContain('temporal.db-wal');
    expect(open).toEqual([]);
    await server.release();
  });

  it('says why it does not start', async () => {
    const broken = join(stateDir, 'temporal');
    await writeFile(
      broken,
      '#!/bin/sh\nif [ "$1" = --version ]; then echo "temporal version 1"; else echo "disk on fire" >&2; exit 3; fi\n',
    );
    await chmod(broken, 0o755);
    vi.stubEnv('TEMPORAL_CLI_PATH', broken);
    await expect(acquire()).rejects.toMatchObject({
      name: 'TemporalUnreachable',
      message: expect.stringContaining(
        `The Temporal server (${broken}) does not start: it ended with exit code 3 (disk on fire).`,
      ),
    });
  });

  it("finds the SDK's download where the SDK leaves it", async () => {
    const download = join(stateDir, `temporal-${TEMPORAL_VERSION}`);
    await writeFile(download, `#!/bin/sh\nexec "${binary}" "$@"\n`);
    await chmod(download, 0o755);
    expect(await downloadBySdk({ folder: stateDir, env: process.env, tell() {} })).toBe(download);
  });
});
