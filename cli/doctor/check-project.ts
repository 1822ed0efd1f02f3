import { TASK_QUEUE } from '../../agent/names.ts';
import { relative } from 'node:path';
import { findConfig, loadConfig } from '../../config/load.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommonOptions } from '../options.ts';
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
  taskQueue: string;
}

/** The config, its agents and what their models need. */
export async function checkProject({ config }: CommonOptions): Promise<ProjectChecks> {
  try {
    const loaded = await loadConfig(config);
    const file = relative(process.cwd(), config ?? findConfig() ?? '');
    const models = [...loaded.agents.keys()].map((agent): Check => {
      const problem = loaded.validate(agent);
      const name = `agent ${agent}`;
      if (problem === undefined)
        return { name, state: 'ok', found: modelOf(loaded.manifest(agent, {})?.model) };
      return { name, state: 'problem', found: modelOf(loaded.manifest(agent, {})?.model), advice: problem };
    });
    const usable = models.some(({ state }) => state === 'ok');
    const found = `${file}: ${loaded.agents.size} agents, ${loaded.tools.size} tools`;
    const nothing = {
      exitCode: exitCodes.usage,
      advice: 'none of its agents has a model that can be asked: see below',
    };
    const checks: Check[] = [
      { name: 'config', state: usable ? 'ok' : 'problem', found, ...(usable ? {} : nothing) },
      ...models,
    ];
    return { checks, taskQueue: loaded.taskQueue };
  } catch (error) {
    const advice = error instanceof Error ? error.message : String(error);
    const check: Check = {
      name: 'config',
      state: 'problem',
      found: 'none that works',
      advice,
      exitCode: exitCodes.usage,
    };
    return { checks: [check], taskQueue: process.env['TEMPORAL_TASK_QUEUE'] ?? TASK_QUEUE };
  }
}

function modelOf(name: string | undefined): string {
  return `model ${name ?? '?'}`;
}
