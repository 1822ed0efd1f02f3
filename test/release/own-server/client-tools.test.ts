import { describe, expect, test } from 'vitest';
import type { ClientTool } from '../../../agent/definition/client-tools.ts';
import type { AgentRun } from '../../../client/api/agent-run.ts';
import type { AgentDefinition } from '../../../config/define.ts';
import { agentTool } from '../../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../../adapters/tools/tool.ts';
import type { ToolCall } from '../../../agent/values/vocabulary.ts';
import { allOf } from '../../support/all-of.ts';
import { continuedAfter, useRig, waitOf } from '../../support/rig.ts';
import { type RecordingModel, modelOf } from '../../support/scripts.ts';

const pick: ClientTool = {
  name: 'pick',
  description: 'The user picks a colour.',
  inputSchema: { type: 'object', properties: { shade: { type: 'string' } }, required: ['shade'] },
};
const call = (name: string, input: object = { shade: 'dark' }, id = name): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(input),
});
const calls = (...names: string[]) => ({ toolCalls: names.map((name) => call(name)) });
const size = defineTool({ name: 'size', description: 'a size', effects: 'none', run: () => 'large' });
const plain = { kind: 'tool-calling' } as const;
const models = {
  shop: modelOf((step) => (step === '1' ? calls('pick') : 'done')),
  wrong: modelOf((step) => (step === '1' ? { toolCalls: [call('pick', { tint: 1 })] } : 'done')),
  both: modelOf((step) => (step === '1' ? calls('pick', 'size', 'pick_two') : 'done')),
  closed: modelOf(() => 'done'),
  desk: modelOf((step) => (step === '1' ? calls('transfer_to_shop_2') : 'desk')),
  shop2: modelOf((step) => (step === '2' ? calls('pick') : 'done')),
  boss: modelOf((step) => (step === '1' ? calls('ask_closed') : 'boss')),
  long: modelOf((step) => (Number(step) < 9 ? { toolCalls: [call('pick', { shade: step })] } : 'done')),
};
const agents = [
  { ...plain, name: 'shop', model: models.shop, clientTools: true },
  { ...plain, name: 'shop 2', model: models.shop2, clientTools: true, tools: [size] },
  { ...plain, name: 'wrong', model: models.wrong, clientTools: true },
  { ...plain, name: 'both', model: models.both, clientTools: true, tools: [size] },
  { ...plain, name: 'closed', model: models.closed, tools: [size] },
  { ...plain, name: 'desk', model: models.desk, clientTools: true, handoffs: ['shop 2'] },
  { ...plain, name: 'long', model: models.long, clientTools: true },
  {
    ...plain,
    name: 'boss',
    model: models.boss,
    clientTools: true,
    tools: [agentTool({ agent: 'closed', name: 'ask_closed', description: 'asks' })],
  },
] satisfies AgentDefinition[];
const rig = useRig({ agents }, { server: continuedAfter(40) });

const toolsOf = ({ requests }: RecordingModel, index = -1) => {
  const prompt = requests.at(index)?.request.prompt;
  return prompt?.type === 'messages' ? prompt.tools?.map(({ name }) => name) : undefined;
};
const start = (agent: string, clientTools = [pick]) => rig.client.start(agent, 'Which?', { clientTools });
const give = (run: AgentRun, id: string, output: string) => run.decide(id, { type: 'resolve', output });
const observed = async (run: AgentRun) =>
  (await run.result()).intermediateSteps.map(({ call: id, observation }) => [id, observation]);

