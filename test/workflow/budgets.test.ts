import { expect, test } from 'vitest';
import { defineTool } from '../../adapters/tools/tool.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import type { BudgetReport } from '../../agent/budgets/budget-rule.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { answer, costing, modelOf, toolCall } from '../support/scripts.ts';
import { byToken } from '../../gateway/http/caller.ts';
import { createGateway } from '../../gateway/gateway.ts';
import { useRig, waitOf } from '../support/rig.ts';

/** A reply of `modelOf` takes 15 tokens, and the first request of an agent is estimated at more than 256. */
const plain = modelOf(() => answer('done'));
const held = modelOf(() => answer('done'));
const below = agentTool({ agent: 'budget-below', description: 'asks another', onFailure: 'observe' });
const subAgents = Array.from({ length: 6 }, (_, index) => toolCall(below.name, 'x', `call-${index}`));
const look = defineTool({ name: 'look', description: 'looks', run: () => 'seen' });
const counted = modelOf((step) => (step === '1' ? { toolCalls: [toolCall('look', 'x', 'c1')] } : 'done'));
let asked = 0;

const rig = useRig({
  agents: [
    { name: 'budget-plain', model: plain },
    { name: 'budget-held', model: held },
    { name: 'budget-costly', model: costing(1_000, plain) },
    {
      name: 'budget-stops',
      kind: 'tool-calling',
      model: costing(
        600,
        modelOf((step) => (step === '1' ? { toolCalls: [toolCall('look', 'x', 'c1')] } : 'done')),
      ),
      tools: [look],
    },
    { name: 'budget-large', model: plain },
    { name: 'budget-counted', kind: 'tool-calling', model: counted, tools: [look], onModelFailure: 'fail' },
    {
      name: 'budget-top',
      kind: 'tool-calling',
      model: modelOf((step) => (step === '1' ? { toolCalls: subAgents } : 'done')),
      tools: [below],
    },
    {
      name: 'budget-below',
      onModelFailure: 'fail',
      model: {
        async call() {
          asked += 1;
          const usage = { promptTokens: 200, completionTokens: 200, totalTokens: 400 };
          return Promise.resolve({ text: answer('done'), toolCalls: [], finishReason: 'stop', usage });
        },
      },
    },
  ],
  budgets: [
    { name: 'tenants', of: 'tenant', per: 'month', totalTokens: 100_000 },
    { name: 'tight', of: 'tenant', only: 'budget-tight', per: 'month', totalTokens: 1_000 },
    { name: 'stopping', of: 'agent', only: 'budget-stops', per: 'month', totalTokens: 1_000, onEnd: 'stop' },
    { name: 'counted', of: 'agent', only: 'budget-counted', per: 'day', runs: 2, onEnd: 'fail' },
    { name: 'tiny', of: 'tenant', only: 'budget-tiny', per: 'month', totalTokens: 100 },
    { name: 'same-name', of: 'agent', only: 'budget-plain', per: 'month', totalTokens: 100_000 },
    { name: 'below', of: 'agent', only: 'budget-below', per: 'day', totalTokens: 1_000, onEnd: 'fail' },
  ],
});

async function current(name: string, key: string) {
  const all = await rig.client.budgets().list();
  return all.find((one) => one.rule.name === name && one.key === key)?.periods[0];
}

test('the usage of a call is counted for its tenant', async () => {
  await rig.client.run('budget-plain', 'what?', { tenant: 'budget-acme' });
  await rig.client.run('budget-plain', 'what?', { tenant: 'budget-globex' });
  await rig.client.run('budget-plain', 'what?', { tenant: 'budget-globex' });
  await expect
    .poll(() => current('tenants', 'budget-acme'))
    .toMatchObject({
      used: { calls: 1, totalTokens: 15 },
      reserved: { calls: 0 },
      unsettled: { calls: 0 },
    });
  await expect.poll(() => current('tenants', 'budget-globex')).toMatchObject({ used: { calls: 2 } });
});

test('sub-agents that run at the same time do not overspend together', async () => {
  const { output } = await rig.client.run('budget-top', 'what?', { tenant: 'budget-below' });
  expect(output).toBe('done');
  expect(asked).toBe(2);
  await expect
    .poll(() => current('below', 'budget-below'))
    .toMatchObject({ used: { calls: 2, totalTokens: 800 } });
});

test('a call waits at the end of a budget, says so, and continues after an extension', async () => {
  await rig.client.run('budget-costly', 'what?', { tenant: 'budget-tight' });
  const run = await rig.client.start('budget-held', 'what?', { tenant: 'budget-tight' });
  const texts: string[] = [];
  for await (const event of run.events()) {
    if (event.type !== 'tool_progress') continue;
    texts.push(event.text);
    break;
  }
  expect(texts[0]).toMatch(
    /^waits for the budget "tight": 1,000 tokens a month of the tenant "budget-tight" is used up; it begins again \d{4}-\d\d-01 00:00 UTC$/u,
  );
  expect(held.requests).toHaveLength(0);
  await rig.client.budgets().extend('tight', { totalTokens: 1_000 }, 'budget-tight');
  expect((await run.result()).output).toBe('done');
  expect(await current('tight', 'budget-tight')).toMatchObject({
    limit: { totalTokens: 2_000 },
    used: { calls: 2, totalTokens: 1_015 },
  });
});

