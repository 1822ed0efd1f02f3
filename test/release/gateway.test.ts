import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, reloop } from '../support/cli.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { act, answer } from '../support/scripts.ts';
import { messagesOf } from '../support/sse.ts';
import { allOf } from '../support/all-of.ts';

/** Three processes of `reloop serve` behind a balancer, of which one is killed every ten seconds. */
const RUNS = 50;
const STREAMS_OF_A_RUN = 10;
/** Two approvals for each run. */
const APPROVALS = 2 * RUNS;
const KILL_MS = 10_000;
const CONFIG = 'test/fixtures/gateway.config.ts';
const TENANTS = ['acme', 'other'];
const tokenOf = (tenant: string) => `token-of-the-tenant-${tenant}`;

let rig: CrashRig;
let ports: number[];
const gateways: (Command | undefined)[] = [];

beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies({ prompt }) {
      const scratchpad = prompt.slice(prompt.lastIndexOf('\nQuestion: '));
      const paid = scratchpad.split('Observation: paid').length - 1;
      return paid === 2 ? answer('done') : act('pay', `bill ${paid}`);
    },
  });
  ports = await Promise.all([freePort(), freePort(), freePort()]);
  rig.startWorker();
});
afterAll(async () => {
  await Promise.all(gateways.map(async (one) => one?.killGroup()));
  await rig.stop();
});

function startGateway(index: number): void {
  const file = join(rig.folder, 'callers.json');
  const callers = TENANTS.map((tenant) => ({
    token: tokenOf(tenant),
    name: `${tenant}'s app`,
    tenant,
    scopes: ['admin'],
  }));
  writeFileSync(file, JSON.stringify(callers));
  const args = ['serve', '--port', String(ports[index]), '--tokens', file, '--config', CONFIG];
  gateways[index] = reloop([...args, '--address', rig.server.address], { OPENAI_BASE_URL: rig.model.url });
}

let turn = 0;

/** The answer of a gateway that lives. */
async function ask(
  tenant: string,
  path: string,
  { headers: given, ...init }: { method?: string; body?: string; headers?: { [name: string]: string } } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${tokenOf(tenant)}`, ...given };
  for (;;) {
    const port = ports[turn++ % ports.length];
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers }).catch(
      () => undefined,
    );
    if (response !== undefined && ![429, 503].includes(response.status)) return response;
    await sleep(50);
  }
}

const post = (tenant: string, path: string, body: object, headers = {}) =>
  ask(tenant, path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

/** The ids of all events, as a page receives them that reconnects. */
async function followed(tenant: string, id: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const response = await ask(tenant, `/runs/${id}/events`, {
      headers: { 'last-event-id': ids.at(-1) ?? '' },
    });
    if (response.status === 204) return ids;
    try {
      for await (const { id: event } of messagesOf(response)) if (event !== undefined) ids.push(event);
    } catch {
      // The gateway was killed.
    }
  }
}

/** Approves until so many approvals were accepted. */
async function approveAll(tenant: string, approvals: number): Promise<void> {
  for (let accepted = 0; accepted < approvals;) {
    const waiting = (await (await ask(tenant, '/waiting?limit=100')).json()) as {
      run: { id: string; waiting: { call: string; n: number }[] };
    }[];
    const calls = waiting.flatMap(({ run }) =>
      run.waiting.map(({ call, n }) => ({ id: run.id, call, wait: n })),
    );
    const statuses = await Promise.all(
      calls.map(async ({ id, ...which }) => {
        const { status } = await post(tenant, `/runs/${id}/decisions`, { type: 'approve', ...which });
        return status;
      }),
    );
    accepted += statuses.filter((status) => status === 200).length;
    await sleep(100);
    // An approval whose answer was lost is not accepted a second time.
    if (linesOf(join(rig.folder, 'effects')).length >= APPROVALS) return;
  }
}

test('no event is lost or doubled, nothing is done twice, and no tenant sees another', async () => {
  ports.forEach((_port, index) => startGateway(index));
  const over = new AbortController();
  const killing = (async () => {
    for (let kills = 0; !over.signal.aborted; kills++) {
      await sleep(KILL_MS, undefined, { signal: over.signal }).catch(() => undefined);
      const index = kills % ports.length;
      await gateways[index]?.killGroup();
      startGateway(index);
      // A busy machine takes long to start one, and two of three have to be there.
      await Promise.race([gateways[index]?.prints('Gateway ready'), once(over.signal, 'abort')]);
    }
  })();
  const started = await Promise.all(
    Array.from({ length: RUNS }, async (_, index) => {
      const tenant = TENANTS[index % TENANTS.length] ?? '';
      const key = { 'idempotency-key': `start-${index}` };
      const response = await post(tenant, '/runs', { agent: 'payer', input: `Pay bills of ${index}.` }, key);
      return { tenant, id: ((await response.json()) as { id: string }).id };
    }),
  );
  const streams = started.flatMap(({ tenant, id }) =>
    Array.from({ length: STREAMS_OF_A_RUN }, async () => ({ id, events: await followed(tenant, id) })),
  );
  await Promise.all(TENANTS.map((tenant) => approveAll(tenant, APPROVALS / TENANTS.length)));
  const received = await Promise.all(streams);
  over.abort();
  await killing;

  const recorded = new Map<string, (string | undefined)[]>();
  for (const { id } of started) {
    const events = await allOf(rig.client.get(id).events({ live: false }));
    recorded.set(
      id,
      events.flatMap(({ eventId }) => eventId ?? []),
    );
  }
  for (const { id, events } of received) expect(events).toEqual(recorded.get(id));
  const effects = linesOf(join(rig.folder, 'effects'));
  expect([effects.length, new Set(effects).size]).toEqual([APPROVALS, APPROVALS]);
  for (const { tenant, id } of started.slice(0, 4)) {
    const other = TENANTS.find((one) => one !== tenant) ?? '';
    expect((await ask(other, `/runs/${id}`)).status).toBe(404);
  }
}, 600_000);
