import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { externalTool } from '../../adapters/tools/external.ts';
import { http } from '../../adapters/tools/http/http.ts';
import { useOtherWorker } from '../support/other-worker.ts';
import { type Rig, eventOf, startRig, waitOf } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';

const QUEUE = `once-${process.pid}`;
let paid = 0;
const activities = {
  failing: () => {
    paid++;
    throw new Error('broken behind its effect');
  },
  slow: () => sleep(5000, 'late'),
};
const external = (name: string) =>
  externalTool({
    name,
    description: name,
    taskQueue: QUEUE,
    effects: 'once',
    retry: { initialInterval: 50 },
  });

/** Counts what it is asked, and then resets the connection, or says that it has no time, or fails. */
const asked: string[] = [];
const service = createServer((request, response) => {
  const { method = '', url = '' } = request;
  asked.push(`${method} ${url}`);
  if (url === '/reset') request.socket.resetAndDestroy();
  else response.writeHead(url === '/busy' ? 429 : 500).end();
});

let rig: Rig;
useOtherWorker({ taskQueue: QUEUE, activities, shutdownGraceTime: '1s' });
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(service.address() as AddressInfo).port}`; // of a TCP server
  const web = http({ allow: [host], retry: { maxAttempts: 3, initialInterval: 20 } });
  const asks = (method: string, path: string) =>
    script(act('http', JSON.stringify({ url: `http://${host}${path}`, method })));
  const tools = [web, ...Object.keys(activities).map(external)];
  const agent = (name: string, model: ReturnType<typeof script>) => ({ name, model, tools });
  rig = await startRig({
    agents: [
      agent('reset', asks('POST', '/reset')),
      agent('busy', asks('POST', '/busy')),
      agent('reads', asks('GET', '/fails')),
      ...Object.keys(activities).map((name) => agent(name, script(act(name, 'x')))),
    ],
  });
}, 60_000);
afterAll(async () => {
  await rig.stop();
  service.close();
});

async function waiting(name: string) {
  const run = await rig.client.start(name, 'what?');
  const wait = await waitOf(run);
  return { run, wait };
}

test('a POST whose connection is reset is sent once, and waits in doubt', async () => {
  const { wait } = await waiting('reset');
  expect(wait).toMatchObject({
    reason: 'doubt',
    error: { type: 'InDoubt', message: expect.stringContaining('(ECONNRESET)') },
  });
  expect(asked.filter((line) => line === 'POST /reset')).toHaveLength(1);
});

test.each([
  ['a POST that the server has no time for', 'busy', 'POST /busy', 'ToolRateLimited'],
  ['a GET that fails', 'reads', 'GET /fails', 'ToolServerError'],
])(
  '%s is tried again as the tool says, and then has failed without a doubt',
  async (_what, name, line, type) => {
    const { wait } = await waiting(name);
    expect(wait).toMatchObject({ reason: 'failed', error: { type } });
    expect(asked.filter((one) => one === line)).toHaveLength(3);
  },
);

test('another worker that fails leaves a doubt, whatever retries the tool has', async () => {
  const { wait } = await waiting('failing');
  expect(wait).toMatchObject({
    reason: 'doubt',
    error: { message: 'It is not known whether failing took effect: broken behind its effect.' },
  });
  expect(paid).toBe(1);
});

test('a call of another worker that is cancelled is in doubt: nobody knows whether it listens', async () => {
  const run = await rig.client.start('slow', 'what?');
  await eventOf(run.events(), 'tool_started');
  await run.decide('1.1', { type: 'cancelCall' });
  const wait = await waitOf(run);
  expect(wait).toMatchObject({
    reason: 'doubt',
    error: { message: 'It is not known whether slow took effect: it was cancelled while it ran.' },
  });
});
