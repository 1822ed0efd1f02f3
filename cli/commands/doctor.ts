import { type Check, checkProgram, checkProject } from '../doctor/check-project.ts';
import { checkEnvFile } from '../doctor/check-env-file.ts';
import { checkServer } from '../doctor/check-server.ts';
import { temporalSettings } from '../../client/connect.ts';
import { namedQueue } from '../context.ts';
import { usualQueue } from '../task-queue.ts';
import { colorsFor, padTo } from '../print/display.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Io, print, printJson } from '../io.ts';
import type { CommonOptions } from '../options.ts';

export interface DoctorOptions extends CommonOptions {
  /** Each agent's model is asked for one token. */
  probe?: boolean;
}

/** `reloop doctor`: what is there, and what to do about what is not. */
export async function doctor(io: Io, options: DoctorOptions): Promise<number> {
  const project = await checkProject(options, options.probe === true);
  const onOwnServer = temporalSettings(options).address === undefined;
  const taskQueue = usualQueue(project.config, namedQueue(io, options), onOwnServer);
  const own = [...checkProgram(), ...checkEnvFile(io, options), ...project.checks];
  const checks = [...own, ...(await checkServer({ ...options, taskQueue }))];
  const fatal = checks.find(({ exitCode }) => exitCode !== undefined);
  if (options.json === true) printJson(io, { usable: fatal === undefined, checks });
  else printChecks(io, checks);
  return fatal?.exitCode ?? exitCodes.answered;
}

function printChecks(io: Io, checks: Check[]): void {
  const colors = colorsFor(io.stdout, io.env);
  const mark = { ok: colors.green('ok'), note: colors.yellow('--'), problem: colors.red('!!') };
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, state, found, advice } of checks) {
    print(io, `${mark[state]}  ${padTo(name, width)}  ${found}`);
    if (advice !== undefined) print(io, `    ${padTo('', width)}  ${colors.bold('do:')} ${advice}`);
  }
}
