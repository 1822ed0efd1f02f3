import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Content, contentText, mediaOf } from '../../agent/values/content.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import { defineModel } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { readRun } from '../../history/read/pages.ts';
import { useRig } from '../support/rig.ts';

/** Contents of the user's messages in each request, by run. */
const asked = new Map<string, ChatMessage['content'][][]>();

const model = defineModel({
  async call({ prompt }, { runId, step }) {
    const messages =
      prompt.type === 'messages' ? prompt.messages : [{ role: 'user' as const, content: prompt.text }];
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    asked.set(runId, [...(asked.get(runId) ?? []), said]);
    const isFirst = step === '1' && said.length === 1 && contentText(said[0] ?? null).includes('look');
    const handOver =
      prompt.type === 'messages' && prompt.tools?.find(({ name }) => name.startsWith('transfer'));
    const [name, input] = handOver ? [handOver.name, '{}'] : ['look', '{"__arg1":"closer"}'];
    const toolCalls = isFirst || handOver ? [{ id: 'c1', name, arguments: input }] : [];
    const text = toolCalls.length > 0 ? '' : 'Final Answer: a bill';
    return { text, toolCalls, finishReason: 'stop' };
  },
});
const look = defineTool({ name: 'look', description: 'looks', run: () => 'x'.repeat(1_000) });
const common = { model, tools: [look] };

const rig = useRig({
  agents: [
    { ...common, name: 'file-native', kind: 'tool-calling' },
    { ...common, name: 'file-react', kind: 'zero-shot' },
    { ...common, name: 'file-blind', kind: 'tool-calling', files: false },
    { ...common, name: 'file-to-blind', kind: 'tool-calling', handoffs: ['file-blind'] },
    { ...common, name: 'file-to-native', kind: 'tool-calling', handoffs: ['file-native'] },
  ],
});

const CSV = `month,total\n${'may,5\n'.repeat(500)}`;
const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from('\x80\x81'.repeat(2_000), 'latin1')]);
const withPdf = (text: string) => [
  { type: 'text' as const, text },
  { type: 'file' as const, file: pdf, filename: 'bill.pdf' },
];
const withCsv = (text: string) => [
  { type: 'text' as const, text },
  { type: 'file' as const, file: Buffer.from(CSV), filename: 'sums.csv' },
];
const shownPdf = {
  type: 'file',
  mediaType: 'application/pdf',
  filename: 'bill.pdf',
  bytes: pdf.length,
  sha256: createHash('sha256').update(pdf).digest('hex'),
  data: pdf.toString('base64'),
};

test('an id stands for one question: another file of the same name and size is another question', async () => {
  const id = randomUUID();
  const run = await rig.client.start('file-native', withPdf('read'), { id });
  const other = Buffer.from(pdf);
  other[20] = 0;
  const withOther = [
    { type: 'text' as const, text: 'read' },
    { type: 'file' as const, file: other, filename: 'bill.pdf' },
  ];
  expect(await run.startedWith('file-native', withPdf('read'), { id })).toBe(true);
  expect(await run.startedWith('file-native', withOther, { id })).toBe(false);
  await run.result();
});

test('a PDF goes to the model with each request, is in history once, and is in a fork by reference', async () => {
  const run = await rig.client.start('file-native', withPdf('look'));
  await run.result();
  const { runId, input } = await run.describe();
  expect((asked.get(runId) ?? []).map((said) => said[0])).toEqual([
    [{ type: 'text', text: 'look' }, shownPdf],
    [{ type: 'text', text: 'look' }, shownPdf],
  ]);
  expect(await copiesOf(run.id, runId)).toBe(1);
  expect(contentText(input)).toBe('look\n[file bill.pdf application/pdf 5 KB]');

  await rig.restart();
  const fork = rig.client.get((await run.fork({ step: 2 })).id);
  await fork.result();
  const forked = (await fork.describe()).runId;
  expect(mediaOf(asked.get(forked)?.[0]?.[0] ?? null)).toEqual([shownPdf]);
  expect(await copiesOf(fork.id, forked)).toBe(0);
  const exported = await fork.export({ prompts: true, images: true });
  expect(exported.requests?.every(({ exact }) => exact)).toBe(true);
  expect(mediaOf(exported.run.input)).toMatchObject([{ data: shownPdf.data }]);
});

test.each(['file-native', 'file-react', 'file-blind'])('a text file is a text to %s', async (agent) => {
  const run = await rig.client.start(agent, withCsv('what is the sum?'));
  expect((await run.result()).output).toContain('a bill');
  const { runId } = await run.describe();
  const [said] = asked.get(runId)?.[0] ?? [];
  expect(said).toContain(`what is the sum?\nFile sums.csv:\n\`\`\`\n${CSV.trim()}\n\`\`\``);
});

test.each([
  ['file-react', /kind zero-shot, which takes no files but texts, and no application\/pdf.*tool-calling/u],
  ['file-blind', /takes no files but texts \(files: false\), and no application\/pdf/u],
])('a PDF is refused by %s before a model is asked', async (agent, problem) => {
  const run = await rig.client.start(agent, withPdf('what?'));
  await expect(run.result()).rejects.toThrow(problem);
  expect(asked.get((await run.describe()).runId)).toBeUndefined();
});

test('a session shows its files to later questions, and describes them to an agent that does not take them', async () => {
  const session = `files-${randomUUID()}`;
  const first = await rig.client.start('file-native', withPdf('what is it?'), { session });
  await first.result();
  const second = await rig.client.start('file-native', withCsv('and its sum?'), { session });
  await second.result();
  expect(await lastAsked(second.id)).toMatchObject([
    [{ type: 'text' }, shownPdf],
    expect.stringContaining('File sums.csv:'),
  ]);
  const third = await rig.client.start('file-blind', 'and the month?', { session });
  await third.result();
  expect(await lastAsked(third.id)).toEqual([
    'what is it?\n[file bill.pdf application/pdf 5 KB]',
    expect.stringContaining('File sums.csv:'),
    'and the month?',
  ]);
});

test.each([
  ['file-to-native', [{ type: 'text', text: 'hand it over' }, shownPdf]],
  ['file-to-blind', 'hand it over\n[file bill.pdf application/pdf 5 KB]'],
])('%s hands a file over, or its description', async (agent, content) => {
  const run = await rig.client.start(agent, withPdf('hand it over'));
  await run.result();
  expect(await lastAsked(run.id)).toMatchObject([content]);
});

async function lastAsked(id: string): Promise<(Content | null)[]> {
  const { runId } = await rig.client.get(id).describe();
  return asked.get(runId)?.at(-1) ?? [];
}

/** Number of payloads of a history with the PDF's bytes; base64 would hide them, so it is searched for too. */
async function copiesOf(workflowId: string, runId: string): Promise<number> {
  const needles = [pdf.subarray(100, 300), Buffer.from(pdf.toString('base64').slice(400, 600))];
  let copies = 0;
  for await (const events of readRun(rig.temporal, { workflowId, runId }, { pageSize: 5 })) {
    copies += bytesIn(events).filter((bytes) => needles.some((needle) => bytes.includes(needle))).length;
  }
  return copies;
}

function bytesIn(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(bytesIn);
}
