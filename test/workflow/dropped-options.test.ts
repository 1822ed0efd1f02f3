import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { human } from '../../adapters/tools/human.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { writeSkill } from '../support/skill-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

const [folder, state] = [tempFolder(), tempFolder()];
beforeAll(() => {
  vi.stubEnv('RELOOP_STATE_DIR', state);
  writeSkill(folder, 'forms', { body: 'By the form.' });
});
afterAll(() => vi.unstubAllEnvs());

const pay = defineTool({ name: 'pay_bill', description: 'Pays.', run: (input) => `paid ${input}` });
const agent: AgentDefinition = {
  name: 'dropped-clerk',
  model: modelOf((step, request) => {
    if (step === '1') return act('ask_human', 'Now?');
    if (step === '2') return act('read_skill', 'forms');
    if (step === '3') return act('search_tools', 'pay a bill');
    if (step === '4') return act('use_tool', '{"name":"pay_bill","input":{"input":"it"}}');
    return answer(promptOf(request).includes('By the form.') ? 'as the form says' : 'somehow');
  }),
  tools: [human({ name: 'ask_human' }), pay],
  skills: folder,
  toolSearch: { show: ['ask_human'] },
};
const rig = useRig({ agents: [agent] });

test('a run that began with skills and a search over tools has them after a deploy without the options', async () => {
  const run = await rig.client.start('dropped-clerk', 'Pay.');
  const { call } = await waitOf(run);
  await rig.restart(async () => {
    delete agent.skills;
    delete agent.toolSearch;
  });
  await run.decide(call, { type: 'resolve', output: 'yes' });
  const { output, intermediateSteps } = await run.result();
  expect(intermediateSteps.slice(1).map(({ action, observation }) => [action.tool, observation])).toEqual([
    ['read_skill', expect.stringContaining('By the form.')],
    ['search_tools', [expect.objectContaining({ name: 'pay_bill' })]],
    ['pay_bill', 'paid it'],
  ]);
  expect(output).toBe('as the form says');
});
