import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillManifest } from '../../../agent/definition/skills.ts';
import { frontMatter } from './skill-text.ts';
import { readSkillFiles } from './skill-files.ts';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const NAME_CHARS = 64;
const DESCRIPTION_CHARS = 1_024;
export const SKILL_FILE = 'SKILL.md';

/** A skill as it lies in its folder now. */
export interface Skill extends SkillManifest {
  folder: string;
  paths: string[];
}

/**
 * Reads the skills of a folder: its sub-folders with a SKILL.md, by name. Throws an Error that names the file, its problem
 * and the remedy.
 */
export function readSkills(folder: string): Skill[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`there is no folder ${folder}. Make it, or name another one.`);
  const skills = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && existsSync(join(folder, entry.name, SKILL_FILE)))
    .map((entry) => {
      const own = join(folder, entry.name);
      if (entry.isSymbolicLink())
        throw new Error(`${own} is a link, which may lead out of the folder. Put a copy of the skill there.`);
      return readSkill(own, entry.name);
    });
  if (skills.length === 0)
    throw new Error(`${folder} has no sub-folder with a ${SKILL_FILE}. Write one, or leave skills out.`);
  return skills.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function readSkill(folder: string, named: string): Skill {
  const { paths, digest } = readSkillFiles(folder);
  const file = join(folder, SKILL_FILE);
  if (!paths.includes(SKILL_FILE))
    throw new Error(`${file} is a folder. Write the instructions into a file of this name.`);
  const { name, description } = frontMatter(readFileSync(file, 'utf8'), file);
  if (typeof name !== 'string' || !NAME.test(name) || name.length > NAME_CHARS) {
    throw new Error(
      `${file}: its name is not at most ${NAME_CHARS} lower-case letters, digits and single hyphens. Write name: ${slugOf(named)}, and call its folder so.`,
    );
  }
  if (name !== named) {
    throw new Error(`${file}: its name is ${name}, and its folder's is ${named}. Rename one of them.`);
  }
  const text = typeof description === 'string' ? description.replaceAll(/\s+/gu, ' ').trim() : '';
  if (text === '' || text.length > DESCRIPTION_CHARS) {
    throw new Error(
      `${file}: its description is not a text of 1 to ${DESCRIPTION_CHARS} characters. Say in it when the skill is of use: the model chooses by it.`,
    );
  }
  return { name, description: text, digest, folder, paths };
}

/** A name that fits, close to the one that does not. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
  return slug === '' ? 'my-skill' : slug.slice(0, NAME_CHARS);
}
