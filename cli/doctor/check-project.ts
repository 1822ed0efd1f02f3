import { relative } from 'node:path';
import { findConfig } from '../../config/load/load.ts';
import type { CompactionManifest } from '../../agent/definition/manifest.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { type Check, ok, problem } from './check-result.ts';
import { type Probed, probeModels } from './probe-models.ts';
import { isScripted, shownModel } from './shown-model.ts';
import { findEnvFile, folderOf, readEnvFile } from '../shell/env-file.ts';
import { type Io, exitCodes } from '../shell/io.ts';
import { loadCommandConfig } from '../connection/command-config.ts';
import type { CommandConfig } from '../connection/task-queue.ts';
import type { CommonOptions } from '../options/options.ts';
import { count } from '../../features/render/words/amounts.ts';
import { packageVersion } from '../shell/version.ts';

export function checkProgram(): Check[] {
  return [ok('reloop', packageVersion()), ok('node', process.version)];
}

/** Lists the names that the project's `.env` sets; never a value. */
export function checkEnvFile({ env }: Io, { config }: CommonOptions): Check[] {
  const file = findEnvFile(folderOf(config));
  if (file === undefined) return [];
  const values = readEnvFile(file);
  const names = Object.keys(values);
  const other = names.filter((name) => env[name] !== values[name]);
  const sets = names.length === 0 ? 'sets nothing' : `sets ${names.join(', ')}`;
  const but = other.length === 0 ? '' : `; the environment has its own ${other.join(', ')}, which counts`;
  return [ok('.env', `${relative(process.cwd(), file)} ${sets}${but}`)];
}

export interface ProjectChecks {
  checks: Check[];
  /** undefined: the config does not work. */
  config: CommandConfig | undefined;
}

/** Checks the config, its agents and their models' settings. */
export async function checkProject(
  { config: named }: CommonOptions,
  asksModels: boolean,
): Promise<ProjectChecks> {
  try {
    const config = await loadCommandConfig(named);
    const { loaded } = config;
    const file = relative(process.cwd(), named ?? findConfig() ?? '');
    const models = await checkModels(loaded, asksModels);
    const usable = models.some(({ state, exitCode }) => state === 'ok' || exitCode !== undefined);
    const found = `${file}: ${count(loaded.agents.size, 'agent')}, ${count(loaded.tools.size, 'tool')}`;
    const nothing = 'none of its agents has a model that can be asked: see below';
    const check = usable ? ok('config', found) : problem('config', found, nothing, exitCodes.usage);
    return { checks: [check, ...models], config };
  } catch (error) {
    return { checks: [problem('config', 'no config that works', error, exitCodes.usage)], config: undefined };
  }
}

/** Each agent's model: whether it could be asked from here and, if that is wanted, whether it answers. */
export async function checkModels(loaded: LoadedConfig, asksModels: boolean): Promise<Check[]> {
  const agents = [...loaded.agents.keys()];
  const askable = agents.filter(
    (agent) => loaded.validate(agent) === undefined && !isScripted(loaded, agent),
  );
  const probed = asksModels ? await probeModels(loaded, askable) : undefined;
  return agents.map((agent) => {
    const name = `agent ${agent}`;
    const model = `model ${shownModel(loaded, agent)}`;
    const why = loaded.validate(agent);
    if (why !== undefined) return problem(name, model, why);
    const answer = probed?.get(agent);
    if (answer?.type === 'answered')
      return answeredCheck(name, model, answer, loaded.manifest(agent, {})?.compaction);
    if (answer === undefined) {
      const unasked = isScripted(loaded, agent)
        ? ': no server to ask'
        : ', not asked (doctor --probe asks it)';
      return ok(name, model + unasked);
    }
    const found = answer.refused === true ? `${model} refused the request` : `${model} does not answer`;
    return problem(name, found, answer.problem, exitCodes.failed);
  });
}

function answeredCheck(
  name: string,
  model: string,
  { took, window }: Extract<Probed, { type: 'answered' }>,
  compaction: CompactionManifest | undefined,
): Check {
  const answered = `${model} answered in ${took}`;
  if (window === undefined) return ok(name, answered);
  const found = `${answered}, its server keeps to a window of ${count(window, 'token')}`;
  if (compaction === undefined || compaction.window <= window) return ok(name, found);
  const advice = `Compaction counts on a window of ${count(compaction.window, 'token')}, so it would come too late. Give the agent compaction: { window: ${window} }, or the server a larger context (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx, llama.cpp: --ctx-size, vLLM: --max-model-len).`;
  return problem(name, found, advice, exitCodes.failed);
}
