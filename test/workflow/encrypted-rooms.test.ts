import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { defineModel } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { mediaOf } from '../../agent/values/content.ts';
import { protos } from '../simulation/sdk.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { writeSkill } from '../support/skill-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Skills, the search for tools and files in questions, all with encryption. */
const [folder, state] = [tempFolder(), tempFolder()];
beforeAll(() => {
  vi.stubEnv('RELOOP_STATE_DIR', state);
  writeSkill(folder, 'forms', { body: 'Secret of the skill.' });
});
afterAll(() => vi.unstubAllEnvs());

const pdf = Buffer.concat([Buffer.from('%PDF-1.7\nSecret of the file.\n'), Buffer.from([0x80, 0x81])]);
const paid: string[] = [];
const pay = defineTool({
  name: 'pay_bill',
  description: 'Pays a bill. Secret of the tool.',
  approval: 'always',
  effects: 'once',
  run: (what) => {
    paid.push(what);
    return 'Secret of the result.';
  },
});

const calls: [name: string, input: object][] = [
  ['read_skill', { name: 'forms' }],
  ['search_tools', { query: 'pay a bill' }],
  ['use_tool', { name: 'pay_bill', input: { __arg1: 'Secret of the input.' } }],
];
/** Files in each request. */
const shown: number[] = [];
const model = defineModel({
  call: async ({ prompt }, { step }) => {
    const messages = prompt.type === 'messages' ? prompt.messages : [];
    shown.push(messages.flatMap(({ content }) => mediaOf(content)).length);
    const [name, input] = calls[Number(step) - 1] ?? [];
    const toolCalls = name === undefined ? [] : [{ id: `c${step}`, name, arguments: JSON.stringify(input) }];
    return { text: name === undefined ? 'Secret of the answer.' : '', toolCalls, finishReason: 'stop' };
  },
});

const rig = useRig({
  agents: [
    {
      name: 'sealed-clerk',
      kind: 'tool-calling',
      model,
      tools: [pay],
      skills: folder,
      toolSearch: { show: [] },
    },
  ],
  encryption: { keys: { rooms: Buffer.alloc(32, 'r').toString('base64') } },
});

/** Approves the payment. Resolves to the output. */
async function approved(run: AgentRun): Promise<unknown> {
  const { call } = await waitOf(run, { reason: 'approval' });
  await run.decide(call, { type: 'approve' });
  return (await run.result()).output;
}

/** The bytes of a history, as text. */
async function textOf(id: string): Promise<string> {
  const history = await rig.temporal.workflow.getHandle(id).fetchHistory();
  return Buffer.from(protos.temporal.api.history.v1.History.encode(history).finish()).toString('latin1');
}

test('a run with all of them is encrypted whole; its export, its backtest and its fork have them', async () => {
  const run = await rig.client.start('sealed-clerk', [
    { type: 'text', text: 'Secret of the question.' },
    { type: 'file', file: pdf, filename: 'Secret.pdf' },
  ]);
  expect(await approved(run)).toBe('Secret of the answer.');
  const history = await textOf(run.id);
  expect(history).toContain('binary/encrypted');
  expect(history).not.toContain('Secret');

  const exported = JSON.stringify(await run.export({ prompts: true }));
  for (const of of ['question', 'skill', 'tool', 'input', 'result', 'answer'])
    expect(exported).toContain(`Secret of the ${of}.`);
  expect(exported).toContain('Secret.pdf');

  const report = await (await rig.client.backtest('sealed-clerk', { runs: [run.id] })).report();
  expect(report.runs).toMatchObject([{ verdict: 'same', sameSteps: 4, error: null }]);
  expect(paid).toEqual(['Secret of the input.']);

  const fork = rig.client.get((await run.fork({ step: 2 })).id);
  const asked = await waitOf(fork, { tool: 'pay_bill' });
  expect(asked).toMatchObject({ toolInput: { __arg1: 'Secret of the input.' }, reason: 'repeated' });
  await fork.decide(asked.call, { type: 'retry' });
  expect(await approved(fork)).toBe('Secret of the answer.');
  expect(paid).toHaveLength(2);
  expect(shown).toEqual(Array.from({ length: 4 + 4 + 3 }, () => 1));
  expect(await textOf(fork.id)).not.toContain('Secret');
});
