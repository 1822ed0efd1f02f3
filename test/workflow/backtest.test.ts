import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Backtest } from '../../client/backtest/backtest-handle.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { brokenTool, guarded } from '../support/sample-tools.ts';

/** What the tools did, in order: nothing of it is to happen in a backtest. */
const effects: string[] = [];

const pay = defineTool({
  name: 'pay',
  description: 'pays',
  run: (what) => {
    effects.push(`pay ${what}`);
    return `paid ${what}, ${effects.length}`;
  },
});
const look = defineTool({
  name: 'look',
  description: 'looks',
  effects: 'none',
  run: (what) => {
    effects.push(`look ${what}`);
    return `seen ${what}`;
  },
});
const broken = brokenTool('no route');
const deferring = defineTool({
  name: 'deferring',
  description: 'd',
  effects: 'none',
  run: async (_what, ctx) => `ask for ${(await ctx.defer()).token}`,
});
const sleeper = defineTool({
  name: 'sleeper',
  description: 's',
  effects: 'none',
  run: (_what, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('woken')))),
});

/** What the agents of this test say, which a deploy changes: by agent, the reply to a step. */
const says: { [agent: string]: (step: string, prompt: string) => string } = {};
const models = new Map<string, ReturnType<typeof modelOf>>();

function talker(name: string) {
  const model = modelOf((step, request) => says[name]?.(step, promptOf(request)) ?? answer('nothing'));
  models.set(name, model);
  return model;
}

function unable(): never {
  throw Object.assign(new Error('no such model'), { retryable: false });
}

const rig = useRig({
  agents: [
    {
      name: 'payer',
      model: talker('payer'),
      tools: [pay, look, broken, guarded, deferring, sleeper],
    },
    { name: 'helper', model: talker('helper'), tools: [pay] },
    {
      name: 'boss',
      model: talker('boss'),
      tools: [agentTool({ agent: 'helper', name: 'helper', description: 'helps' })],
    },
    { name: 'bad', model: modelOf(unable), tools: [pay] },
  ],
});

function script(...replies: string[]) {
  return (step: string) => replies[Number(step) - 1] ?? answer('end of script');
}

async function recorded(agent: string, replies: (step: string, prompt: string) => string): Promise<AgentRun> {
  says[agent] = replies;
  const run = await rig.client.start(agent, `question ${randomUUID()}`);
  await run.result();
  return run;
}

/** Its first run is there. */
async function begun({ workflowId }: Backtest): Promise<void> {
  for (;;) {
    const { raw } = await rig.temporal.workflow.getHandle(workflowId).describe();
    if ((raw.pendingChildren ?? []).length > 0) return;
    await sleep(50);
  }
}

async function backtestOf(run: AgentRun, agent: string, more: object = {}) {
  const backtest = await rig.client.backtest(agent, { runs: [run.id], ...more });
  const report = await backtest.report();
  const [only] = report.runs;
  if (only === undefined) throw new Error('the backtest has no run');
  return { report, only };
}

