import { relative } from 'node:path';
import { findConfig } from '../../config/load.ts';
import type { LoadedConfig } from '../../config/loaded-config.ts';
import { probeModels } from './probe-models.ts';
import { isScripted, shownModel } from './shown-model.ts';
import { exitCodes } from '../exit-codes.ts';
import { loadCommandConfig } from '../command-config.ts';
import type { CommonOptions } from '../options.ts';
import { count } from '../print/display.ts';
import type { CommandConfig } from '../task-queue.ts';
import { packageVersion } from '../version.ts';

/** One thing that `reloop doctor` looked at. */
export interface Check {
  name: string;
  state: 'ok' | 'note' | 'problem';
  found: string;
  /** What to do about it. */
  advice?: string;
  /** Nothing runs before this is mended. */
  exitCode?: number;
}

export function checkProgram(): Check[] {
  return [
    { name: 'reloop', state: 'ok', found: packageVersion() },
    { name: 'node', state: 'ok', found: process.version },
  ];
}

export interface ProjectChecks {
  checks: Check[];
  /** undefined: none that works. */
  config: CommandConfig | undefined;
}

/** The config, its agents and what their models need. */
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
    const nothing = {
      exitCode: exitCodes.usage,
      advice: 'none of its agents has a model that can be asked: see below',
    };
    const checks: Check[] = [
      { name: 'config', state: usable ? 'ok' : 'problem', found, ...(usable ? {} : nothing) },
      ...models,
    ];
    return { checks, config };
  } catch (error) {
    const advice = error instanceof Error ? error.message : String(error);
    const check: Check = {
      name: 'config',
      state: 'problem',
      found: 'none that works',
      advice,
      exitCode: exitCodes.usage,
    };
    return { checks: [check], config: undefined };
  }
}

/** Each agent's model: whether it could be asked from here and, if that is wanted, whether it answers. */
async function checkModels(loaded: LoadedConfig, asksModels: boolean): Promise<Check[]> {
  const agents = [...loaded.agents.keys()];
  const askable = agents.filter(
    (agent) => loaded.validate(agent) === undefined && !isScripted(loaded, agent),
  );
  const probed = asksModels ? await probeModels(loaded, askable) : undefined;
  return agents.map((agent) => {
    const name = `agent ${agent}`;
    const model = `model ${shownModel(loaded, agent)}`;
    const problem = loaded.validate(agent);
    if (problem !== undefined) return { name, state: 'problem', found: model, advice: problem };
    const answer = probed?.get(agent);
    switch (answer?.type) {
      case 'answered':
        return { name, state: 'ok', found: `${model} answered in ${answer.took}` };
      case 'failed':
        return {
          name,
          state: 'problem',
          found: `${model} does not answer`,
          advice: answer.problem,
          exitCode: exitCodes.failed,
        };
      case undefined:
        if (isScripted(loaded, agent)) return { name, state: 'ok', found: `${model}: nobody to ask` };
        return { name, state: 'ok', found: `${model}, not asked (doctor --probe asks it)` };
    }
  });
}
