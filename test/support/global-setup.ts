import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { EARLY_CONTINUE_AS_NEW, startDevServer } from './dev-server.ts';
import { workflowCode } from './workflow-code.ts';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    bundlePath: string;
  }
}

/** One server and one workflow bundle for all workflow tests. Continue-as-new comes early: at 400 events. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'reloop-test-'));
  const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  const [server, code] = await Promise.all([
    startDevServer(path ?? 'temporal', EARLY_CONTINUE_AS_NEW),
    workflowCode(),
  ]);
  await writeFile(join(folder, 'bundle.js'), code);
  project.provide('temporalAddress', server.address);
  project.provide('bundlePath', join(folder, 'bundle.js'));
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}
