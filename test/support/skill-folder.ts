import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a skill's SKILL.md, and its other files, into a sub-folder of its name. */
export function writeSkill(
  folder: string,
  name: string,
  { description = `Knows about ${name}.`, body = `Do it as ${name} does.`, files = {} }: SkillParts = {},
): void {
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n${body}\n`;
  for (const [path, content] of Object.entries({ 'SKILL.md': text, ...files })) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

interface SkillParts {
  description?: string;
  body?: string;
  files?: { [path: string]: string | Uint8Array };
}
