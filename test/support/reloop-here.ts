import { cli } from '../../cli/cli.ts';
import { cleanEnv } from './cli.ts';
import { fakeIo } from './fake-io.ts';

/**
 * A `reloop` command to its end, carried out in this process: for tests of what a command does. How it begins and ends as
 * a process is for `reloop()`, and costs a second of a processor each time. `env` is this process's from then on.
 */
export async function reloopHere(
  args: readonly string[],
  env: { [name: string]: string } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  setEnvironment(cleanEnv(env));
  const io = { ...fakeIo(), env: process.env };
  const code = await cli(args, io);
  return { code, stdout: io.out(), stderr: io.err() };
}

/** As the command would have it as a process: without what an earlier one, or the machine, had besides. */
function setEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
  Object.assign(process.env, wanted);
}