test('a request that is larger than all of a budget does not wait for the next month: a person decides', async () => {
  const run = await rig.client.start('budget-large', 'what?', { tenant: 'budget-tiny' });
  const wait = await waitOf(run);
  expect(wait).toMatchObject({
    reason: 'failed',
    error: {
      type: 'BudgetUsedUp',
      message: expect.stringMatching(
        /^The model was not asked: the budget "tiny": the request is estimated at \d+ tokens, and all of the budget is 100 tokens a month of the tenant "budget-tiny"\. /u,
      ),
    },
  });
  await rig.client.budgets().extend('tiny', { totalTokens: 1_000 }, 'budget-tiny');
  await run.decide(wait.call, { type: 'retry' });
  expect((await run.result()).output).toBe('done');
});

test('a budget that stops runs ends one where it has no room, and `retry` continues the run after an extension', async () => {
  const run = await rig.client.start('budget-stops', 'what?');
  const output = 'Agent stopped because a budget was used up.';
  expect(await run.result()).toMatchObject({ output, stopReason: 'budget', iterations: 1 });
  const events: RunEvent[] = [];
  for await (const event of run.events({ follow: false })) events.push(event);
  expect(events.map(({ type }) => type)).toMatchInlineSnapshot(`
    [
      "run_started",
      "model_started",
      "model_ended",
      "action",
      "tool_started",
      "step",
      "model_started",
      "model_failed",
      "finish",
      "run_ended",
    ]
  `);
  await rig.client.budgets().extend('stopping', { totalTokens: 1_000 }, 'budget-stops');
  await run.retry();
  expect(await run.result()).toMatchObject({ output: 'done', iterations: 2 });
});

test('a budget of runs counts a run once, with its restarts, and a fork again', async () => {
  const run = await rig.client.start('budget-counted', 'what?');
  await run.result();
  await run.rewind({ step: 2 });
  await run.result();
  await expect
    .poll(() => current('counted', 'budget-counted'))
    .toMatchObject({ runs: 1, used: { calls: 3 }, limit: { runs: 2 } });
  const fork = await run.fork({ step: 1 });
  await rig.client.get(fork.id).result();
  await expect.poll(() => current('counted', 'budget-counted')).toMatchObject({ runs: 2 });
  await expect(rig.client.run('budget-counted', 'what?')).rejects.toThrow(
    'the budget "counted": 2 runs a day of the agent "budget-counted" is used up',
  );
  await rig.client.budgets().extend('counted', { runs: 1 }, 'budget-counted');
  expect((await rig.client.run('budget-counted', 'what?')).output).toBe('done');
});

test('an extension of a budget that no run has used is refused, and so is one that does not fit', async () => {
  const budgets = rig.client.budgets();
  await expect(budgets.extend('tenants', { totalTokens: 1 }, 'nobody')).rejects.toMatchObject({
    name: 'BudgetNotFound',
  });
  await expect(budgets.extend('tenants', { cost: 1 }, 'budget-acme')).rejects.toThrow('has no limit of cost');
});

test('an admin of the gateway extends budgets, and one of a tenant sees those of the tenant', async () => {
  // A tenant with the name of an agent.
  await rig.client.run('budget-plain', 'what?', { tenant: 'budget-plain' });
  await rig.client.run('budget-plain', 'what?', { tenant: 'budget-foreign' });
  const admin = { token: 'token-of-the-admin', name: 'admin', scopes: ['admin' as const] };
  const own = { ...admin, token: 'token-of-the-own-admin', tenant: 'budget-plain' };
  const reader = { ...admin, token: 'token-of-the-reader', scopes: ['read' as const, 'decide' as const] };
  const gateway = createGateway(rig.client, { authenticate: byToken([admin, own, reader]) });
  const ask = async (
    { token }: { token: string },
    path: string,
    body?: object,
    more: { [name: string]: string } = {},
  ) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more };
    const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    const response = await gateway.fetch(new Request(`http://127.0.0.1/budgets${path}`, init));
    return { status: response.status, body: await response.json() };
  };
  const more = { key: 'budget-plain', totalTokens: 7 };
  expect(await ask(admin, '')).toMatchObject({
    status: 200,
    body: expect.arrayContaining([expect.objectContaining({ key: 'budget-foreign' })]),
  });
  expect(await ask(own, '')).toMatchObject({
    status: 200,
    body: [{ rule: { name: 'tenants' }, key: 'budget-plain' }],
  });
  expect(await ask(admin, '/tenants/extend', more)).toMatchObject({
    status: 200,
    body: { periods: [{ limit: { totalTokens: 100_007 } }] },
  });
  const key = { 'idempotency-key': 'one' };
  await ask(admin, '/tenants/extend', more, key);
  expect(await ask(admin, '/tenants/extend', more, key)).toMatchObject({
    body: {
      periods: [
        {
          limit: { totalTokens: 100_014 },
          extensions: [
            { by: 'admin', totalTokens: 7 },
            { by: 'admin', totalTokens: 7 },
          ],
        },
      ],
    },
  });
  expect((await ask(admin, '/tenants/extend', { ...more, totalTokens: 8 }, key)).status).toBe(400);
  expect((await ask(own, '/tenants/extend', more)).status).toBe(404);
  const [seen] = (await ask(own, '')).body as BudgetReport[];
  expect(seen?.periods[0]?.extensions.map(({ by }) => by)).toEqual([undefined, undefined]);
  expect(await ask(admin, '/tenants/extend', { key: 'budget-plain', cost: 1 })).toMatchObject({
    status: 400,
  });
  expect((await ask(reader, '')).status).toBe(403);
  expect((await ask(reader, '/tenants/extend', more)).status).toBe(403);
});
