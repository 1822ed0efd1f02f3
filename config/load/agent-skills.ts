import { join, resolve } from 'node:path';
import type { SkillManifest } from '../../agent/definition/skills.ts';
import { type Skill, readSkills } from '../../adapters/tools/skills/read-skills.ts';
import { createSkillTool } from '../../adapters/tools/skills/skill-tool.ts';
import { createSkillVersions } from '../../adapters/tools/skills/skill-versions.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { stateDirectory } from '../../local/server/project-folder.ts';
import { type AgentDefinition, ConfigError } from '../define.ts';

/** The skills of a config's agents, as they were when the config was loaded. */
export interface AgentSkills {
  /** The tool that reads them. */
  tool: Tool;
  /** Skills of an agent as a run records them; undefined: it has none. */
  of(agent: string): SkillManifest[] | undefined;
  /** All files, with their paths. */
  files: string[];
  /** Copies this version to the project's state folder, for runs that outlast it. */
  keep(onWarning: (text: string) => void): void;
}

/** undefined: no agent has skills. `folder`: that of the config. Throws {@link ConfigError}. */
export function agentSkills(agents: readonly AgentDefinition[], folder: string): AgentSkills | undefined {
  const byAgent = new Map<string, Skill[]>();
  const byFolder = new Map<string, Skill[]>();
  for (const { name, skills } of agents) {
    if (skills === undefined) continue;
    const path = resolve(folder, skills);
    const read = byFolder.get(path) ?? readOrRefuse(name, path);
    byFolder.set(path, read);
    byAgent.set(name, read);
  }
  if (byAgent.size === 0) return undefined;
  const all = [...byFolder.values()].flat();
  const versions = createSkillVersions(all, copiesFor(folder));
  return {
    tool: createSkillTool(versions),
    of: (agent) =>
      byAgent.get(agent)?.map(({ name, description, digest }) => ({ name, description, digest })),
    files: all.flatMap((skill) => skill.paths.map((path) => join(skill.folder, path))),
    keep: versions.keep,
  };
}

/** The tool for runs of agents that had skills when the runs began: it reads the copies of this machine. */
export function earlierSkills(folder: string): Tool {
  return createSkillTool(createSkillVersions([], copiesFor(folder)));
}

function copiesFor(folder: string): string {
  return join(stateDirectory(folder), 'skills');
}

function readOrRefuse(agent: string, folder: string): Skill[] {
  try {
    return readSkills(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`Agent "${agent}": skills: ${reason}`, { cause: error });
  }
}
