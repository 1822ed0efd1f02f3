import { describe, expect, test } from 'vitest';
import type { AgentRun } from '../../../client/api/agent-run.ts';
import type { RunExport } from '../../../client/export/run-export.ts';
import type { ConfigDefinition } from '../../../config/define.ts';
import { readFacts } from '../../../history/read/facts.ts';
import { recordedRun } from '../../../features/testing/index.ts';
import { defineTool } from '../../../adapters/tools/tool.ts';
import { allOf } from '../../support/all-of.ts';
import { continuedAfter, eventsOf, useRig, waitOf } from '../../support/rig.ts';
import { brokenTool } from '../../support/sample-tools.ts';
import { act, answer, modelOf, promptOf, toolCall } from '../../support/scripts.ts';

/** Texts that the model of an agent says, one in each step. The last one is said again. */
type Script = (string | { toolCalls: ReturnType<typeof toolCall>[] })[];
const say = (...script: Script) => modelOf((step) => script[Number(step) - 1] ?? script.at(-1) ?? 'done');
const call = (...names: string[]) => ({
  toolCalls: names.map((name, index) => toolCall(name, 'x', `${name}-${index}`)),
});
const invoice = defineTool({ name: 'invoice', description: 'an invoice', run: () => 'invoice 7: 20 euros' });
const models = {
  triage: say(call('transfer_to_billing'), 'unused', 'unused', 'triage is back', 'triage again'),
  billing: say('unused', call('invoice'), 'You owe 20 euros.'),
  pair: say(call('transfer_to_billing', 'invoice', 'transfer_to_triage')),
  first: say(act('transfer_to_second', '')),
  second: say('unused', answer('from the second')),
  ping: modelOf((step) => (Number(step) > 8 ? 'ping has it' : call('echo', 'transfer_to_pong'))),
  pong: modelOf(() => call('echo', 'transfer_to_ping')),
  asks: say(call('invoice'), call('transfer_to_stops'), call('invoice'), 'asks is done'),
  brief: say(call('transfer_to_stops')),
  stops: say('unused', 'unused', call('broken'), call('broken')),
};
const spare = say('unused', 'spare begins', 'spare has it');
const echo = defineTool({ name: 'echo', description: 'echoes', run: () => 'y'.repeat(600) });
const native = { kind: 'tool-calling' as const };
const config: ConfigDefinition = {
  models: { spare },
  agents: [
    {
      ...native,
      name: 'billing',
      description: 'Knows all invoices.',
      model: models.billing,
      tools: [invoice],
      prompt: { system: 'You are the bookkeeper.' },
      maxIterations: 1,
    },
    {
      ...native,
      name: 'triage',
      model: models.triage,
      handoffs: ['billing'],
      prompt: { system: 'Be kind.' },
    },
    { ...native, name: 'pair', model: models.pair, tools: [invoice], handoffs: ['billing', 'triage'] },
    { name: 'second', model: models.second },
    { name: 'first', model: models.first, handoffs: ['second'] },
    { ...native, name: 'ping', model: models.ping, tools: [echo], handoffs: ['pong'] },
    { ...native, name: 'pong', model: models.pong, tools: [echo], handoffs: ['ping'] },
    { ...native, name: 'stops', model: models.stops, tools: [brokenTool()] },
    { ...native, name: 'brief', model: models.brief, handoffs: ['stops'], maxIterations: 1, onLimit: 'ask' },
    { ...native, name: 'asks', model: models.asks, tools: [invoice], handoffs: ['stops'] },
  ],
};
const rig = useRig(config, { server: continuedAfter(60) });

