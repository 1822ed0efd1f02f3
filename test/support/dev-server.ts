import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';

/** A Temporal server of a test's own: in memory, unless its flags name a file. */
export interface DevServer {
  address: string;
  stop(): Promise<void>;
  /** SIGKILL, and a new server on the same port with the same flags. */
  killAndRestart(): Promise<void>;
}

/** Continue-as-new is suggested at 400 events instead of 4,096. */
export const EARLY_CONTINUE_AS_NEW = [
  '--dynamic-config-value',
  'limit.historyCount.suggestContinueAsNew=400',
];

/** `flags` are further arguments of `temporal server start-dev`. */
export async function startDevServer(binary: string, flags: string[] = []): Promise<DevServer> {
  const settings = [
    'system.enableActivityEagerExecution=true',
    'history.transferProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxPollRPS=2000',
    // A run is continued as new at once, and not when it is a second old.
    'history.workflowIdReuseMinimalInterval="0s"',
  ].flatMap((value) => ['--dynamic-config-value', value]);
  const start = (port: number) =>
    startedOn(port, binary, ['--log-level', 'error', ...settings, ...flags, '--port', String(port)]);
  const first = await firstOf(START_TRIES, async () => {
    const port = await freePort();
    return { port, child: await start(port) };
  });
  const { port } = first;
  let { child } = first;
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return {
    address: `127.0.0.1:${port}`,
    stop: () => end('SIGTERM'),
    async killAndRestart() {
      await end('SIGKILL');
      child = await firstOf(START_TRIES, () => start(port));
    },
  };
}

/** A connection of another process may take a port, the server's inner ones too, before the server listens on it. */
const START_TRIES = 5;
const START_MS = 40_000;

async function firstOf<T>(tries: number, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (tries <= 1) throw error;
    await sleep(2_000);
    return firstOf(tries - 1, attempt);
  }
}

/** The server on `port`, once it answers. Throws with the server's log if the server ends first, or does not answer in time. */
async function startedOn(port: number, binary: string, args: string[]): Promise<ChildProcess> {
  const address = `127.0.0.1:${port}`;
  const child = spawn(binary, ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close');
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-500)));
  const late = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < late) {
    if (await answers(address)) return child;
    await sleep(100);
  }
  child.kill('SIGKILL');
  await closed;
  throw new Error(`The Temporal server at ${address} does not answer: ${log}`);
}

async function answers(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 500 });
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

/** A port below those that Linux gives to connections: a server that is started again still finds the port free. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(16_384, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
