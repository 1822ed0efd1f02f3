import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Command, reloop } from '../support/cli.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { act, answer } from '../support/scripts.ts';

/** Two Reloops, each with a server of Temporal, a worker and a gateway. An agent of the first asks an agent of the second over /mcp. */
const ASKING = 'test/fixtures/asking-reloop.config.ts';
const ASKED = 'test/fixtures/asked-reloop.config.ts';
const TOKEN = 'token-of-the-other-reloop';
/** Some time for the others to notice that one is gone. */
const BETWEEN_KILLS_MS = 200;

let first: CrashRig;
let second: CrashRig;
let effects: string;
const running = new Map<Part, Command>();
const ports = new Map<Part, number>();

const parts = [
  'worker of the first',
  'gateway of the first',
  'worker of the second',
  'gateway of the second',
] as const;
type Part = (typeof parts)[number];

const billOf = (prompt: string) =>
  /bill-\w+/u.exec(prompt.slice(prompt.lastIndexOf('\nQuestion: ')))?.[0] ?? '';
const observed = (prompt: string) =>
  prompt.slice(prompt.lastIndexOf('\nQuestion: ')).includes('Observation: ');

beforeAll(async () => {
  second = await startCrashRig({
    config: ASKED,
    replies: ({ prompt }) =>
      observed(prompt) ? answer(`paid ${billOf(prompt)}`) : act('pay', billOf(prompt)),
  });
  effects = join(second.folder, 'effects');
  ports.set('gateway of the second', await freePort());
  ports.set('gateway of the first', await freePort());
  first = await startCrashRig({
    config: ASKING,
    env: { OTHER_RELOOP: addressOf('gateway of the second') },
    replies: ({ prompt }) =>
      observed(prompt)
        ? answer(`told: ${billOf(prompt)}`)
        : act('payer', JSON.stringify({ input: `Pay ${billOf(prompt)}.` })),
  });
  await startAll();
}, 120_000);
afterAll(async () => {
  await Promise.all([...running.values()].map((one) => one.killGroup()));
  await first.stop();
  await second.stop();
});

const addressOf = (gateway: Part) => `http://127.0.0.1:${ports.get(gateway)}/mcp`;

function start(part: Part): void {
  const [rig, config] = part.endsWith('first') ? [first, ASKING] : [second, ASKED];
  if (part.startsWith('worker')) {
    running.set(part, rig.startWorker(rig === second ? effects : undefined));
    return;
  }
  const file = join(rig.folder, 'callers.json');
  writeFileSync(file, JSON.stringify([{ token: TOKEN, name: 'app', scopes: ['admin'] }]));
  const args = ['serve', '--port', String(ports.get(part)), '--tokens', file, '--config', config];
  running.set(
    part,
    reloop([...args, '--address', rig.server.address], {
      OPENAI_BASE_URL: rig.model.url,
      OTHER_RELOOP: addressOf('gateway of the second'),
    }),
  );
}

/** The first loads its tools from the gateway of the second. */
async function startAll(): Promise<void> {
  start('worker of the second');
  start('gateway of the second');
  await answers('gateway of the second');
  start('worker of the first');
  start('gateway of the first');
  await answers('gateway of the first');
}

async function answers(gateway: Part): Promise<void> {
  const health = addressOf(gateway).replace('/mcp', '/health');
  await vi.waitFor(async () => expect((await fetch(health)).status).toBe(200), {
    timeout: 90_000,
    interval: 100,
  });
}

/** A question to the first, through its gateway. The same bill is the same run. */
async function ask(bill: string): Promise<string> {
  const response = await fetch(addressOf('gateway of the first').replace('/mcp', '/runs'), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'idempotency-key': bill,
    },
    body: JSON.stringify({ agent: 'front', input: `Pay ${bill}.` }),
  });
  return ((await response.json()) as { id: string }).id; // as the route says
}

const statusOf = async (id: string) => (await first.client.get(id).describe()).status;
const linesAbout = (file: string, bill: string) => linesOf(file).filter((line) => line === bill);

/** The runs of the second about a bill. */
async function runsOf(bill: string) {
  const runs = [];
  for await (const { id } of second.client.list())
    if (JSON.stringify((await second.client.get(id).describe()).input).includes(bill)) runs.push(id);
  return runs;
}

function ordersOf(some: readonly Part[]): Part[][] {
  if (some.length <= 1) return [[...some]];
  return some.flatMap((part) => ordersOf(some.filter((one) => one !== part)).map((rest) => [part, ...rest]));
}
const orders = ordersOf(parts).map((order, index) => ({
  order,
  names: order.join(', '),
  bill: `bill-${index}`,
}));

test.each(orders)(
  'one effect and one answer, when these are killed: $names',
  async ({ order, bill }) => {
    const id = await ask(bill);
    await expect
      .poll(() => linesAbout(`${effects}.begun`, bill).length, { timeout: 60_000 })
      .toBeGreaterThan(0);
    for (const part of order) {
      await running.get(part)?.killGroup();
      await sleep(BETWEEN_KILLS_MS);
    }
    await startAll();
    expect(await ask(bill)).toBe(id);
    writeFileSync(`${effects}.go-${bill}`, '');
    await expect.poll(() => statusOf(id), { timeout: 90_000, interval: 500 }).toBe('completed');
    const { output, intermediateSteps } = await first.client.get(id).describe();
    expect(output).toBe(`told: ${bill}`);
    expect(intermediateSteps).toMatchObject([{ observation: expect.stringContaining(`paid ${bill}`) }]);
    expect(linesAbout(effects, bill)).toHaveLength(1);
    expect(await runsOf(bill)).toHaveLength(1);
  },
  240_000,
);
