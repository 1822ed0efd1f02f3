import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { folderDriver } from '../../../../features/storage/folder-driver.ts';
import { createStorage, keptInline } from '../../../../features/storage/storage.ts';
import { agent, problemOf } from '../../../support/config.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const driver = folderDriver('x');

test.each([
  ['a path', 'storage: is not an object { folder } or { driver }'],
  [{}, 'storage: give either a folder or a driver'],
  [{ folder: 'x', driver }, 'storage: give either a folder or a driver'],
  [{ folder: ' ' }, 'storage: folder is not a path'],
  [{ driver: { name: 'mine' } }, 'storage: driver is not a storage driver'],
  [{ folder: 'x', leastBytes: 0.5 }, 'storage: leastBytes is not a whole number of bytes above 0'],
  [{ s3: {} }, 'storage: unknown option s3 (known: folder, driver, leastBytes)'],
])('storage: %j is refused', (storage, problem) => {
  expect(problemOf({ agents: [agent()], storage })).toContain(problem);
});

test('a storage takes payloads from 32,000 bytes on, or from a size of your own', () => {
  expect(createStorage({ folder: 'x' }).payloadSizeThreshold).toBe(32_000);
  expect(createStorage({ driver, leastBytes: 5 })).toMatchObject({
    payloadSizeThreshold: 5,
    drivers: [driver],
  });
});

test('a storage takes nothing of what is kept inline', async () => {
  const [payload, context] = [defaultPayloadConverter.toPayload('one'), {}];
  const { driverSelector } = createStorage({ driver });
  const selected = () => driverSelector?.(context, payload);
  expect([selected(), keptInline(selected), await keptInline(async () => selected())]).toEqual([
    driver,
    null,
    null,
  ]);
});

test('a folder gives each payload back, keeps equal ones once, and leaves nothing half written', async () => {
  const folder = tempFolder();
  const { store, retrieve } = folderDriver(folder);
  const payloads = ['one', 'two', 'one'].map((value) => defaultPayloadConverter.toPayload(value));
  const claims = await store({}, payloads);
  const found = await retrieve({}, claims);
  expect(found.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(['one', 'two', 'one']);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(new Set(files.map(({ name }) => name))).toEqual(
    new Set(claims.map(({ claimData }) => claimData['sha256'])),
  );
  expect(files).toHaveLength(2);
});

test('a file that was changed, and a reference that is no SHA-256, are errors', async () => {
  const folder = tempFolder();
  const { store, retrieve } = folderDriver(folder);
  const [claim] = await store({}, [defaultPayloadConverter.toPayload('one')]);
  const hash = claim?.claimData['sha256'] ?? '';
  writeFileSync(join(folder, hash.slice(0, 2), hash), 'another');
  await expect(retrieve({}, [{ claimData: { sha256: hash } }])).rejects.toThrow('The file was changed');
  await expect(retrieve({}, [{ claimData: { sha256: '../secret' } }])).rejects.toThrow('no SHA-256');
});
