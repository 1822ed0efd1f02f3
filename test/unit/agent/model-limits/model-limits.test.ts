import { describe, expect, test } from 'vitest';
import {
  type LeaseRequest,
  type ModelLimits,
  type Want,
  isLeaseRequest,
} from '../../../../agent/model-limits/lease-request.ts';
import { lease, newLimiter } from '../../../../agent/model-limits/limiter.ts';

const START = 1_000_000;
const MINUTE = 60_000;

interface Part {
  worker: string;
  tenant?: string;
  priority?: number;
  agent?: string;
  calls?: number;
  tokens?: number;
}

const want = ({ tenant = '', priority, agent = 'a', calls = 1_000, tokens = 1 }: Part): Want => ({
  tenant,
  priority,
  agent,
  calls,
  tokens,
  since: START,
});

/** Calls that begin per part, with workers that ask in turn every `everyMs`. `silent`: times at which nobody asks. */
function simulate(
  limits: ModelLimits,
  parts: Part[],
  {
    ms = 3 * MINUTE,
    everyMs = 400,
    silent = () => false,
  }: { ms?: number; everyMs?: number; silent?: (at: number) => boolean } = {},
) {
  const workers = [...new Set(parts.map(({ worker }) => worker))];
  let state = newLimiter(START);
  const begun: { at: number; part: number; tokens: number }[] = [];
  const step = Math.floor(everyMs / workers.length);
  for (let at = 0, turn = 0; at < ms; at += step, turn++) {
    const worker = workers[turn % workers.length] ?? '';
    if (silent(at)) continue;
    const own = parts.flatMap((part, index) => (part.worker === worker ? [{ part, index }] : []));
    const wants = own.map(({ part }) => want(part));
    const answer = lease(state, { worker, limits, wants, inFlight: 0 }, START + at);
    state = JSON.parse(JSON.stringify(answer.state)) as typeof state; // as over continue-as-new
    answer.lease.granted.forEach((calls, index) => {
      for (let n = 0; n < calls; n++)
        begun.push({ at, part: own[index]?.index ?? 0, tokens: own[index]?.part.tokens ?? 1 });
    });
  }
  return {
    begun,
    /** Most requests and tokens of any minute. */
    most: begun.reduce(
      (most, { at: from }) => {
        const minute = begun.filter(({ at }) => at >= from && at < from + MINUTE);
        const tokens = minute.reduce((sum, one) => sum + one.tokens, 0);
        return { requests: Math.max(most.requests, minute.length), tokens: Math.max(most.tokens, tokens) };
      },
      { requests: 0, tokens: 0 },
    ),
    perPart: parts.map((_, part) => begun.filter((one) => one.part === part).length),
  };
}

const three = ['w1', 'w2', 'w3'].map((worker) => ({ worker }));

describe('the limits of a model', () => {
  test('are used to more than nine tenths, and passed in no minute, however three workers ask', () => {
    const { begun, most } = simulate({ rpm: 600 }, three);
    expect(begun.length).toBeGreaterThan(0.95 * 3 * 600);
    expect(most.requests).toBeLessThanOrEqual(600);
  });

  test('count tokens too', () => {
    const { begun, most } = simulate(
      { rpm: 600, tpm: 60_000 },
      three.map((part) => ({ ...part, tokens: 500 })),
    );
    expect(begun.length * 500).toBeGreaterThan(0.95 * 3 * 60_000);
    expect(most.tokens).toBeLessThanOrEqual(60_000);
  });

  test('are made up for after a pause, and are passed in no minute then', () => {
    const silent = (at: number) => at % 20_000 > 15_000;
    const { begun, most } = simulate({ rpm: 600 }, three, { silent });
    expect(begun.length).toBeGreaterThan(0.9 * 3 * 600);
    expect(most.requests).toBeLessThanOrEqual(600);
  });

  test('begin without a burst', () => {
    const { begun } = simulate({ rpm: 600 }, three, { ms: 2_000 });
    expect(begun.length).toBeLessThan(35);
  });

  test('of few requests let the first one begin at once, and a request of more tokens than a minute has', () => {
    expect(simulate({ rpm: 1 }, [{ worker: 'w1' }]).perPart).toEqual([3]);
    const large = [{ worker: 'w1', tokens: 2_000 }];
    expect(simulate({ tpm: 1_000 }, large, { ms: 6 * MINUTE }).perPart).toEqual([3]);
  });

  test('are for all workers together', () => {
    const { perPart } = simulate({ rpm: 600 }, three);
    for (const calls of perPart) expect(calls).toBeGreaterThan(0.7 * 600);
  });
});

