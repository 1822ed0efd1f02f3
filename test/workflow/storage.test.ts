import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentClient, StorageMissing } from '../../client/index.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A worker that keeps payloads from 32 KB on in a folder. */

const folder = tempFolder();
const page = 'p'.repeat(50_000);
const place = 'c'.repeat(40_000);
const read = defineTool({ name: 'read', description: 'reads a page', run: (n) => `${n}: ${page}` });
const crawl = defineTool({
  name: 'crawl',
  description: 'fails behind a large checkpoint',
  retry: { maxAttempts: 1 },
  async run(_input, { checkpoint, lastCheckpoint }) {
    if (typeof lastCheckpoint === 'string') return `resumed at ${lastCheckpoint.length}`;
    await checkpoint(place);
    throw new Error('the site is down');
  },
});
const kind = 'tool-calling';
const reading = modelOf((step, { prompt }) => {
  if (step === '1') return { toolCalls: [toolCall('read', '1', 'a'), toolCall('read', '2', 'b')] };
  return JSON.stringify(prompt).includes(`2: ${page}`) ? 'read all' : 'saw less';
});
const rig = useRig({
  agents: [
    { name: 'reader', kind, model: reading, tools: [read] },
    {
      name: 'crawler',
      kind,
      model: modelOf((step) => (step === '1' ? { toolCalls: [toolCall('crawl')] } : 'done')),
      tools: [crawl],
    },
  ],
  storage: { folder },
});

const stored = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('large observations are files, the history has references, and every reader finds the values', async () => {
  const run = await rig.client.start('reader', 'Read.', { id: 'storage-reader' });
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('read all');
  expect(intermediateSteps.map(({ observation }) => observation)).toEqual([`1: ${page}`, `2: ${page}`]);
  const files = stored().map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(files.filter((text) => text.includes(page))).toHaveLength(2);
  const { historySize = 0 } = await rig.temporal.workflow.getHandle(run.id).describe();
  expect(historySize).toBeLessThan(page.length);

  // The transcript is read from history again.
  await rig.restart();
  await run.fork({ step: 2, id: 'storage-fork' });
  expect((await rig.client.get('storage-fork').result()).output).toBe('read all');
  await run.rewind({ step: 2 });
  expect((await run.result()).output).toBe('read all');
});

test('a client without the storage says what is missing, and lists the runs', async () => {
  const client = await AgentClient.connect({ address: rig.client.address });
  await expect(client.get('storage-reader').result()).rejects.toThrow(StorageMissing);
  const { runs } = await client.listPage({ agent: 'reader', full: true });
  expect(runs.map(({ id }) => id)).toEqual(expect.arrayContaining(['storage-reader', 'storage-fork']));
  await client.close();
});

test('heartbeats stay in Temporal, and a checkpoint that a failure has brought is found again', async () => {
  const before = stored().length;
  const run = await rig.client.start('crawler', 'Crawl.', { id: 'storage-crawler' });
  const { error } = await waitOf(run, { call: '1.1' });
  expect(error?.message).toBe('the site is down');
  expect(stored().length - before).toBeLessThanOrEqual(1);
  await run.decide('1.1', { type: 'retry' });
  expect((await run.result()).intermediateSteps).toMatchObject([
    { observation: `resumed at ${place.length}` },
  ]);
});
