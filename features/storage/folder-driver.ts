import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Payload } from '@temporalio/common';
import { type StorageDriver, StorageDriverClaim } from '@temporalio/common/lib/converter/extstore.js';

/** Recorded with each reference, and so never changed. */
const NAME = 'reloop.folder';

/**
 * Keeps payloads as files that are named by the SHA-256 of their bytes. A file is whole or not there: it is written under another name first.
 * A payload that is stored again makes its file new, so the files that nothing has stored for long are the old ones.
 */
export function folderDriver(folder: string): StorageDriver {
  const root = resolve(folder);
  const fileOf = (hash: string) => join(root, hash.slice(0, 2), hash);

  async function write(payload: Payload): Promise<StorageDriverClaim> {
    const bytes = (await encoding()).encode(payload).finish();
    const hash = sha256(bytes);
    const file = fileOf(hash);
    await mkdir(dirname(file), { recursive: true });
    const partial = `${file}.${randomUUID()}`;
    await writeFile(partial, bytes, { flush: true });
    await rename(partial, file);
    return new StorageDriverClaim({ sha256: hash });
  }

  async function read({ claimData }: StorageDriverClaim): Promise<Payload> {
    const { sha256: hash = '' } = claimData;
    // A reference is a value of the history, which may be anybody's.
    if (!/^[\da-f]{64}$/u.test(hash)) throw new Error(`A reference has no SHA-256 of its file: "${hash}".`);
    const bytes = await readFile(fileOf(hash));
    if (sha256(bytes) !== hash) throw new Error(`The file was changed: ${fileOf(hash)}.`);
    const { metadata, data } = (await encoding()).decode(bytes);
    return { metadata, data };
  }

  return {
    name: NAME,
    type: NAME,
    store: (_context, payloads) => Promise.all(payloads.map(write)),
    retrieve: (_context, claims) => Promise.all(claims.map(read)),
  };
}

/** Loaded late: a config that names a folder needs no messages of Temporal. */
async function encoding() {
  const { default: messages } = await import('@temporalio/proto');
  return messages.temporal.api.common.v1.Payload;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
