// Docs of Temporal, "Run a Worker, pre-build code" (docs.temporal.io/develop/typescript/workers/run-worker-process): workflows are bundled once, as a build does.
import { bundleWorkflowCode } from '@temporalio/worker';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import webpack from 'webpack';
import { isDeployed } from '../adapters/offered.ts';
import { stateFolder } from '../adapters/serve.ts';

/** The bundle of a file beside this one. The first start of a contest makes those of both versions of the program. */
export async function bundleOf(file, plugins) {
  const pathOf = (version) => `${stateFolder}/${file}.${version}.js`;
  const workflowsPath = fileURLToPath(new URL(file, import.meta.url));
  for (const version of ['1', '2'].filter((one) => !existsSync(pathOf(one)))) {
    // A workflow cannot read the variable.
    const defined = new webpack.DefinePlugin({ 'process.env.DURABILITY_DEPLOY': `'${version}'` });
    const webpackConfigHook = (config) => ({ ...config, plugins: [...(config.plugins ?? []), defined] });
    const { code } = await bundleWorkflowCode({ workflowsPath, plugins, webpackConfigHook });
    writeFileSync(pathOf(version), code);
  }
  return { codePath: pathOf(isDeployed ? '2' : '1') };
}
