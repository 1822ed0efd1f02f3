import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { pathOf, storedTimes } from './file-times.ts';

/** Files of all projects, the longest first: the last to end should be a short one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const stored = storedTimes();
    const sorted = await super.sort(files);
    const seconds = (file: TestSpecification) => stored[pathOf(file.moduleId)] ?? NEW_SECONDS;
    return sorted.toSorted((a, b) => seconds(b) - seconds(a));
  }
}

/** A file that is not in test/times.json yet may be long. */
const NEW_SECONDS = 10;
