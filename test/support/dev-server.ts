import { spawn } from 'node:child_process';
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
  const port = await freePort();
  const settings = [
    'system.enableActivityEagerExecution=true',
    'history.transferProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxPollRPS=2000',
    // A run is continued as new at once, and not when it is a second old.
    'history.workflowIdReuseMinimalInterval="0s"',
  ].flatMap((value) => ['--dynamic-config-value', value]);
  const args = ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)];
  const start = () =>
    spawn(binary, [...args, '--log-level', 'never', ...settings, ...flags], { stdio: 'ignore' });
  const address = `127.0.0.1:${port}`;
  let child = start();
  await answers(address);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return {
    address,
    stop: () => end('SIGTERM'),
    async killAndRestart() {
      await end('SIGKILL');
      child = start();
      await answers(address);
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}

async function answers(address: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 500 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`The Temporal server at ${address} does not answer.`);
}
