import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { StorageDriver } from '@temporalio/common';
import { AgentClient } from '../../client/index.ts';
import { linesOf, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { fetchNpm } from '../support/npm-packages.ts';
import { until } from '../support/processes.ts';
import { reloop, spawnCommand } from '../support/cli.ts';
import { waitOf } from '../support/rig.ts';

/** Worker processes that keep payloads of 1 MB outside of Temporal, killed in the middle. */

const CONFIG = 'test/fixtures/storage.config.ts';
const KEYS = `k:${Buffer.alloc(32, 'n').toString('base64')}`;

async function rigWith(env: { [name: string]: string }) {
  const rig = await startCrashRig({ config: CONFIG, env, replies: ['not asked'] });
  onTestFinished(() => rig.stop());
  return { ...rig, record: join(rig.folder, 'effects') };
}

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reloop-storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : [],
  );

test.each([
  ['in clear', undefined],
  ['encrypted', KEYS],
])('12 pages %s: nothing is lost and nothing doubled by the deaths of three workers', async (_how, keys) => {
  const storage = folderOf();
  const own = keys === undefined ? {} : { RELOOP_ENCRYPTION_KEYS: keys };
  const rig = await rigWith({ STORAGE: storage, SLEEP_MS: '300', ...own });
  const encryption = keys === undefined ? undefined : { keys: { k: Buffer.alloc(32, 'n') } };
  const client = await AgentClient.connect({
    address: rig.server.address,
    storage: { folder: storage },
    encryption,
  });
  onTestFinished(() => client.close());
  rig.startWorker(rig.record);
  const run = await client.start('reader', 'Read.');
  for (const pages of [3, 6, 9]) {
    await until(() => linesOf(rig.record).length >= pages);
    await rig.killWorkers();
    rig.startWorker(rig.record);
  }
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('all 12');
  expect(intermediateSteps).toHaveLength(12);
  expect(new Set(linesOf(rig.record)).size).toBe(12);
  const hasClear = filesIn(storage).some((text) => text.includes('aaaaaaaaaa'));
  expect(hasClear).toBe(keys === undefined);
  const { historySize = 0 } = await client.temporal.workflow.getHandle(run.id).describe();
  expect(historySize).toBeLessThan(200_000);

  // Commands that do not need the config otherwise find the storage in it.
  const args = ['show', run.id, '--json', '--address', rig.server.address, '--config', CONFIG];
  const shown = reloop(args, { STORAGE: storage, ...own });
  expect(await shown.exit).toBe(0);
  expect(shown.stdout()).toContain('aaaaaaaaaa');

  // So does the codec server of the Web UI.
  const codecs = reloop(['codec-server', '--port', String(await freePort()), '--json', '--config', CONFIG], {
    STORAGE: storage,
    RELOOP_CODEC_TOKEN: 'a-token-of-this-test',
    ...own,
  });
  onTestFinished(() => codecs.killGroup());
  await codecs.prints('"endpoint"');
  const { endpoint } = JSON.parse(codecs.stdout()) as { endpoint: string };
  const { events } = await client.temporal.workflow.getHandle(run.id).fetchHistory();
  const results = events?.map((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? []);
  const reference = results?.flat().find(({ externalPayloads }) => externalPayloads?.[0] !== undefined);
  const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  const metadata = Object.fromEntries(
    Object.entries(reference?.metadata ?? {}).map(([name, value]) => [name, base64(value)]),
  );
  const decoded = await fetch(`${endpoint}/decode`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-token-of-this-test' },
    body: JSON.stringify({ payloads: [{ metadata, data: base64(reference?.data) }] }),
  });
  const { payloads } = (await decoded.json()) as { payloads: { data: string }[] };
  expect(Buffer.from(payloads[0]?.data ?? '', 'base64').toString()).toContain('aaaaaaaaaa');
});

test('the effect of a call whose result cannot be stored is in doubt, and is not made again', async () => {
  const rig = await rigWith({ BREAKS: '1' });
  rig.startWorker(rig.record);
  const run = await rig.client.start('buyer', 'Buy.');
  const wait = await waitOf(run, { call: '1.1' });
  expect(wait).toMatchObject({
    reason: 'doubt',
    error: { type: 'InDoubt', message: 'It is not known whether order took effect: the store is down (1).' },
  });
  expect(linesOf(rig.record)).toEqual(['order 1']);
});

/** The published driver; `s3rver` stands in for S3. */
const packages = [
  '@temporalio/external-storage-s3@1.22.0',
  '@temporalio/external-storage-s3-aws-sdk@1.22.0',
  '@aws-sdk/client-s3@3.1175.0',
  's3rver@3.7.1',
];
const fetched = await fetchNpm({ name: 'external-storage-s3-1.22.0', packages });
const title = 'missing' in fetched ? ` (skipped: ${fetched.missing})` : '';

const driverModule = `
import { S3Client } from '@aws-sdk/client-s3';
import s3 from '@temporalio/external-storage-s3';
import aws from '@temporalio/external-storage-s3-aws-sdk';
export function s3Driver(endpoint) {
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  return new s3.S3StorageDriver({ client: new aws.AwsSdkS3StorageDriverClient(client), bucket: 'payloads' });
}`;
const serverModule = `
import S3rver from 's3rver';
const [directory] = process.argv.slice(2);
const buckets = [{ name: 'payloads', configs: [] }];
const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: buckets });
console.log('S3 at http://127.0.0.1:' + (await server.run()).port);`;

test.skipIf('missing' in fetched)(`a worker keeps encrypted pages in S3, and dies${title}`, async () => {
  const folder = folderOf();
  symlinkSync(join('missing' in fetched ? '' : fetched.folder, 'node_modules'), join(folder, 'node_modules'));
  const [driver, program] = [join(folder, 'driver.mjs'), join(folder, 'server.mjs')];
  writeFileSync(driver, driverModule);
  writeFileSync(program, serverModule);
  const server = spawnCommand([program, join(folder, 'data')]);
  onTestFinished(() => server.killGroup());
  await server.prints('S3 at ');
  const endpoint = server.stdout().trim().slice('S3 at '.length);
  const rig = await rigWith({ S3: endpoint, S3_DRIVER: driver, PAGES: '6', RELOOP_ENCRYPTION_KEYS: KEYS });
  const { s3Driver } = (await import(driver)) as { s3Driver(at: string): StorageDriver };
  const client = await AgentClient.connect({
    address: rig.server.address,
    storage: { driver: s3Driver(endpoint) },
    encryption: { keys: { k: Buffer.alloc(32, 'n') } },
  });
  onTestFinished(() => client.close());
  rig.startWorker(rig.record);
  const run = await client.start('reader', 'Read.');
  await until(() => linesOf(rig.record).length >= 3);
  await rig.killWorkers();
  rig.startWorker(rig.record);
  expect((await run.result()).output).toBe('all 6');
  const pages = filesIn(join(folder, 'data')).filter((text) => text.length > 900_000);
  expect(pages.length).toBeGreaterThanOrEqual(6);
  expect(pages.some((text) => text.includes('aaaaaaaaaa'))).toBe(false);
});
