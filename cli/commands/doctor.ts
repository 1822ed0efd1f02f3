import type { Check } from '../doctor/check-result.ts';
import { checkEnvFile, checkProgram, checkProject } from '../doctor/check-project.ts';
import { checkLive } from '../doctor/check-live.ts';
import { callQueues } from '../doctor/check-workers.ts';
import { checkServer } from '../doctor/check-server.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { environmentKeyring } from '../../features/encryption/keys.ts';
import { environmentLive } from '../../features/live/brokers.ts';
import { namedQueue, usualQueue } from '../connection/task-queue.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { colorsFor, padTo } from '../shell/display.ts';
import { sanitizedFor } from '../shell/on-terminal.ts';
import { type Io, exitCodes, printColored, printJson } from '../shell/io.ts';
import type { CommonOptions } from '../options/options.ts';

interface DoctorOptions extends CommonOptions {
  /** Each agent's model is asked for one token. */
  probe?: boolean;
  /** Fails where no worker polls the task queue of the config. */
  worker?: boolean;
}

/** `reloop doctor`: checks the project and prints advice for each problem. */
export async function doctor(io: Io, options: DoctorOptions): Promise<number> {
  const project = await checkProject(options, options.probe === true);
  const onOwnServer = temporalSettings(options).address === undefined;
  const taskQueue = usualQueue(project.config, namedQueue(io, options), onOwnServer);
  const own = [...checkProgram(), ...checkEnvFile(io, options), ...project.checks];
  const further = project.config === undefined ? new Map() : callQueues(project.config.loaded);
  const keys = project.config?.loaded.encryption ?? environmentKeyring(io.env);
  const live = await checkLive(() => project.config?.loaded.live ?? environmentLive(io.env));
  const deployment = project.config?.loaded.deployment;
  const agents = project.config?.loaded.agents;
  const queues = { taskQueue, callQueues: further, deployment, agents };
  const checks = [...own, ...live, ...(await checkServer({ ...options, ...queues }, keys))];
  const fatal = checks.find(({ exitCode }) => exitCode !== undefined);
  if (options.json === true) printJson(io, { usable: fatal === undefined, checks });
  else printChecks(io, checks);
  return fatal?.exitCode ?? exitCodes.answered;
}

function printChecks(io: Io, checks: Check[]): void {
  const colors = colorsFor(io.stdout, io.env);
  const mark = { ok: colors.green('ok'), note: colors.yellow('--'), problem: colors.red('!!') };
  const names = checks.map(({ name }) => oneLine(name));
  const width = Math.max(...names.map((name) => name.length));
  for (const [index, { state, found, advice }] of checks.entries()) {
    printColored(
      io,
      `${mark[state]}  ${padTo(names[index] ?? '', width)}  ${sanitizedFor(io.stdout, found)}`,
    );
    if (advice === undefined) continue;
    printColored(io, `    ${padTo('', width)}  ${colors.bold('do:')} ${sanitizedFor(io.stdout, advice)}`);
  }
}
