import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { pathOf, storedTimes } from './file-times.ts';

/**
 * The longest files first: the last to end should be a short one. Files that share a process come after the others, project by project, because vitest (4.1)
 * ends a worker when the next file is of another project, and a new one loads all modules again.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const stored = storedTimes();
    const sorted = await super.sort(files);
    const seconds = (file: TestSpecification) => stored[pathOf(file.moduleId)] ?? NEW_SECONDS;
    const longestOf = new Map<string, number>();
    for (const file of sorted)
      longestOf.set(groupOf(file), Math.max(longestOf.get(groupOf(file)) ?? 0, seconds(file)));
    const rank = (file: TestSpecification) =>
      groupOf(file) === OWN_PROCESS ? Infinity : (longestOf.get(groupOf(file)) ?? 0);
    return sorted.toSorted((a, b) => rank(b) - rank(a) || seconds(b) - seconds(a));
  }
}

const OWN_PROCESS = '';

/** Returns the name of the project whose files share processes. */
function groupOf({ project }: TestSpecification): string {
  return project.config.isolate ? OWN_PROCESS : project.name;
}

/** A file that is not in test/times.json yet may be long. */
const NEW_SECONDS = 10;
