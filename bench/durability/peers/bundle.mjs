// Docs of Temporal, "Run a Worker, pre-build code" (docs.temporal.io/develop/typescript/workers/run-worker-process): workflows are bundled once, as a build does.
import { bundleWorkflowCode } from '@temporalio/worker';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stateFolder } from '../adapters/serve.ts';

/** The bundle of a file beside this one. The first start of a contest makes it. */
export async function bundleOf(file, plugins) {
  const codePath = `${stateFolder}/${file}.bundle.js`;
  if (!existsSync(codePath)) {
    const workflowsPath = fileURLToPath(new URL(file, import.meta.url));
    writeFileSync(codePath, (await bundleWorkflowCode({ workflowsPath, plugins })).code);
  }
  return { codePath };
}
