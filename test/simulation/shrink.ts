import type { Sandbox } from './sdk.ts';
import { type Simulated, simulate } from './simulate.ts';

const MOST_TRIES = 300;

/**
 * Leaves out words, faults and runs of a failed simulation as long as the same law stays broken: half of them at once, then a quarter,
 * and at last each by itself. Returns the simulation with what is left.
 */
export async function shrink(sandbox: Sandbox, failed: Simulated): Promise<Simulated> {
  const { seed } = failed;
  const law = wordsOf(failed.problems[0] ?? '');
  let smallest = failed;
  let leftOut: ReadonlySet<string> = new Set();
  let tries = 0;
  for (
    let size = Math.ceil(failed.deeds.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    const deeds = smallest.deeds;
    for (let at = 0; at < deeds.length && tries < MOST_TRIES; at += size) {
      tries++;
      const tried = new Set([...leftOut, ...deeds.slice(at, at + size)]);
      const simulated = await simulate(sandbox, seed, tried);
      if (!simulated.problems.some((problem) => isAlike(law, wordsOf(problem)))) continue;
      smallest = simulated;
      leftOut = tried;
    }
  }
  return smallest;
}

/** Words of a sentence without numbers and names, which differ from one simulation to the next. */
function wordsOf(sentence: string): Set<string> {
  return new Set(sentence.slice(0, 200).match(/\b[a-z]{2,}\b(?!-)/gu));
}

/** Two sentences of one law share most of their words. */
function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared >= 0.6 * Math.max(one.size, other.size);
}
