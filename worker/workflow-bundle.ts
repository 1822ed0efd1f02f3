import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleOptions, WorkflowBundleOption } from '@temporalio/worker';
import type { Deployment } from '../config/deployment-option.ts';
import { LIGHT_PROMISES } from './light-promises.ts';

/** This file's own ending: `.ts` from source, `.js` when built. Paths of other processes' entries follow it. */
const extension = extname(import.meta.url);
export const workflowsPath = fileURLToPath(new URL(`../workflows/index${extension}`, import.meta.url));
const prebuilt = fileURLToPath(new URL('../workflows/bundle.js', import.meta.url));

/** The code that runs in the workflow sandbox: built once by `npm run build`; from source it is bundled here. */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  return extension === '.js' && existsSync(prebuilt) ? { codePath: prebuilt } : bundle();
}

/** The code for a worker that is a version of a deployment: `workflows/temporal/code-version.ts` reads the variable. */
export async function versionedBundle(
  given: WorkflowBundleOption,
  { upgradeOnContinueAsNew = false }: Pick<Deployment, 'upgradeOnContinueAsNew'> = {},
): Promise<WorkflowBundleOption> {
  const code = 'code' in given ? given.code : await readFile(given.codePath, 'utf8');
  return { code: `var reloopVersioned = '${upgradeOnContinueAsNew ? 'moves' : 'stays'}'; ${code}` };
}

/**
 * Bundles a module of workflows, by default ours; the interceptor that attaches a tool call's header is always ours.
 * `sourceName` gives a file's name in stack traces, by default its path.
 */
export async function bundle(
  path = workflowsPath,
  sourceName?: (path: string) => string,
): Promise<{ code: string }> {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: path,
    workflowInterceptorModules: [workflowsPath],
    preloadModules: [workflowsPath],
    logger: silentLogger,
    webpackConfigHook: (config) => {
      const lean = { ...config, devtool: POSITIONS_ONLY };
      return sourceName === undefined ? lean : named(lean, sourceName);
    },
  });
  return { code: LIGHT_PROMISES + code };
}

/**
 * A source map without the sources: stack traces need positions alone. Each thread of a worker holds the map several times. The
 * sources would be shown in the Web UI's Call Stack, which is empty (`light-promises.ts`).
 */
const POSITIONS_ONLY = 'inline-nosources-source-map';

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

function named(config: WebpackConfig, sourceName: (path: string) => string): WebpackConfig {
  const devtoolModuleFilenameTemplate = (source: { absoluteResourcePath: string }) =>
    sourceName(source.absoluteResourcePath);
  return { ...config, output: { ...config.output, devtoolModuleFilenameTemplate } };
}

/** The bundler throws its errors; its other output is about webpack. */
const nothing = () => undefined;
const silentLogger = {
  log: nothing,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
