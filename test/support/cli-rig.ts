import { afterAll, beforeAll, inject } from 'vitest';
import type { RunReport } from '../../client/report.ts';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type Command, reloop } from './cli.ts';
import { reloopHere } from './reloop-here.ts';

/**
 * A model that answers like `replies`, and a `reloop worker` that asks it, for the tests of one file. `config` is a file
 * of test/fixtures/configs, `more` is environment of the worker and of the commands.
 */
export function useCli(
  config: string,
  replies: Parameters<typeof startScriptedServer>[0],
  more: { [name: string]: string } = {},
) {
  const flags = ['--config', `test/fixtures/configs/${config}.config.ts`];
  const env: { [name: string]: string } = { ...more };
  let model: ScriptedServer | undefined;
  let worker: Command | undefined;
  const startWorker = async () => {
    worker = reloop(['worker', ...flags], env);
    await worker.prints('Worker ready');
  };
  beforeAll(async () => {
    model = await startScriptedServer(replies);
    env['OPENAI_BASE_URL'] = model.url;
    env['TEMPORAL_ADDRESS'] = inject('temporalAddress');
    env['TEMPORAL_TASK_QUEUE'] = `cli-${config}-${Date.now()}`;
    await startWorker();
  });
  afterAll(async () => {
    await worker?.killGroup();
    await model?.close();
  });

  /** A command to its end, in this process. */
  const cli = (...args: string[]) => reloopHere(args, env);
  return {
    cli,
    config: flags,
    env,
    startWorker,
    killWorker: async () => worker?.killGroup(),
    /** Requests to the model so far. */
    requests: () => model?.requests ?? [],
    /** A command as a process; its end is `exit`. */
    spawn: (...args: string[]) => reloop(args, env),
    /** A command to its end, as a process. */
    async spawned(...args: string[]) {
      const command = reloop(args, env);
      const code = await command.exit;
      return { code, stdout: command.stdout(), stderr: command.stderr() };
    },
    async report(id: string): Promise<RunReport> {
      return JSON.parse((await cli('show', id, '--json')).stdout) as RunReport; // printed by us
    },
  };
}
