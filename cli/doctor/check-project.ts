import { relative } from 'node:path';
import { findConfig } from '../../config/load.ts';
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
export async function checkProject({ config: named }: CommonOptions): Promise<ProjectChecks> {
  try {
    const config = await loadCommandConfig(named);
    const { loaded } = config;
    const file = relative(process.cwd(), named ?? findConfig() ?? '');
    const models = [...loaded.agents.keys()].map((agent): Check => {
      const problem = loaded.validate(agent);
      const name = `agent ${agent}`;
      if (problem === undefined)
        return { name, state: 'ok', found: modelOf(loaded.manifest(agent, {})?.model) };
      return { name, state: 'problem', found: modelOf(loaded.manifest(agent, {})?.model), advice: problem };
    });
    const usable = models.some(({ state }) => state === 'ok');
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

function modelOf(name: string | undefined): string {
  return `model ${name ?? '?'}`;
}
