import { expect, test } from 'vitest';
import { createWaitingCalls } from '../../../../activities/limits/waiting-calls.ts';
import { createTokenEstimates } from '../../../../activities/limits/token-estimates.ts';
import type { Lease, LeaseRequest } from '../../../../agent/model-limits/lease-request.ts';
import { modelRequest } from '../../../support/model-calls.ts';

const never = new AbortController().signal;
const caller = (since: number, tenant = '', tokens = 10) => ({
  tenant,
  agent: 'a',
  tokens: () => tokens,
  since,
});

/** Calls whose messages are answered by these numbers of grants, then by none. */
function answered(grants: number[][], limits = {}) {
  const requests: LeaseRequest[] = [];
  const calls = createWaitingCalls(limits, async (request): Promise<Lease> => {
    requests.push(request);
    return { granted: grants[requests.length - 1] ?? request.wants.map(() => 0), waitMs: 7 };
  });
  return { calls, requests };
}

test('one message asks for all calls that wait, and the one that has waited longest begins first', async () => {
  const { calls, requests } = answered([[1], [1]]);
  const begun: string[] = [];
  const late = calls.wait(caller(2_000), never).then(() => begun.push('late'));
  const early = calls.wait(caller(1_000, '', 30), never).then(() => begun.push('early'));
  await Promise.all([late, early]);
  expect(begun).toEqual(['early', 'late']);
  expect(requests[0]?.wants).toEqual([{ tenant: '', agent: 'a', calls: 2, tokens: 20, since: 1_000 }]);
  expect(requests[1]?.wants).toEqual([{ tenant: '', agent: 'a', calls: 1, tokens: 10, since: 2_000 }]);
  expect(calls.waitMs).toBe(7);
});

test('tenants are asked for apart', async () => {
  const { calls, requests } = answered([[0, 1], [1]]);
  const begun: string[] = [];
  const one = calls.wait(caller(1_000, 'one'), never).then(() => begun.push('one'));
  const other = calls.wait(caller(2_000, 'other'), never).then(() => begun.push('other'));
  await Promise.all([one, other]);
  expect(begun).toEqual(['other', 'one']);
  expect(requests[0]?.wants.map(({ tenant }) => tenant)).toEqual(['one', 'other']);
});

test('the next message reports what a reply took beyond the estimate, and a refusal', async () => {
  const { calls, requests } = answered([[1], [1]]);
  const permit = await calls.wait(caller(1_000), never);
  permit.end(50);
  calls.remains({ requests: 5 });
  calls.hold(3_000);
  await calls.wait(caller(2_000), never);
  expect(requests[1]).toMatchObject({
    used: { requests: 0, tokens: 40 },
    holdMs: 3_000,
    remaining: { requests: 5 },
    inFlight: 0,
  });
});

test('a call that is cancelled while the message is under way gives its request back', async () => {
  const cancel = new AbortController();
  const requests: LeaseRequest[] = [];
  const calls = createWaitingCalls({}, async (request) => {
    requests.push(request);
    if (requests.length === 1) cancel.abort(new Error('cancelled'));
    return { granted: [1], waitMs: 0 };
  });
  await expect(calls.wait(caller(1_000), cancel.signal)).rejects.toThrow('cancelled');
  await expect(calls.wait(caller(1_000), cancel.signal)).rejects.toThrow('cancelled');
  await calls.wait(caller(2_000), never);
  expect(requests[1]?.used).toEqual({ requests: -1, tokens: -10 });
});

test('the next message gives back a request that was not sent', async () => {
  const { calls, requests } = answered([[1], [1]], { concurrency: 2 });
  const permit = await calls.wait(caller(1_000), never);
  permit.giveBack();
  await calls.wait(caller(2_000), never);
  expect(requests[1]).toMatchObject({ used: { requests: -1, tokens: -10 }, inFlight: 0 });
});

test('a message that fails is sent again', async () => {
  let messages = 0;
  const calls = createWaitingCalls({}, async () => {
    messages += 1;
    if (messages === 1) throw new Error('unreachable');
    return { granted: [1], waitMs: 0 };
  });
  await calls.wait(caller(1_000), never);
  expect(messages).toBe(2);
});

test('the tokens of an agent are estimated from its prompts, then from its replies', () => {
  const estimates = createTokenEstimates();
  const asks = (chars: number, maxTokens?: number) =>
    modelRequest({ maxTokens }, { prompt: { type: 'text', text: 'x'.repeat(chars) } });
  expect(estimates.of('a', asks(400))).toBe(100 + 256);
  expect(estimates.of('a', asks(400, 50))).toBe(100 + 50);
  estimates.learn('a', asks(400), 130);
  expect(estimates.of('a', asks(400))).toBe(130);
  expect(estimates.of('a', asks(4_000))).toBe(1_030);
  estimates.learn('a', asks(400), 180);
  expect(estimates.of('a', asks(400))).toBe(140);
  expect(estimates.of('b', asks(400))).toBe(100 + 256);
  estimates.learn('b', asks(400), 1);
  expect(estimates.of('b', asks(40))).toBe(1);
});

test('the tokens of a file are no estimate for the next request of the agent', () => {
  const estimates = createTokenEstimates();
  const file = { type: 'file' as const, mediaType: 'application/pdf', bytes: 9 };
  const messages = [{ role: 'user' as const, content: [file] }];
  estimates.learn('a', modelRequest({}, { prompt: { type: 'messages', messages, tools: [] } }), 200_000);
  const next = modelRequest({}, { prompt: { type: 'text', text: 'x'.repeat(400) } });
  expect(estimates.of('a', next)).toBe(100 + 256);
});
