import type { RunEnd } from './play.ts';
import type { Story } from './stories.ts';
import type { World } from './world.ts';

/** Counts of the suite, for one contestant and story. */
export interface Score {
  runs: number;
  /** Processes that were killed. A moment that a run does not come to kills nobody. */
  kills: number;
  /** Entries that were posted more often than once. */
  doubled: number;
  /** Entries that are missing though the run has its answer. */
  lost: number;
  /** Runs that ask a person whether an effect was made. */
  inDoubt: number;
  /** Whole replies of the model that a run asked for more often than once. */
  paidTwice: number;
  wrongAnswers: number;
  failed: number;
  /** Runs that had neither ended nor asked within the time. */
  stuck: number;
  /** Seconds from each kill to the next request of the run, or its end. */
  secondsUntilNext: number[];
  /** Seconds from each kill until the program was ready again. */
  secondsUntilReady: number[];
}

export const emptyScore = (): Score => ({
  runs: 0,
  kills: 0,
  doubled: 0,
  lost: 0,
  inDoubt: 0,
  paidTwice: 0,
  wrongAnswers: 0,
  failed: 0,
  stuck: 0,
  secondsUntilNext: [],
  secondsUntilReady: [],
});

/** Adds a run that has ended, or whose time is over. */
export function addRun(
  score: Score,
  story: Story,
  { run, state, reason, answer, secondsUntilNext, secondsUntilReady }: RunEnd,
  world: World,
): void {
  const expected = story.steps.flat().map(({ part }) => part);
  const posted = world.effects(run);
  score.runs += 1;
  if (secondsUntilNext !== undefined) score.secondsUntilNext.push(secondsUntilNext);
  if (secondsUntilReady !== undefined) score.secondsUntilReady.push(secondsUntilReady);
  score.doubled += posted.length - new Set(posted).size;
  score.paidTwice += [...world.replies(run).values()].reduce((sum, times) => sum + times - 1, 0);
  if (state === 'done') {
    score.lost += expected.filter((part) => !posted.includes(part)).length;
    if (answer !== story.answer) score.wrongAnswers += 1;
  } else if (state === 'failed') score.failed += 1;
  else if (state === 'waiting' && reason === 'doubt') score.inDoubt += 1;
  else score.stuck += 1;
}