describe('a handoff', () => {
  test('lets the other agent continue the run: with its own prompt, tools and model, and with the conversation so far', async () => {
    const run = await rig.client.start('triage', 'What do I owe?');
    const result = await run.result();
    expect(result).toMatchObject({ output: 'You owe 20 euros.', iterations: 3 });
    expect(result.intermediateSteps.map(({ call: id, action }) => [id, action.tool])).toEqual([
      ['1.1', 'transfer_to_billing'],
      ['2.1', 'invoice'],
    ]);
    expect(await agentsOf(run)).toEqual(['triage', 'billing', 'billing']);
    expect(await run.describe()).toMatchObject({ agent: 'triage', lastAgent: 'billing' });
    const { prompt } = models.billing.requests[0]?.request ?? never();
    expect(prompt).toMatchObject({
      messages: [
        { role: 'system', content: 'You are the bookkeeper.' },
        { role: 'user', content: 'What do I owe?' },
        { role: 'assistant', toolCalls: [{ name: 'transfer_to_billing' }] },
        { role: 'tool', content: 'The conversation is handed over to billing.' },
      ],
      tools: [{ name: 'invoice' }],
    });
    expect(models.triage.requests[0]?.request.prompt).toMatchObject({
      tools: [
        {
          name: 'transfer_to_billing',
          description:
            'Hands the conversation over to the agent billing, who continues it. Knows all invoices.',
        },
      ],
    });
    const record = JSON.parse(JSON.stringify(await run.export({ prompts: true }))) as RunExport; // as a file has it
    expect(record.requests?.map(({ exact }) => exact)).toEqual([true, true, true]);
    expect(await recordedRun(record, { config })).toEqual({ ok: true, steps: 3, differences: [] });
  });

  test('is done again by a backtest, with the calls of both agents', async () => {
    const run = await rig.client.start('first', 'Who?');
    await run.result();
    const backtest = await rig.client.backtest('first', { runs: [run.id] });
    const report = await backtest.report();
    expect(report).toMatchObject({ status: 'completed', totals: { same: 1, changed: 0 } });
    const again = rig.client.get(report.runs[0]?.again ?? '');
    expect(await agentsOf(again)).toEqual(['first', 'second']);
  });

  test('goes to the first agent that a turn names, after the other calls of the turn', async () => {
    const { intermediateSteps } = await rig.client.run('pair', 'What do I owe?');
    expect(intermediateSteps.slice(0, 3).map(({ observation }) => observation)).toEqual([
      'The conversation is handed over to billing.',
      'invoice 7: 20 euros',
      'Ignored: the conversation can be handed over to one agent at a time, and it goes to billing.',
    ]);
  });

  test('is a tool of a text kind too', async () => {
    expect(await rig.client.run('first', 'Who?')).toMatchObject({ output: 'from the second', iterations: 2 });
    expect(promptOf(models.second.requests[0]?.request)).toContain(
      'Observation: The conversation is handed over to second.',
    );
  });

  test('may go back and forth over executions, with each agent resolved once', async () => {
    const run = await rig.client.start('ping', 'Play.');
    expect(await run.result()).toMatchObject({ output: 'ping has it', iterations: 9 });
    const agents = await agentsOf(run);
    expect(agents).toEqual(['ping', 'pong', 'ping', 'pong', 'ping', 'pong', 'ping', 'pong', 'ping']);
    const events = await eventsOf(run);
    expect(events.some(({ type }) => type === 'continued')).toBe(true);
    const { runId } = await run.describe();
    const facts = await allOf(readFacts(rig.temporal, { workflowId: run.id, runId }));
    expect(facts.filter((fact) => 'name' in fact && fact.name === 'resolveAgent')).toEqual([]);
  });

  test('is taken back by a rewind to a step before it, and kept by a later one, by a fork, and by a retry', async () => {
    const run = await rig.client.start('asks', 'Ask.');
    await waitOf(run, { call: '3.1' });
    await run.rewind({ step: 3 });
    await waitOf(run, { call: '3.1', n: 2 });
    models.asks.requests.length = 0;
    await run.rewind({ step: 2 });
    await waitOf(run, { call: '3.1', n: 3 });
    expect(models.asks.requests.map(({ step }) => step)).toEqual(['2']);
    const { id } = await run.fork({ step: 3 });
    const fork = rig.client.get(id);
    await expect.poll(async () => (await fork.describe()).waiting.length).toBe(1);
    expect(models.stops.requests.length).toBe(4);
    await fork.cancel();
    await run.decide('3.1', { type: 'abort' });
    await expect(run.result()).rejects.toMatchObject({ type: 'Aborted' });
    await run.retry();
    await expect.poll(async () => (await run.describe()).waiting.length).toBe(1);
    expect(await run.describe()).toMatchObject({ status: 'waiting', iterations: 3 });
    await run.cancel();
  });

  test('is kept by a fork with another model, which is that of the agent that has the conversation', async () => {
    const run = await rig.client.start('triage', 'What do I owe?');
    await run.result();
    const fork = rig.client.get((await run.fork({ step: 3, model: 'spare' })).id);
    expect(await fork.result()).toMatchObject({ output: 'spare has it' });
    await fork.rewind({ step: 2 });
    expect(await fork.result()).toMatchObject({ output: 'spare begins' });
  });

  test('resolves the other agent once, though the run ends before that agent is asked and is retried', async () => {
    const run = await rig.client.start('brief', 'Ask.');
    await expect.poll(async () => (await run.describe()).waiting.length).toBe(1);
    await run.cancel();
    await expect(run.result()).rejects.toThrow('cancelled');
    await run.retry();
    await expect.poll(async () => (await run.describe()).waiting.length).toBe(1);
    const { runId } = await run.describe();
    const facts = await allOf(readFacts(rig.temporal, { workflowId: run.id, runId }));
    expect(facts.filter((fact) => 'name' in fact && fact.name === 'resolveAgent')).toEqual([]);
    expect(models.brief.requests.length).toBe(1);
    await run.cancel();
  });

  test('makes the other agent answer the next message of a session', async () => {
    const ask = (input: string) => rig.client.run('triage', input, { session: 'handed-over' });
    expect(await ask('What do I owe?')).toMatchObject({ output: 'You owe 20 euros.' });
    const before = models.billing.requests.length;
    await ask('And now?');
    expect(models.billing.requests.length).toBeGreaterThan(before);
    expect(promptOf(models.billing.requests[before]?.request)).toContain('You owe 20 euros.');
  });
});

async function agentsOf(run: AgentRun): Promise<(string | undefined)[]> {
  const events = await allOf(run.events({ follow: false }));
  return events.flatMap((event) => (event.type === 'model_ended' ? [event.turn.agent] : []));
}

function never(): never {
  throw new Error('There is no such request.');
}
