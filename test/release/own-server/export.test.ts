import { beforeAll, describe, expect, test } from 'vitest';
import type { AgentRun } from '../../../client/api/agent-run.ts';
import { InvalidInput } from '../../../client/connect/errors.ts';
import { type RunExport, parseRunExport } from '../../../client/export/run-export.ts';
import { agentTool } from '../../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../../adapters/tools/tool.ts';
import { useRig, continuedAfter, waitOf } from '../../support/rig.ts';
import { act, answer, modelOf, script } from '../../support/scripts.ts';
import { allOf } from '../../support/all-of.ts';

/** Longer than what a model call carries in place. */
const LONG = 'x'.repeat(20_000);
let isUp = false;

const shaky = defineTool({
  name: 'shaky',
  description: 'works in the end',
  retry: { maxAttempts: 1 },
  run: (input) => {
    if (isUp) return `up: ${input}`;
    throw new Error('down');
  },
});
const long = defineTool({ name: 'long', description: 'a lot of text', run: (input) => `${input} ${LONG}` });
const helper = agentTool({ agent: 'helper', description: 'helps' });

/** A reply of the kind that keeps a conversation. */
const says = (action: string, input: string) => JSON.stringify({ action, action_input: input });
const boss = script(
  says('shaky', 'a'),
  says('helper', 'what is 1 + 1?'),
  says('long', 'c'),
  says('nobody', 'd'),
  says('Final Answer', 'all done'),
);
const models = { boss, helper: script(act('shaky', 'b'), answer('two')) };

let run: AgentRun;
const tools = [shaky, long, helper];
// A run of one turn is long enough to be continued as new.
const rig = useRig(
  {
    agents: [
      { name: 'boss', model: models.boss, tools, kind: 'conversational', prompt: { system: 'For {who}.' } },
      { name: 'helper', model: models.helper, tools: [shaky] },
      { name: 'mute', model: modelOf(() => answer('ok')) },
    ],
  },
  { server: continuedAfter(12) },
);
beforeAll(async () => {
  run = await rig.client.start('boss', 'what?', {
    chatHistory: [{ role: 'user', content: 'hello' }],
    variables: { who: 'Ann' },
  });
  await waitOf(run);
  isUp = true;
  await run.decide('1.1', { type: 'retry', input: 'mended' });
  await run.result();
}, 60_000);

describe('an exported run', () => {
  test('has the report, the agent and the question of a run that was continued as new', async () => {
    const { reloop, version, run: report, agents, requests } = await run.export();
    expect({ reloop, version, requests }).toEqual({ reloop: 'run', version: 1, requests: undefined });
    expect(report).toEqual(await run.describe());
    expect(agents).toEqual([
      {
        scope: 0,
        manifest: expect.objectContaining({ name: 'boss', kind: 'conversational' }),
        question: {
          input: 'what?',
          chatHistory: [{ role: 'user', content: 'hello' }],
          variables: { who: 'Ann' },
        },
      },
    ]);
  });

  test('has all events, every reply and every decision in order, and observations in full', async () => {
    const { events, modelCalls, decisions, run: report } = await run.export();
    // Where an event was read is of use only while the run can be.
    const recorded = (await allOf(run.events({ live: false }))).map(
      ({ eventId: _eventId, ...event }) => event,
    );
    expect(events).toEqual(recorded);
    expect(events.filter(({ type }) => type === 'continued').length).toBeGreaterThanOrEqual(1);
    expect(modelCalls.map(({ call, turn }) => [call, turn.decision.type])).toEqual([
      ['1', 'act'],
      ['2', 'act'],
      ['3', 'act'],
      ['4', 'act'],
      ['5', 'finish'],
    ]);
    expect(decisions).toEqual([
      { at: expect.any(Number), call: '1.1', decision: { type: 'retry', input: 'mended' } },
    ]);
    expect(report.intermediateSteps.map(({ observation }) => observation)).toEqual([
      'up: mended',
      'two',
      `c ${LONG}`,
      expect.stringContaining('nobody is not a valid tool'),
    ]);
  });

  test('has the runs of its sub-agents within, and the requests that the model got where it is asked for them', async () => {
    const { requests, subAgents } = await run.export({ prompts: true });
    const asked = (exported: Pick<RunExport, 'requests'> | null | undefined) =>
      exported?.requests?.map(({ request }) => request);
    const [only] = subAgents;
    expect(only).toMatchObject({ call: '2.1', n: 0, id: `${run.id}/2.1` });
    expect(only?.export).toEqual(await rig.client.get(`${run.id}/2.1`).export({ prompts: true }));
    expect(asked({ requests })).toEqual(models.boss.requests.map(({ request }) => request));
    expect(asked(subAgents[0]?.export)).toEqual(models.helper.requests.map(({ request }) => request));
    expect(requests?.map(({ call, n, exact }) => [call, n, exact])).toEqual(
      ['1', '2', '3', '4', '5'].map((call) => [call, 0, true]),
    );
  });

  test('has the question and no definition of a run without a worker', async () => {
    const waiting = await rig.client.start('mute', 'anybody?', { taskQueue: 'nobody-here' });
    const { agents, events, run: report } = await waiting.export();
    expect(report.status).toBe('running');
    expect(agents).toMatchObject([{ manifest: null, question: { input: 'anybody?' } }]);
    expect(events.map(({ type }) => type)).toEqual(['run_started']);
  });

  test('has both agents of a workflow, each with its question', async () => {
    const handle = await rig.temporal.workflow.start('inTurn', {
      taskQueue: rig.taskQueue,
      workflowId: `in-turn-${Date.now()}`,
      args: ['mute', 'first?'],
    });
    await handle.result();
    const { agents, modelCalls } = await rig.client.get(handle.workflowId).export();
    expect(agents.map(({ scope, manifest, question }) => [scope, manifest?.name, question?.input])).toEqual([
      [0, 'mute', 'first?'],
      [1, 'mute', 'ok'],
    ]);
    expect(modelCalls.map(({ call }) => call)).toEqual(['1', '1/1']);
  });
});

test('a file that is not an exported run, or one of another version, is refused with what to do', () => {
  for (const text of ['', '{"reloop": "run"', '[]', '{"reloop":"session"}', '{"reloop":"run","version":2}']) {
    expect(() => parseRunExport(text, 'a.json')).toThrow(InvalidInput);
  }
});