describe('a tool of the caller', () => {
  test('is shown to the model, its call waits for the client, and the result is an observation', async () => {
    const run = await start('shop');
    expect(await waitOf(run)).toMatchObject({
      call: '1.1',
      tool: 'pick',
      toolInput: { shade: 'dark' },
      reason: 'client_tool',
    });
    expect(toolsOf(models.shop)).toEqual(['pick']);
    await give(run, '1.1', 'red');
    expect(await observed(run)).toEqual([['1.1', 'red']]);
    const told = ['action', 'tool_started', 'waiting', 'decided', 'step'];
    const events = await allOf(run.events());
    expect(events.map(({ type }) => type).filter((type) => told.includes(type))).toEqual(told);
    expect(events.find(({ type }) => type === 'action')).toMatchObject({ client: true });
  });

  test('is called beside other tools, and any of its calls can be skipped or fail the run', async () => {
    const run = await start('both', [pick, { name: 'pick_two' }]);
    await expect.poll(async () => (await run.describe()).waiting.length, { timeout: 10_000 }).toBe(2);
    await run.decide('1.3', { type: 'skip' });
    await give(run, '1.1', 'red');
    expect(await observed(run)).toEqual([
      ['1.1', 'red'],
      ['1.2', 'large'],
      ['1.3', expect.stringContaining('skipped')],
    ]);
    const failing = await start('shop');
    await waitOf(failing);
    await expect(failing.decide('1.1', { type: 'retry' })).rejects.toThrow('waits for the client');
    await failing.decide('1.1', { type: 'abort' });
    await expect(failing.result()).rejects.toThrow('Aborted');
  });

  test('gets no call with an input that does not fit: the model is told', async () => {
    expect(await observed(await start('wrong'))).toEqual([
      ['1.1', expect.stringContaining('shade is missing')],
    ]);
  });

  test('is refused by an agent that takes none, and under a name that the agent has', async () => {
    await expect((await start('closed')).result()).rejects.toThrow('takes no tools of its caller');
    const taken = await start('both', [{ name: 'size' }]);
    await expect(taken.result()).rejects.toThrow('has tools with the names size');
    for (const clientTools of [
      [{ name: 'a b' }],
      [pick, pick],
      [{ name: 'a', inputSchema: { type: 'string' } }],
    ])
      await expect(rig.client.start('shop', 'Which?', { clientTools })).rejects.toThrow(
        'clientTools has to be',
      );
  });

  test('stays with a run that continues as new, rewinds, and is retried', async () => {
    const run = await start('long');
    for (const step of ['1', '2', '3', '4', '5', '6', '7']) {
      await expect
        .poll(async () => (await run.describe()).waiting[0]?.call, { timeout: 10_000 })
        .toBe(`${step}.1`);
      await give(run, `${step}.1`, step);
    }
    await expect.poll(async () => (await run.describe()).waiting[0]?.call, { timeout: 10_000 }).toBe('8.1');
    await run.rewind({ step: 7 });
    await expect
      .poll(async () => (await run.describe()).waiting[0], { timeout: 10_000 })
      .toMatchObject({ call: '7.1', n: 1 });
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    await run.retry();
    await expect
      .poll(async () => (await run.describe()).waiting[0], { timeout: 10_000 })
      .toMatchObject({ call: '7.1', reason: 'client_tool' });
    expect(toolsOf(models.long)).toEqual(['pick']);
    await run.cancel();
  });

  test('is not in a fork, unless it is the fork of the same caller', async () => {
    const run = await start('shop');
    await waitOf(run);
    const other = rig.client.get((await run.fork({ step: 1 })).id);
    expect(await observed(other)).toEqual([['1.1', expect.stringContaining('pick is not a valid tool')]]);
    expect(toolsOf(models.shop, -2)).toBeUndefined();
    const same = rig.client.get((await run.fork({ step: 1, keepClientTools: true })).id);
    expect(await waitOf(same)).toMatchObject({ reason: 'client_tool' });
    await give(same, '1.1', 'blue');
    await give(run, '1.1', 'red');
    expect(await observed(same)).toEqual([['1.1', 'blue']]);
  });

  test("does not come back when another person's fork goes back to the steps that it has kept", async () => {
    const run = await start('long');
    for (const step of ['1', '2']) {
      await expect
        .poll(async () => (await run.describe()).waiting[0]?.call, { timeout: 10_000 })
        .toBe(`${step}.1`);
      await give(run, `${step}.1`, step);
    }
    await expect.poll(async () => (await run.describe()).waiting[0]?.call, { timeout: 10_000 }).toBe('3.1');
    const other = rig.client.get((await run.fork({ step: 3 })).id);
    await other.result();
    await other.rewind({ step: 2 });
    await expect.poll(async () => (await other.describe()).status, { timeout: 10_000 }).toBe('completed');
    expect(
      (await other.describe()).intermediateSteps.slice(0, 2).map(({ observation }) => observation),
    ).toEqual(['1', expect.stringContaining('pick is not a valid tool')]);
    await run.cancel();
  });

  test('goes with a handoff, without those of names that the other agent has; a sub-agent has none', async () => {
    const run = await start('desk', [pick, { name: 'size' }]);
    expect(await waitOf(run)).toMatchObject({ call: '2.1', reason: 'client_tool' });
    expect(toolsOf(models.shop2)).toEqual(['size', 'pick']);
    await give(run, '2.1', 'red');
    await run.result();
    await (await start('boss')).result();
    expect(toolsOf(models.closed)).toEqual(['size']);
  });
});
