import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Projects by how long their files take: the last to end should be a short one. */
const PROJECTS = ['docs', 'crash', 'workflow', 'replay', 'unit'];

/** Files in the order of their projects, and within one as Vitest has them: the largest, or last time longest, first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ project }: TestSpecification): number {
  const place = PROJECTS.indexOf(project.name);
  return place === -1 ? PROJECTS.length : place;
}
