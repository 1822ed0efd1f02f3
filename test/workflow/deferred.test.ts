import { describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { human } from '../../tools/human.ts';
import { defineTool } from '../../tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';

const tokens: string[] = [];

const job = defineTool({
  name: 'job',
  description: 'hands the work to somebody else',
  async run(input, ctx) {
    tokens.push((await ctx.defer()).token);
    return `job ${input} is with the batch system`;
  },
});
const stumbles = defineTool({
  name: 'stumbles',
  description: 'fails once it has given its token out',
  retry: { initialInterval: 1 },
  async run(_input, ctx) {
    tokens.push((await ctx.defer()).token);
    if (ctx.attempt === 1) throw new Error('the line went dead');
    return 'queued';
  },
});
const person = human({ askTimeout: '1h' });
const strict = human({ name: 'strict', askTimeout: { after: 300, unanswered: 'fail' } });
const tools = [job, stumbles, person, strict];
const agent = (name: string, ...replies: string[]) => ({ name, model: script(...replies), tools });

const rig = useRig({
  agents: [
    agent('defers', act('job', 'x')),
    agent('stumbles', act('stumbles', 'x')),
    agent('person', act('ask_human', 'which one?')),
    agent('strict', act('strict', 'quick?')),
  ],
});

async function waitingRun(name: string): Promise<AgentRun> {
  tokens.length = 0;
  const started = await rig.client.start(name, 'what?');
  await waitOf(started);
  return started;
}

const observations = async (of: AgentRun) =>
  (await of.result()).intermediateSteps.map(({ observation }) => observation);

test('a deferred call is finished by who has its token, without a word about the run', async () => {
  const deferred = await waitingRun('defers');
  expect((await deferred.describe()).waiting).toEqual([
    {
      call: '1.1',
      n: 0,
      tool: 'job',
      toolInput: 'x',
      reason: 'deferred',
      note: 'job x is with the batch system',
    },
  ]);
  await rig.restart();
  const [token = ''] = tokens;
  await expect(rig.client.resolve(`${'0'.repeat(32)}${token.slice(32)}`, 'x')).rejects.toThrow('token');
  await expect(rig.client.resolve('what?', 'x')).rejects.toThrow('This is not a token of a deferred call');
  await rig.client.resolve(token, { rows: 3 });
  expect(await observations(deferred)).toEqual([{ rows: 3 }]);
  await expect(rig.client.resolve(token, 'twice')).rejects.toMatchObject({ name: 'DecisionRefused' });
  const shown = [
    await (await deferred.toResponse()).text(),
    JSON.stringify([await deferred.describe(), await deferred.export({ prompts: true })]),
  ].join('');
  expect(shown).toContain('resolve');
  expect(shown).not.toContain(token.slice(0, 32));
});

test('a deferred call keeps its token over attempts, and has another one after retry', async () => {
  const deferred = await waitingRun('stumbles');
  const [first = '', second = ''] = tokens;
  expect(second).toBe(first);
  await deferred.decide('1.1', { type: 'retry' });
  await waitOf(deferred, { n: 1 });
  expect(tokens.at(-1)).not.toBe(first);
  await expect(rig.client.resolve(first, 'late')).rejects.toThrow('token');
  await rig.client.resolve(tokens.at(-1) ?? '', 'now');
  expect(await observations(deferred)).toEqual(['now']);
});

describe('a person as a tool', () => {
  test('answers with resolve; no activity is there meanwhile', async () => {
    const asked = await waitingRun('person');
    const { waiting } = await asked.describe();
    expect(waiting).toEqual([
      { call: '1.1', n: 0, tool: 'ask_human', toolInput: { question: 'which one?' }, reason: 'deferred' },
    ]);
    const described = await rig.temporal.workflow.getHandle(asked.id).describe();
    expect(described.raw.pendingActivities ?? []).toEqual([]);
    expect(described.memo).toMatchObject({
      waiting: [{ call: '1.1', tool: 'ask_human', reason: 'deferred' }],
    });
    await asked.decide(undefined, { type: 'resolve', output: 'the red one' });
    expect(await observations(asked)).toEqual(['the red one']);
    const after = await rig.temporal.workflow.getHandle(asked.id).describe();
    expect(after.memo?.['waiting']).toBeFalsy();
  });

  test('fails the run by not answering in time, where the tool says so', async () => {
    await expect(rig.client.run('strict', 'what?')).rejects.toMatchObject({ type: 'Unanswered' });
  });
});
