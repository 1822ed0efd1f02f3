import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedServer } from '../server/server.ts';
import { sayIfSlow } from './open-local.ts';

let server: Promise<EmbeddedServer> | undefined;

/** The Temporal server of this process's tests: nothing of it is kept, and it ends with the process, however that ends. */
export function testServer(): Promise<EmbeddedServer> {
  return (server ??= start());
}

async function start(): Promise<EmbeddedServer> {
  try {
    const { acquireServer } = await import('../server/server.ts');
    void import('../../worker/run-worker.ts').then(({ prepareWorker }) => prepareWorker());
    return await acquireServer({
      stateDir: testFolder(),
      ephemeral: true,
      onProgress: sayIfSlow(),
    });
  } catch (error) {
    server = undefined; // the next test may have better luck
    throw error;
  }
}

const FOLDER = Symbol.for('reloop.testServerFolder');

/**
 * A new folder, which no other user can have prepared: a server that another user keeps there would read all that tests ask.
 * The name is kept with the process, so that test files share the server, even where each file has its own modules.
 */
function testFolder(): string {
  const host = process as { [FOLDER]?: string };
  const known = host[FOLDER];
  if (known !== undefined && existsSync(known)) return known;
  return (host[FOLDER] = mkdtempSync(join(tmpdir(), 'reloop-test-')));
}
