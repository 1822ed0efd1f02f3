import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { human } from '../../adapters/tools/human.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { writeSkill } from '../support/skill-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

const [folder, lettersFolder, state] = [tempFolder(), tempFolder(), tempFolder()];
beforeAll(() => {
  vi.stubEnv('RELOOP_STATE_DIR', state);
  writeSkill(lettersFolder, 'letters', { body: 'Be brief.' });
  writeSkill(folder, 'forms', { body: 'Version one.', files: { 'ref/a.md': 'The fields.' } });
});
afterAll(() => vi.unstubAllEnvs());

const lastObservation = (prompt: string) => prompt.slice(prompt.lastIndexOf('Observation: ') + 13);
const rig = useRig({
  agents: [
    {
      name: 'skills-clerk',
      model: modelOf((step, request) => {
        const prompt = promptOf(request);
        if (step === '1')
          return prompt.includes('later')
            ? act('ask_human', 'Now?')
            : act('read_skill', '{"name":"forms","file":"ref/a.md"}');
        return step === '2' ? act('read_skill', 'forms') : answer(lastObservation(prompt));
      }),
      tools: [human({ name: 'ask_human' })],
      skills: folder,
    },
    {
      name: 'skills-boss',
      model: modelOf((step, request) => {
        if (step === '1') return act('skills-writer', 'a letter');
        if (step === '2') return act('transfer_to_skills-writer', '{}');
        return answer(promptOf(request));
      }),
      skills: folder,
      handoffs: ['skills-writer'],
      tools: [agentTool({ agent: 'skills-writer', description: 'Writes.' })],
    },
    {
      name: 'skills-writer',
      model: modelOf((_step, request) =>
        promptOf(request).includes('Be brief.') ? answer('brief') : act('read_skill', 'letters'),
      ),
      skills: lettersFolder,
    },
  ],
});

test('a skill is read within the model call, as events and steps show', async () => {
  const run = await rig.client.start('skills-clerk', 'Fill it in.');
  const { output, intermediateSteps } = await run.result();
  expect(output).toContain('Version one.');
  expect(intermediateSteps).toEqual([
    expect.objectContaining({ observation: 'The fields.' }),
    expect.objectContaining({
      observation: expect.stringMatching(/Version one\.\n\nFiles of this skill.*\n- ref\/a\.md/su),
    }),
  ]);
  const history = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
  const activities = (history.events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name ?? [],
  );
  expect(activities.filter((name) => name !== 'resolveAgent')).toEqual([
    'callModel',
    'callModel',
    'callModel',
  ]);
});

test('sub-agents, and agents that the conversation is handed over to, have their own skills', async () => {
  const run = await rig.client.start('skills-boss', 'Write.');
  const { output, intermediateSteps } = await run.result();
  expect(intermediateSteps[0]).toMatchObject({ observation: 'brief' });
  expect(output).toBe('brief');
});

test('a run reads the version that it began with, and waits for a person if that is nowhere', async () => {
  const begin = async () => {
    const run = await rig.client.start('skills-clerk', 'Fill it in later.');
    const { call } = await waitOf(run);
    return { run, call };
  };
  const [first, second] = [await begin(), await begin()];
  await rig.restart(async () => writeSkill(folder, 'forms', { body: 'Version two.' }));

  await first.run.decide(first.call, { type: 'resolve', output: 'yes' });
  const { output } = await first.run.result();
  expect(output).toContain('Version one.');

  rmSync(join(state, 'skills'), { recursive: true });
  await second.run.decide(second.call, { type: 'resolve', output: 'yes' });
  const wait = await waitOf(second.run, { tool: 'read_skill' });
  expect(wait).toMatchObject({
    reason: 'failed',
    error: { type: 'SkillChanged', message: expect.stringContaining('The skill forms has changed') },
  });
  await second.run.decide(wait.call, { type: 'resolve', output: 'By hand.' });
  await expect(second.run.result()).resolves.toMatchObject({ output: expect.stringContaining('By hand.') });
});
