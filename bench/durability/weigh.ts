import { setTimeout as sleep } from 'node:timers/promises';
import type { Score } from './judge.ts';
import { type OnRun, type Stage, play } from './play.ts';
import type { Story } from './stories.ts';

/** Time in which a store writes what it writes late. */
const LATE_MS = 3000;

/**
 * Plays a story that nobody kills, and weighs the runner's store before and after. The first runs are not weighed: they make tables and
 * files.
 */
export async function weigh(
  stage: Stage,
  story: Story,
  runs: number,
  bytes: () => Promise<number>,
  onRun: OnRun,
): Promise<Score> {
  const settled = async () => {
    await sleep(LATE_MS);
    return bytes();
  };
  await play(stage, story, 2, onRun);
  const before = await settled();
  const score = await play(stage, story, runs, onRun);
  const bytesAStep = Math.round(((await settled()) - before) / (runs * story.steps.length));
  return { ...score, bytesAStep };
}
