import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { checkRuns } from '../../cli/check/check-runs.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import type { ModelPrompt, PromptContext } from '../../agent/definition/kind.ts';
import { toolCalling } from '../../agent/kinds/tool-calling.ts';
import { z } from '../../index.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { root } from '../support/cli.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { answer, modelOf } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

const pay = (fields: z.ZodRawShape) =>
  defineTool({
    name: 'pay',
    description: 'pays',
    input: z.object(fields),
    approval: 'always',
    run: () => 'paid',
  });
type AgentOptions = ConfigDefinition['agents'][number];
const fields = { amount: z.number(), note: z.string().optional() };
const model = modelOf(() => ({
  toolCalls: [{ id: 'p', name: 'pay', arguments: '{"amount":5,"note":"rent"}' }],
}));
const below = agentTool({ agent: 'helper', description: 'asks another' });
const helper = { name: 'helper', kind: 'zero-shot', model: modelOf(() => answer('done')) } as const;
const terse = { ...toolCalling, name: 'terse' };
const wordy = {
  ...terse,
  render(context: PromptContext): ModelPrompt {
    const prompt = toolCalling.render(context);
    if (prompt.type === 'text') return prompt;
    return { ...prompt, messages: [{ role: 'system', content: 'Be brief.' }, ...prompt.messages] };
  },
};
const desk = { name: 'desk', kind: terse, model, tools: [pay(fields), below] } as const;
const rig = useRig({ agents: [desk, helper] });

let id: string;
beforeAll(async () => {
  const run = await rig.client.start('desk', 'pay');
  await waitOf(run, { call: '1.1' });
  ({ id } = run);
  await rig.client.run('helper', 'what?');
}, 60_000);

function check(agents: AgentOptions[]) {
  const loaded = createLoadedConfig({ agents });
  return checkRuns(rig.client, { loaded, taskQueue: rig.taskQueue }, { open: 100, ended: 100 });
}

const found = async (agents: AgentOptions[]) => {
  const troubled = (await check(agents)).filter(({ problems }) => problems.length > 0);
  return Object.fromEntries(troubled.map((run) => [run.id, run.problems]));
};

describe('a config is checked against the runs of its task queue', () => {
  test('one that has all parts is no problem, and ended runs are replayed', async () => {
    // The server's list follows the histories a moment later.
    await expect.poll(async () => (await check([desk, helper])).length, { timeout: 20_000 }).toBe(2);
    expect(await check([desk, helper])).toMatchObject([
      { id, type: 'agentRun', open: true, breaks: false, problems: [] },
      { type: 'agentRun', open: false, breaks: false, problems: [] },
    ]);
  });

  test.each<[string, AgentOptions[], string]>([
    ['a tool is gone', [{ ...desk, tools: [below] }, helper], 'The config has no tool "pay"'],
    ['an agent below is gone', [{ ...desk, tools: [pay(fields)] }], 'The config has no agent "helper"'],
    [
      'a tool needs more',
      [{ ...desk, tools: [pay({ ...fields, to: z.string() }), below] }, helper],
      'The tool "pay" needs to',
    ],
    [
      'the input of a waiting call does not fit',
      [{ ...desk, tools: [pay({ ...fields, to: z.string() }), below] }, helper],
      'The input of call 1.1, which waits, does not fit the tool "pay" any more: to is missing',
    ],
    [
      'the code of the kind renders another prompt',
      [{ ...desk, kind: wordy }, helper],
      'The request of step 1 is rendered otherwise than it was sent',
    ],
    [
      'the model is gone',
      [{ ...helper, tools: [pay(fields)] }],
      'The config has no agent "desk" with its own model',
    ],
  ])('%s', async (_, agents, problem) => {
    const problems = await found(agents);
    expect(Object.keys(problems)).toEqual([id]);
    expect(problems[id]?.join('\n')).toContain(problem);
  });
});

test('`reloop check` prints each problem, and exits with 1', async () => {
  const folder = tempFolder();
  const file = join(folder, 'reloop.config.ts');
  const options = ['--config', file, '--task-queue', rig.taskQueue];
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), OPENAI_API_KEY: 'none' };
  const lines = [
    `import { defineAgent, defineConfig } from ${JSON.stringify(join(root, 'index.ts'))};`,
    "export default defineConfig({ agents: [defineAgent({ name: 'desk', model: 'm' })] });",
  ];
  writeFileSync(file, lines.join('\n'));
  const { code, stdout } = await reloopHere(['check', ...options], env);
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: `${id} (agentRun)
  The config has no agent of the kind "terse": the next model call fails.
  The config has no agent "desk" with its own model: the next model call fails.
  The config has no tool "pay": a call of the tool waits for a person (ToolNotFound).
  The config has no agent "helper", which the tool "helper" runs: a call of the tool fails.
Checked 1 open workflow and the latest 1 that are over: 1 would not continue as before.
`,
  });
  const asJson = await reloopHere(['check', ...options, '--json'], env);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ checked: 2, runs: [{ id, open: true }] });
});
