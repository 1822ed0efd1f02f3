import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { createGateway } from '../../gateway/gateway.ts';
import { type OddRequest, TELLTALE, answerOf, oddRequests, routesOf } from '../support/odd-requests.ts';
import { useRig } from '../support/rig.ts';
import { answer, modelOf } from '../support/scripts.ts';

/** Ten thousand odd requests, with Temporal behind the gateway. */
const REQUESTS = 10_000;
const SEED = 2026;
const AT_ONCE = 16;
const TOKEN = 'a-token-of-the-fuzz';
const MOST_GROWN_BYTES = 30_000_000;

const rig = useRig({ agents: [{ name: 'clerk', model: modelOf(() => answer('ok')), tools: [] }] });

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // V8's own

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('no odd request makes the gateway fail, tells where its code is, or leaves anything in memory', async () => {
  const errors: unknown[] = [];
  const gateway = createGateway(rig.client, {
    tokens: [{ token: TOKEN, name: 'a', tenant: 't', scopes: ['admin'] }],
    agents: [{ name: 'clerk' }],
    requestsPerMinute: Number.MAX_SAFE_INTEGER,
    callbacks: true,
    onError: (error) => errors.push(error),
  });
  const routes = await routesOf(gateway, { authorization: `Bearer ${TOKEN}` });
  await rig.client.run('clerk', 'what?', { id: 't.run', tenant: 't' });
  const statuses = new Map<number, number>();
  const bad: object[] = [];
  const send = async (request: OddRequest) => {
    const { status, text } = await answerOf(gateway, request, TOKEN);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 500 || TELLTALE.test(text))
      bad.push({ ...request, body: new TextDecoder().decode(request.body).slice(0, 500), status, text });
  };
  const requests = oddRequests(routes, REQUESTS, SEED);
  await aFewAtATime(requests.slice(0, REQUESTS / 4), AT_ONCE, send);
  const before = heapBytes();
  await aFewAtATime(requests.slice(REQUESTS / 4), AT_ONCE, send);
  const grown = heapBytes() - before;
  expect({ bad: bad.slice(0, 3), errors: errors.slice(0, 3) }).toEqual({ bad: [], errors: [] });
  expect(grown).toBeLessThan(MOST_GROWN_BYTES);
  // Odd requests that get through every check, and those that do not.
  expect(statuses.get(200)).toBeGreaterThan(100);
  expect(statuses.get(400)).toBeGreaterThan(1000);
});
