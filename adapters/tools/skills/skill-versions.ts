import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SkillManifest } from '../../../agent/definition/skills.ts';
import type { Skill } from './read-skills.ts';
import { type SkillFiles, readSkillFiles } from './skill-files.ts';

/** A run's version of a skill is not on this machine. Retried: another worker may have it. */
class SkillChanged extends Error {
  override name = 'SkillChanged';
}

/** Finds the version of a skill that a run began with. */
export interface SkillVersions {
  /** Throws SkillChanged. */
  find(skill: SkillManifest): SkillFiles;
  /** Copies the loaded versions to the folder of copies, by digest. A copy that cannot be written is reported, and left out. */
  keep(onWarning: (text: string) => void): void;
}

/** `copies`: the folder of this machine in which each version that was loaded stays. */
export function createSkillVersions(loaded: readonly Skill[], copies: string): SkillVersions {
  return {
    find({ name, digest }) {
      const own = loaded.filter((skill) => skill.name === name).map(({ folder }) => folder);
      const copy = join(copies, digest);
      for (const folder of [copy, ...own]) {
        const files = versionIn(folder, digest);
        if (files === undefined) continue;
        if (folder !== copy && existsSync(copy)) repairCopy(files, copy);
        return files;
      }
      const where = own[0] === undefined ? '' : ` into ${own[0]}`;
      throw new SkillChanged(
        `The skill ${name} has changed since this run began, and this machine has no copy of the version ${digest}. Put that version back${where} and retry the call, or resolve it with the text of the skill.`,
      );
    },

    keep(onWarning) {
      try {
        for (const skill of loaded) keepCopy(skill, join(copies, skill.digest));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        onWarning(
          `Skills cannot be copied to ${copies}: runs that are under way cannot read a skill that changes. ${reason}`,
        );
      }
    },
  };
}

/** undefined: the folder is not there, or has another version, or is damaged. Then the version is looked for elsewhere. */
function versionIn(folder: string, digest: string): SkillFiles | undefined {
  try {
    const files = readSkillFiles(folder);
    return files.digest === digest ? files : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a damaged copy. Where it cannot be written, the folder of the skill still has the version. */
function repairCopy(files: SkillFiles, copy: string): void {
  try {
    keepCopy(files, copy);
  } catch {
    // The start of the worker has warned that copies cannot be written.
  }
}

/** A copy is whole or not there, also if several workers write it. A damaged one is replaced. */
function keepCopy({ folder, paths, digest }: SkillFiles, copy: string): void {
  if (versionIn(copy, digest) !== undefined) return;
  // Workers in containers may have the same process id and a shared folder.
  const draft = `${copy}.${randomUUID()}.new`;
  try {
    for (const path of paths) {
      const file = join(draft, path);
      mkdirSync(dirname(file), { recursive: true });
      copyFileSync(join(folder, path), file);
    }
    // A file that was saved meanwhile is another version.
    if (readSkillFiles(draft).digest !== digest) return;
    rmSync(copy, { recursive: true, force: true });
    renameSync(draft, copy);
  } catch (error) {
    if (versionIn(copy, digest) === undefined) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
