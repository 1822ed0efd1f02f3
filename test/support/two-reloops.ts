import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { type Command, reloop } from './cli.ts';
import { type CrashRig, linesOf, startCrashRig } from './crash-rig.ts';
import { freePort } from './dev-server.ts';
import { act, answer } from './scripts.ts';

const ASKING = 'test/fixtures/asking-reloop.config.ts';
const ASKED = 'test/fixtures/asked-reloop.config.ts';
const TOKEN = 'token-of-the-other-reloop';
/** Some time for the others to notice that one is gone. */
const BETWEEN_KILLS_MS = 200;

export const parts = [
  'worker of the first',
  'gateway of the first',
  'worker of the second',
  'gateway of the second',
] as const;
export type Part = (typeof parts)[number];

/** Two Reloops, each with a server of Temporal, a worker and a gateway. An agent of the first asks an agent of the second over /mcp. */
export interface TwoReloops {
  first: CrashRig;
  second: CrashRig;
  /** SIGKILL, one after the other. */
  kill(...some: readonly Part[]): Promise<void>;
  /** Starts all parts that are not there. */
  startAll(): Promise<void>;
  /** Asks the first, through its gateway, to have a bill paid. The same bill is the same run. Resolves to the id of the run. */
  ask(bill: string): Promise<string>;
  /** Lets the tool of the second pay the bill. */
  letPay(bill: string): void;
  /** Number of times that the tool of the second has begun, been cancelled, or paid the bill. */
  count(what: 'begun' | 'cancelled' | 'paid', bill: string): number;
  /** Ids of the runs of the second about a bill. */
  runsOf(bill: string): Promise<string[]>;
  stop(): Promise<void>;
}

const billOf = (prompt: string) =>
  /bill-\w+/u.exec(prompt.slice(prompt.lastIndexOf('\nQuestion: ')))?.[0] ?? '';
const observed = (prompt: string) =>
  prompt.slice(prompt.lastIndexOf('\nQuestion: ')).includes('Observation: ');

export async function startTwoReloops(): Promise<TwoReloops> {
  const running = new Map<Part, Command>();
  const second = await startCrashRig({
    config: ASKED,
    replies: ({ prompt }) =>
      observed(prompt) ? answer(`paid ${billOf(prompt)}`) : act('pay', billOf(prompt)),
  });
  const effects = join(second.folder, 'effects');
  const ports = new Map<Part, number>([
    ['gateway of the second', await freePort()],
    ['gateway of the first', await freePort()],
  ]);
  const addressOf = (gateway: Part) => `http://127.0.0.1:${ports.get(gateway)}/mcp`;
  const first = await startCrashRig({
    config: ASKING,
    env: { OTHER_RELOOP: addressOf('gateway of the second') },
    replies: ({ prompt }) =>
      observed(prompt)
        ? answer(`told: ${billOf(prompt)}`)
        : act('payer', JSON.stringify({ input: `Pay ${billOf(prompt)}.` })),
  });

  function start(part: Part): void {
    if (running.has(part)) return;
    const [rig, config] = part.endsWith('first') ? [first, ASKING] : [second, ASKED];
    if (part.startsWith('worker')) {
      running.set(part, rig.startWorker(rig === second ? effects : undefined));
      return;
    }
    const file = join(rig.folder, 'callers.json');
    writeFileSync(file, JSON.stringify([{ token: TOKEN, name: 'app', scopes: ['admin'] }]));
    const args = ['serve', '--port', String(ports.get(part)), '--tokens', file, '--config', config];
    const env = { OPENAI_BASE_URL: rig.model.url, OTHER_RELOOP: addressOf('gateway of the second') };
    running.set(part, reloop([...args, '--address', rig.server.address], env));
  }

  async function answers(gateway: Part): Promise<void> {
    const health = addressOf(gateway).replace('/mcp', '/health');
    await vi.waitFor(async () => expect((await fetch(health)).status).toBe(200), {
      timeout: 90_000,
      interval: 100,
    });
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

  return {
    first,
    second,
    startAll,
    async kill(...some) {
      for (const part of some) {
        await running.get(part)?.killGroup();
        running.delete(part);
        await sleep(BETWEEN_KILLS_MS);
      }
    },
    async ask(bill) {
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
    },
    letPay: (bill) => writeFileSync(`${effects}.go-${bill}`, ''),
    count: (what, bill) =>
      linesOf(what === 'paid' ? effects : `${effects}.${what}`).filter((line) => line === bill).length,
    async runsOf(bill) {
      const runs = [];
      for await (const { id } of second.client.list())
        if (JSON.stringify((await second.client.get(id).describe()).input).includes(bill)) runs.push(id);
      return runs;
    },
    async stop() {
      await Promise.all([...running.values()].map((one) => one.killGroup()));
      await first.stop();
      await second.stop();
    },
  };
}
