import { beforeAll, expect, test } from 'vitest';
import type { RunExport } from '../../client/export/run-export.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { recordedRun } from '../../features/testing/index.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** Exported runs as they really are, taken through the agents that made them and through changed ones. */
const search = defineTool({
  name: 'search',
  description: 'looks',
  run: (query) => `found ${query} `.repeat(200),
});
const helper = agentTool({ agent: 'helper', name: 'helper', description: 'helps' });

function configOf(prefix: string): ConfigDefinition {
  const boss = [
    act('nothing', 'x'),
    'no format at all',
    act('helper', 'help'),
    act('search', 'x'),
    answer('done'),
  ];
  return {
    agents: [
      { name: 'boss', kind: 'zero-shot', model: saying(boss), tools: [search, helper], prompt: { prefix } },
      {
        name: 'helper',
        kind: 'zero-shot',
        model: saying([act('search', 'y'), answer('helped')]),
        tools: [search],
      },
    ],
  };
}

function saying(replies: string[]) {
  return modelOf((step) => replies[Number(step) - 1] ?? answer('end of script'));
}

const config = configOf('Work.');
let record: RunExport;
const rig = useRig(config);
beforeAll(async () => {
  const run = await rig.client.start('boss', 'what?');
  await run.result();
  record = JSON.parse(JSON.stringify(await run.export({ prompts: true }))) as RunExport; // as a file has it
}, 60_000);

test('an exported run with prompts and a sub-agent holds against the config that made it', async () => {
  expect(await recordedRun(record, { config })).toEqual({ ok: true, steps: 7, differences: [] });
});

test('a changed sub-agent shows within its call', async () => {
  const [boss, changed] = config.agents;
  const silent = { ...changed, maxIterations: 1 };
  const { differences } = await recordedRun(record, {
    config: { agents: [boss, silent] as ConfigDefinition['agents'] }, // two of them
    onDifference: 'return',
  });
  expect(differences).toMatchObject([{ step: '3.1/2', what: 'decision', after: 'stops: max_iterations' }]);
});
