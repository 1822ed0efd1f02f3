import type { RunEnd } from './play.ts';
import { type Story, answerOf, partsOf } from './stories.ts';
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
  /** Entries that were posted after the request to cancel was taken. undefined: the story has no cancel. */
  afterCancel?: number;
  /** Runs that came to their answer though the request was taken. */
  notCancelled?: number;
  /** Seconds from the request's acceptance until the run was cancelled. */
  secondsUntilOver?: number[];
  /** Messages that the model was never asked to answer, though the conversation has ended. undefined: the story has one message. */
  messagesLost?: number;
  /** Answers that do not know an earlier message of the conversation, or its answer. */
  unknowing?: number;
  /** Bytes that the runner's store grew by in runs without a kill, divided by their steps. undefined: the story does not weigh. */
  bytesAStep?: number;
  /** Seconds from each kill to the next request of the run, or its end. */
  secondsUntilNext: number[];
  /** Seconds from each kill until the program was ready again. */
  secondsUntilReady: number[];
}

export const emptyScore = ({ cancelsAt, messages }: Story): Score => ({
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
  ...(cancelsAt === undefined ? {} : { afterCancel: 0, notCancelled: 0, secondsUntilOver: [] }),
  ...(messages === undefined ? {} : { messagesLost: 0, unknowing: 0 }),
});

/** Adds a run that has ended, or whose time is over. */
export function addRun(score: Score, story: Story, end: RunEnd, world: World): void {
  const { run, message, state, reason, secondsUntilNext, secondsUntilReady } = end;
  const expected = partsOf(story);
  const posted = world.effects(run);
  score.runs += 1;
  if (secondsUntilNext !== undefined) score.secondsUntilNext.push(secondsUntilNext);
  if (secondsUntilReady !== undefined) score.secondsUntilReady.push(secondsUntilReady);
  score.doubled += posted.length - new Set(posted).size;
  score.paidTwice += [...world.replies(run).values()].reduce((sum, times) => sum + times - 1, 0);
  if (story.cancelsAt !== undefined) addCancel(score, end, posted.length);
  if (story.messages !== undefined) {
    score.messagesLost = (score.messagesLost ?? 0) + message - world.heard(run).size;
    score.unknowing = (score.unknowing ?? 0) + world.unknowing(run);
  }
  if (state === 'cancelled' || (state === 'done' && story.cancelsAt !== undefined)) return;
  if (state === 'done') {
    score.lost += expected.filter((part) => !posted.includes(part)).length;
    score.wrongAnswers += end.answers.filter((one, index) => one !== answerOf(story, index + 1)).length;
  } else if (state === 'failed') score.failed += 1;
  else if (state === 'waiting' && reason === 'doubt') score.inDoubt += 1;
  else score.stuck += 1;
}

/** Adds a run that was cancelled, or should have been. */
function addCancel(score: Score, { state, effectsAtCancel, secondsUntilOver }: RunEnd, posted: number): void {
  if (effectsAtCancel !== undefined) score.afterCancel = (score.afterCancel ?? 0) + posted - effectsAtCancel;
  if (state === 'done') score.notCancelled = (score.notCancelled ?? 0) + 1;
  if (state === 'cancelled' && secondsUntilOver !== undefined) score.secondsUntilOver?.push(secondsUntilOver);
}
