import { beforeEach, describe, expect, test } from 'vitest';
import { builtInKind } from '../../agent/kinds/kinds.ts';
import type { RunExport } from '../../client/export/run-export.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { ToolCall } from '../../agent/values/vocabulary.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { recordedRun } from '../../features/testing/index.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf, toolCall } from '../support/scripts.ts';

/** Runs that do steps of another one again, of every kind, and what is made of their records. */

const prompts: string[] = [];
let looks = 0;
const look = defineTool({
  name: 'look',
  description: 'looks',
  run: (input) => {
    looks++;
    return `saw ${input}`;
  },
});

const json = (action: string, input: string) =>
  `\`\`\`json\n${JSON.stringify({ action, action_input: input })}\n\`\`\``;

type Reply = string | { toolCalls: ToolCall[] };

/** How each kind says that it looks, and that it is done. */
const inJson = {
  look: (step: string) => json('look', step),
  done: (text: string) => json('Final Answer', text),
};
const speech: { [kind: string]: { look: (step: string) => Reply; done: (text: string) => Reply } } = {
  'zero-shot': { look: (step) => act('look', step), done: answer },
  conversational: inJson,
  'structured-chat': inJson,
  'tool-calling': {
    look: (step) => ({ toolCalls: [toolCall('look', step, `c${step}`)] }),
    done: (text) => text,
  },
};
const kinds = Object.keys(speech);

/** Looks twice, and says then what it was told. */
function modelFor(kind: string) {
  const { look: looking, done } = speech[kind] ?? {};
  if (looking === undefined || done === undefined) throw new Error(`no speech for ${kind}`);
  return modelOf((step, request) => {
    const prompt = promptOf(request);
    prompts.push(prompt);
    if (Number(step) < 3) return looking(step);
    const told = ['Be brief.', 'saw nothing'].filter((text) => prompt.includes(text));
    return done(['done', ...told].join(' '));
  });
}

const config: ConfigDefinition = {
  agents: kinds.map((kind) => ({
    name: kind,
    kind: builtInKind(kind),
    model: modelFor(kind),
    tools: [look],
  })),
};
const rig = useRig(config);
beforeEach(() => {
  prompts.length = 0;
  looks = 0;
});

async function recordOf(run: AgentRun): Promise<RunExport> {
  return JSON.parse(JSON.stringify(await run.export({ prompts: true }))) as RunExport; // as a file has it
}

describe.each(kinds)('runs of the kind %s', (kind) => {
  test('a fork is told what is said to it and what was changed, and so are all who read it', async () => {
    const run = await rig.client.start(kind, 'what?');
    expect((await run.result()).output).toBe('done');
    const edits = { '1.1': 'saw nothing' };
    const forked = rig.client.get((await run.fork({ step: 3, say: 'Be brief.', edits })).id);
    expect((await forked.result()).output).toBe('done Be brief. saw nothing');
    expect(prompts.at(-1)).toContain('Be brief.');
    const record = await recordOf(forked);
    expect(record.events.map(({ type }) => type)).toContain('steered');
    expect(await recordedRun(record, { config })).toEqual({ ok: true, steps: 3, differences: [] });
    const made = looks;
    const { runs } = await (await rig.client.backtest(kind, { runs: [forked.id] })).report();
    expect(runs).toMatchObject([
      { verdict: 'same', sameSteps: 3, after: { output: 'done Be brief. saw nothing' } },
    ]);
    expect(looks).toBe(made);
  });
});
