import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedServer } from '../server/server.ts';
import { slowLines } from './slow-lines.ts';

let server: Promise<EmbeddedServer> | undefined;

/**
 * The Temporal server of this process's tests: nothing of it is kept, and it ends with the process, however that ends. It is
 * named after the process, so that test files of one process share it, also where each has modules of its own.
 */
export function testServer(): Promise<EmbeddedServer> {
  return (server ??= start());
}

async function start(): Promise<EmbeddedServer> {
  try {
    const { acquireServer } = await import('../server/server.ts');
    void import('../worker/run-worker.ts').then(({ prepareWorker }) => prepareWorker());
    return await acquireServer({
      stateDir: join(tmpdir(), `reloop-test-${process.getuid?.() ?? ''}-${process.pid}`),
      ephemeral: true,
      onProgress: slowLines((line) => process.stderr.write(`${line}\n`)),
    });
  } catch (error) {
    server = undefined; // the next test may have better luck
    throw error;
  }
}
