import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { READ_SKILL, type SkillManifest } from '../../../agent/definition/skills.ts';
import { type Tool, ToolError, defineTool } from '../tool.ts';
import { SKILL_FILE } from './read-skills.ts';
import type { SkillFiles } from './skill-files.ts';
import { bodyOf } from './skill-text.ts';
import type { SkillVersions } from './skill-versions.ts';

interface SkillRequest {
  name: string;
  file?: string | undefined;
}

/** Makes the tool by which agents read their skills, each run in the version that it began with. */
export function createSkillTool(versions: SkillVersions): Tool {
  const tool = (skills: readonly SkillManifest[]) =>
    defineTool({
      name: READ_SKILL,
      description: 'Reads a skill: its instructions with the list of its files, or one of these files.',
      input: z.object({
        name: z.string().describe('The name of the skill.'),
        file: z.string().optional().describe("One of the skill's files. Leave it out for the instructions."),
      }),
      effects: 'none',
      inline: true,
      run: (asked) => read(versions, skills, asked),
    });
  return { ...tool([]), forAgent: ({ skills = [] }) => tool(skills) };
}

function read(
  versions: SkillVersions,
  skills: readonly SkillManifest[],
  { name, file }: SkillRequest,
): string {
  const skill = skills.find((one) => one.name === name);
  if (skill === undefined) {
    throw new ToolError(
      `There is no skill "${name}". There are: ${skills.map((one) => one.name).join(', ') || 'none'}.`,
    );
  }
  const files = versions.find(skill);
  return file === undefined ? instructions(files) : oneFile(name, files, file);
}

function instructions({ folder, paths }: SkillFiles): string {
  const body = bodyOf(readFileSync(join(folder, SKILL_FILE), 'utf8'));
  const others = paths.filter((path) => path !== SKILL_FILE);
  if (others.length === 0) return body;
  return `${body}\n\nFiles of this skill, for ${READ_SKILL} with file:\n${others.map((path) => `- ${path}`).join('\n')}`;
}

function oneFile(name: string, { folder, paths }: SkillFiles, file: string): string {
  const path = paths.find((one) => one === file.replace(/^(?:\.\/)+/u, ''));
  if (path === undefined) {
    throw new ToolError(`The skill ${name} has no file "${file}". It has: ${paths.join(', ')}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(join(folder, path)));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ToolError(`${path} of the skill ${name} is not a text, and cannot be read.`, { cause: error });
  }
}
