import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import { connectTo } from '../../client/connect/connect.ts';
import { type HealthServer, serveHealth } from '../../worker/health-server.ts';
import { type Command, reloop } from '../support/cli.ts';
import { freePort } from '../support/dev-server.ts';
import { until } from '../support/processes.ts';
import { tempFolder } from '../support/temp-folder.ts';

const gate = join(tempFolder(), 'gate');
const taskQueue = `test-${randomUUID()}`;
const workers: Command[] = [];
afterAll(async () => {
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(workers.map(({ exit }) => exit));
});

async function startWorker(...args: string[]): Promise<Command> {
  const environment = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: taskQueue,
    DRAIN_GATE: gate,
  };
  const worker = reloop(
    ['worker', '--config', 'test/fixtures/configs/drain.config.ts', ...args],
    environment,
  );
  workers.push(worker);
  await worker.prints('Worker ready');
  return worker;
}

async function ask(port: number, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`);
  return [response.status, await response.json()];
}

test('a worker that drains takes no work, finishes its calls, and ends', async () => {
  const port = await freePort();
  const worker = await startWorker('--health-port', String(port));
  expect(await ask(port, 'live')).toEqual([200, { status: 'live', calls: 0 }]);
  expect(await ask(port, 'ready')).toEqual([200, { status: 'ready', calls: 0 }]);

  const temporal = await connectTo(inject('temporalAddress'), 'default');
  const client = new AgentClient(temporal, inject('temporalAddress'), taskQueue);
  const run = await client.start('patient', 'Wait.');
  await until(() => existsSync(`${gate}-calls`));
  expect(await ask(port, 'drain')).toEqual([200, { status: 'draining', calls: 1 }]);
  expect(await ask(port, 'ready?probe=1')).toEqual([503, { status: 'draining', calls: 1 }]);
  writeFileSync(gate, '');
  expect(await worker.exit).toBe(0);

  await startWorker();
  expect((await run.result()).output).toBe('done');
  expect(readFileSync(`${gate}-calls`, 'utf8')).toBe('begun\n');
  await client.close();
});

test('a port that is taken is refused', async () => {
  const port = await freePort();
  const other = await serveHealth(idle, '127.0.0.1', port);
  const args = ['worker', '--config', 'test/fixtures/configs/drain.config.ts', '--health-port', String(port)];
  const worker = reloop(args, {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: taskQueue,
  });
  expect(await worker.exit).toBe(2);
  expect(worker.stderr()).toContain(`--health-port: cannot listen on 127.0.0.1:${port}`);
  await other.close();
});

const idle = { isReady: () => true, callsUnderWay: () => 0, drain: () => undefined };

test.each([
  ['an unknown path', 'nothing', 404],
  ['a probe', 'live', 200],
])('%s is answered', async (_what, path, code) => {
  const server: HealthServer = await serveHealth(idle, '127.0.0.1', 0);
  expect(await ask(server.port, path)).toMatchObject([code, { calls: 0 }]);
  await server.close();
});
