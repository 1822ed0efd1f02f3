import { workflowCode } from '../support/workflow-code.ts';
import type { Sandbox } from './sdk.ts';
import { loadSandbox, simulate } from './simulate.ts';

export interface Seeds {
  /** Repeats a seed. Returns sentences on laws that were broken, with the command that repeats it. */
  problemsOf(seed: number): Promise<string[]>;
  storyOf(seed: number): Promise<string[]>;
  /** Runs seeds that no test had before, for so many seconds of real time. Returns the problems of the first one that has any. */
  problemsOfFresh(seconds: number): Promise<string[]>;
}

export async function loadSeeds(): Promise<Seeds> {
  const sandbox: Sandbox = await loadSandbox(await workflowCode());
  // Modules that are imported late are there from now on: an import takes real time, in which the virtual clock goes on.
  await simulate(sandbox, 1);
  const problemsOf = async (seed: number) =>
    (await simulate(sandbox, seed)).problems.map(
      (problem) => `${problem}\nRepeat: npm run simulate -- --seed ${seed} --runs 1 --shrink`,
    );
  return {
    problemsOf,
    storyOf: async (seed) => (await simulate(sandbox, seed)).story,
    async problemsOfFresh(seconds) {
      const first = Date.now() % 1_000_000_000;
      const end = performance.now() + seconds * 1000;
      let seed = first;
      let problems: string[];
      do problems = await problemsOf(seed++);
      while (problems.length === 0 && performance.now() < end);
      console.log(`simulation: seeds ${first} to ${seed - 1}`);
      return problems;
    },
  };
}