describe('tenants and agents', () => {
  test('share equally, however many calls each has, and on whichever workers', () => {
    const { perPart } = simulate({ rpm: 600 }, [
      { worker: 'w1', tenant: 'large' },
      { worker: 'w2', tenant: 'large' },
      { worker: 'w3', tenant: 'large' },
      { worker: 'w2', tenant: 'small' },
    ]);
    const large = (perPart[0] ?? 0) + (perPart[1] ?? 0) + (perPart[2] ?? 0);
    expect((perPart[3] ?? 0) / large).toBeGreaterThan(0.9);
    expect((perPart[3] ?? 0) / large).toBeLessThan(1.1);
  });

  test('share tokens where tokens are short', () => {
    const { perPart } = simulate({ tpm: 60_000 }, [
      { worker: 'w1', tenant: 'long', tokens: 900 },
      { worker: 'w1', tenant: 'short', tokens: 100 },
    ]);
    const tokens = ((perPart[0] ?? 0) * 900) / ((perPart[1] ?? 0) * 100);
    expect(tokens).toBeGreaterThan(0.9);
    expect(tokens).toBeLessThan(1.1);
  });

  test('of one tenant share what the tenant has, and leave what they do not need', () => {
    const { perPart } = simulate({ rpm: 600 }, [
      { worker: 'w1', tenant: 'one', agent: 'a' },
      { worker: 'w1', tenant: 'one', agent: 'b' },
      { worker: 'w1', tenant: 'other', agent: 'a' },
    ]);
    const [a = 0, b = 0, other = 0] = perPart;
    expect(Math.abs(a - b)).toBeLessThan(3);
    expect(Math.abs(a + b - other)).toBeLessThan(3);
  });
});

describe('a call of the first priority', () => {
  test('goes before all others, of whichever tenant and worker', () => {
    const { perPart } = simulate({ rpm: 600 }, [
      { worker: 'w1', tenant: 'nightly', priority: 5 },
      { worker: 'w2', tenant: 'nightly' },
      { worker: 'w1', tenant: 'chat', priority: 1 },
      { worker: 'w2', tenant: 'chat', priority: 1 },
    ]);
    const [nightly, other, ...chat] = perPart;
    expect([nightly, other]).toEqual([0, 0]);
    expect(chat.reduce((sum, calls) => sum + calls, 0)).toBeGreaterThan(0.9 * 3 * 600);
  });

  test('leaves the rest to others, and a call without a priority goes before one of 4', () => {
    const request = (wants: Want[]): LeaseRequest => ({ worker: 'w1', limits: {}, wants, inFlight: 0 });
    const wants = [want({ worker: 'w1', priority: 4, calls: 1 }), want({ worker: 'w1', calls: 1 })];
    const limited = { ...request(wants), limits: { concurrency: 1 } };
    expect(lease(newLimiter(START), limited, START).lease.granted).toEqual([0, 1]);
    expect(lease(newLimiter(START), request(wants), START).lease.granted).toEqual([1, 1]);
  });
});

describe('a worker', () => {
  const limits = { rpm: 600, concurrency: 3 };
  const ask = (worker: string, more: Partial<LeaseRequest> = {}): LeaseRequest => ({
    worker,
    limits,
    wants: [want({ worker })],
    inFlight: 0,
    ...more,
  });

  test('begins no more requests than may be under way at all workers', () => {
    const first = lease(newLimiter(START), ask('w1'), START);
    expect(first.lease.granted).toEqual([3]);
    const second = lease(first.state, ask('w2'), START + 1_000);
    expect(second.lease.granted).toEqual([0]);
    const third = lease(second.state, ask('w1', { inFlight: 2, wants: [] }), START + 1_100);
    expect(lease(third.state, ask('w2'), START + 1_200).lease.granted).toEqual([1]);
  });

  test('that is heard of no more does not count', () => {
    const { state } = lease(newLimiter(START), ask('w1'), START);
    expect(lease(state, ask('w2'), START + 14_000).lease.granted).toEqual([0]);
    expect(lease(state, ask('w2'), START + 16_000).lease.granted).toEqual([3]);
  });

  test('has all others wait when the model refused a request', () => {
    const { state } = lease(newLimiter(START), ask('w1', { holdMs: 5_000, wants: [] }), START);
    const { lease: held } = lease(state, ask('w2'), START + 4_000);
    expect(held.granted).toEqual([0]);
    expect(held.waitMs).toBeGreaterThan(1_000);
    expect(lease(state, ask('w2'), START + 5_000).lease.granted).toEqual([3]);
  });

  test('reports what is left at the provider, and what replies took', () => {
    const many = { limits: { rpm: 600, tpm: 60_000 } };
    const at = START + 8_000;
    const granted = (more: Partial<LeaseRequest>) =>
      lease(newLimiter(START), ask('w1', { ...many, ...more }), at).lease.granted[0] ?? 0;
    expect(granted({})).toBeGreaterThan(70);
    expect(granted({ remaining: { requests: 2 } })).toBe(2);
    expect(granted({ remaining: { tokens: 2 } })).toBe(2);
    expect(granted({ used: { requests: 0, tokens: 60_000 } })).toBe(0);
    expect(granted({ used: { requests: 60, tokens: 0 } })).toBeLessThan(30);
  });
});

test('only requests of workers are taken', () => {
  const request = { worker: 'w', limits: {}, wants: [want({ worker: 'w' })], inFlight: 0 };
  expect(isLeaseRequest(request)).toBe(true);
  for (const other of [
    undefined,
    'x',
    {},
    { ...request, wants: [{}] },
    { ...request, inFlight: '1' },
    { ...request, used: 3 },
  ])
    expect(isLeaseRequest(other)).toBe(false);
});
