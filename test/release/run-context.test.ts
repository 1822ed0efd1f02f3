import { expect, test } from 'vitest';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { z } from '../../index.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf, toolCall } from '../support/scripts.ts';

/** Contexts that tools received, each behind the tool's name. */
const seen: string[] = [];
const see = (place: string, context: object) => {
  seen.push(`${place} ${JSON.stringify(context)}`);
  return 'ok';
};

const look = defineTool({
  name: 'look',
  description: 'looks',
  effects: 'none',
  run: (_input, { context }) => see('look', context),
});
const inline = defineTool({
  name: 'inline',
  description: 'looks',
  effects: 'none',
  inline: true,
  run: (_input, { context }) => see('inline', context),
});
const guarded = defineTool({
  name: 'guarded',
  description: 'asks',
  approval: (_input, { context }) => context['user'] !== 'root',
  run: (_input, { context }) => see('guarded', context),
});

const calls = ['look', 'inline', 'helper', 'guarded'];
const model = modelOf((step) => {
  const tool = calls[Number(step) - 1];
  return tool === undefined ? answer('done') : act(tool, 'x');
});
const prompt = { prefix: 'You speak {context.locale}.' };

const rig = useRig({
  models: { other: modelOf(() => 'the other model') },
  context: z.object({ user: z.string(), locale: z.string().default('en') }),
  agents: [
    {
      name: 'top',
      model,
      prompt,
      tools: [look, inline, guarded, agentTool({ name: 'helper', agent: 'helper', description: 'helps' })],
    },
    {
      name: 'helper',
      model: modelOf((step) => (step === '1' ? act('look', 'y') : answer('ok'))),
      tools: [look],
    },
    {
      name: 'native',
      kind: 'tool-calling',
      prompt: { system: 'Be {tone} to {context.user}.' },
      model: modelOf((step) => (step === '1' ? { toolCalls: [toolCall('look')] } : 'ok')),
      tools: [look],
    },
    { name: 'lost', model, prompt: { prefix: 'For {context.usr}' }, tools: [look] },
  ],
});

const ctx = '{"user":"u-1","locale":"en"}';
const all = [`look ${ctx}`, `inline ${ctx}`, `look ${ctx}`, `guarded ${ctx}`];

test('tools, approvals, prompts and sub-agents have the context of a run, over a restart of its worker, rewind, fork and backtest', async () => {
  const run = await rig.client.start('top', 'what?', { context: { user: 'u-1' } });
  await waitOf(run, { call: '4.1' });
  await rig.restart();
  await run.decide('4.1', { type: 'approve' });
  await run.result();
  expect(seen.splice(0)).toEqual(all);
  const prompts = model.requests.splice(0).map(({ request }) => promptOf(request));
  expect(prompts.every((text) => text.includes('You speak en.') && !text.includes('u-1'))).toBe(true);

  const forked = rig.client.get((await run.fork({ step: 4 })).id);
  await waitOf(forked, { call: '4.1' });
  await forked.decide('4.1', { type: 'approve' });
  await forked.result();
  expect(seen.splice(0)).toEqual(all.slice(3));

  const { id } = await run.rewind({ step: 2 });
  await waitOf(rig.client.get(id), { call: '4.1' });
  expect(seen.splice(0)).toEqual(all.slice(1, 3));
  await rig.client.get(id).cancel();

  const backtest = await rig.client.backtest('top', { runs: [forked.id], live: 'none-effects' });
  const report = await backtest.report();
  expect(report.totals).toMatchObject({ same: 1 });
});

test('a function of approval decides by the context', async () => {
  const run = await rig.client.start('top', 'what?', { context: { user: 'root', locale: 'de' } });
  expect((await run.result()).output).toBe('done');
  expect(seen.splice(0).at(-1)).toBe('guarded {"user":"root","locale":"de"}');
});

test.each([
  ['top', undefined, 'the context is missing, and the config wants one'],
  ['top', { user: 7 }, 'the context does not fit the schema of the config'],
  ['lost', { user: 'u-1' }, 'the prompt of agent "lost" has {context.usr}'],
])('a run of %s with the context %j does not begin', async (agent, context, sentence) => {
  const run = await rig.client.start(agent, 'what?', { context: context as never });
  await expect(run.result()).rejects.toThrow(sentence);
  expect(seen).toEqual([]);
});

test('a message of a session and a start by hand bring a context', async () => {
  const context = { user: 'root' };
  await rig.client.run('native', 'what?', { session: `support-${rig.taskQueue}`, context });
  const started = { taskQueue: rig.taskQueue, workflowId: `by-hand-${rig.taskQueue}` };
  await rig.temporal.workflow.execute('agentRun', {
    ...started,
    args: [{ agent: 'native', input: 'what?', context }],
  });
  const received = 'look {"user":"root","locale":"en"}';
  expect(seen.splice(0)).toEqual([received, received]);
});

test('a fork with another model keeps the context and the variables of its run', async () => {
  const given = { context: { user: 'u-1' }, variables: { tone: 'kind' } };
  const run = await rig.client.start('native', 'what?', given);
  await run.result();
  const forked = rig.client.get((await run.fork({ step: 2, model: 'other' })).id);
  expect(await forked.result()).toMatchObject({ output: 'the other model' });
});

test('a fork cannot change the tags and the tenant', async () => {
  const fork = rig.client.get('any').fork({ step: 1, tenant: 'root' } as never);
  await expect(fork).rejects.toThrow('A fork keeps the tags, the tenant and the priority of its run');
});