describe('a backtest', () => {
  test('finds the same decisions of the same agent, and runs no tool', async () => {
    const run = await recorded('payer', script(act('pay', 'rent'), act('look', 'sky'), answer('done')));
    const done = effects.length;
    const { report, only } = await backtestOf(run, 'payer');
    expect(only).toMatchObject({ verdict: 'same', sameSteps: 3, difference: null, error: null });
    expect(only.after).toEqual(only.before);
    expect(report).toMatchObject({ status: 'completed', total: 1, totals: { same: 1, changed: 0 } });
    expect(effects).toHaveLength(done);
    const [again, before] = [await rig.client.get(only.again ?? '').describe(), await run.describe()];
    expect(again.intermediateSteps.map(({ action, observation }) => [action, observation])).toEqual(
      before.intermediateSteps.map(({ action, observation }) => [action, observation]),
    );
  });

  test('says at which step the agent decides otherwise, and what', async () => {
    const run = await recorded('payer', script(act('pay', 'rent'), act('look', 'sky'), answer('done')));
    says['payer'] = script(act('pay', 'rent'), answer('done'));
    const { only, report } = await backtestOf(run, 'payer');
    expect(only).toMatchObject({
      verdict: 'decisions',
      sameSteps: 1,
      difference: {
        step: 2,
        before: { type: 'act', actions: [{ tool: 'look', toolInput: 'sky' }] },
        after: { type: 'finish', output: 'done' },
      },
    });
    expect(only.before?.usage.modelCalls).toBe(3);
    expect(only.after?.usage.modelCalls).toBe(2);
    expect(report.totals).toMatchObject({
      decisions: 1,
      changed: 1,
      before: { totalTokens: 45 },
      after: { totalTokens: 30 },
    });
  });

  test('ends a run that makes a call which was not recorded', async () => {
    const run = await recorded('payer', script(act('pay', 'rent'), answer('done')));
    says['payer'] = script(act('pay', 'rent'), act('pay', 'rent and gas'), answer('done'));
    const done = effects.length;
    const { only } = await backtestOf(run, 'payer');
    expect(only).toMatchObject({
      verdict: 'not_recorded',
      sameSteps: 1,
      after: { status: 'failed', error: { type: 'NotRecorded' } },
    });
    expect(effects).toHaveLength(done);
  });

  test('runs tools without effects for calls that were not recorded, where it is asked to', async () => {
    const run = await recorded('payer', script(act('look', 'sky'), answer('done')));
    says['payer'] = script(act('look', 'sky'), act('look', 'sea'), answer('both'));
    const done = effects.length;
    const { only } = await backtestOf(run, 'payer', { live: 'none-effects' });
    expect(only).toMatchObject({ verdict: 'decisions', after: { status: 'completed', output: 'both' } });
    expect(effects.slice(done)).toEqual(['look sea']);
    const { intermediateSteps } = await rig.client.get(only.again ?? '').describe();
    expect(intermediateSteps.map(({ observation }) => observation)).toEqual(['seen sky', 'seen sea']);

    says['payer'] = script(act('pay', 'rent'), answer('paid'));
    const paying = await backtestOf(run, 'payer', { live: 'none-effects' });
    expect(paying.only.verdict).toBe('not_recorded');
    expect(effects.slice(done)).toEqual(['look sea']);
  });

  test.each([
    ['resolved', 'broken', { type: 'resolve', output: 'by hand' }, 'by hand'],
    ['approved with another input', 'guarded', { type: 'approve', input: 'better' }, 'did better'],
  ] as const)(
    'asks nobody: what a person %s then is answered from the recording',
    async (_, tool, decision, said) => {
      says['payer'] = script(act(tool, 'x'), answer('done'));
      const run = await rig.client.start('payer', `${tool}?`);
      for await (const event of run.events()) if (event.type === 'waiting') await run.decide('1.1', decision);
      const { only } = await backtestOf(run, 'payer');
      expect(only.verdict).toBe('same');
      const again = await rig.client.get(only.again ?? '').describe();
      expect(again.intermediateSteps).toMatchObject([{ observation: said }]);
    },
  );

  test('says again what a person said, before the same step', async () => {
    says['payer'] = script(act('broken', 'x'), answer('done'));
    const run = await rig.client.start('payer', 'steered?');
    for await (const event of run.events()) {
      if (event.type !== 'waiting') continue;
      await run.say('Be brief.');
      await run.decide('1.1', { type: 'skip' });
    }
    const { only } = await backtestOf(run, 'payer');
    expect(only.verdict).toBe('same');
    const [first, second] = (models.get('payer')?.requests ?? [])
      .slice(-2)
      .map(({ request }) => promptOf(request));
    expect(first).not.toContain('Be brief.');
    expect(second).toContain('Be brief.');
  });

  test('ends a run in which a tool that really runs would wait for somebody', async () => {
    const run = await recorded('payer', script(answer('done')));
    says['payer'] = script(act('deferring', 'x'), answer('done'));
    const { only } = await backtestOf(run, 'payer', { live: 'none-effects' });
    expect(only.verdict).toBe('not_recorded');
    expect(only.after?.error?.message).toContain('whom a backtest does not ask');
  });

  test('says that it was cancelled, and cancels its runs', async () => {
    const run = await recorded('payer', script(answer('done')));
    says['payer'] = script(act('sleeper', 'x'), answer('done'));
    const backtest = await rig.client.backtest('payer', { runs: [run.id], live: 'none-effects' });
    const again = rig.client.get(`${backtest.workflowId}/${run.id}`);
    await begun(backtest);
    await eventOf(again.events(), 'tool_started', ({ tool }) => tool === 'sleeper');
    await backtest.cancel();
    expect(await backtest.report()).toMatchObject({ status: 'cancelled', total: 1, runs: [] });
    await expect(again.result()).rejects.toMatchObject({ name: 'AgentRunCancelled' });
  });

  test('answers the call of a sub-agent from the recording, and starts none', async () => {
    says['helper'] = script(act('pay', 'gas'), answer('helped'));
    const run = await recorded('boss', script(act('helper', 'help'), answer('done')));
    const [done, asked] = [effects.length, models.get('helper')?.requests.length];
    const { only } = await backtestOf(run, 'boss');
    expect(only.verdict).toBe('same');
    expect(effects).toHaveLength(done);
    expect(models.get('helper')?.requests).toHaveLength(asked ?? 0);
  });

  test('counts a run whose model fails as failed, and goes on with the others', async () => {
    const runs = [
      await recorded('payer', script(answer('one'))),
      await recorded('payer', script(answer('two'))),
    ];
    says['payer'] = () => answer('one');
    const backtest = await rig.client.backtest('bad', { runs: runs.map(({ id }) => id) });
    const { totals, runs: compared } = await backtest.report();
    expect(totals).toMatchObject({ failed: 2, changed: 2 });
    expect(compared).toHaveLength(2);
  });
});
