import { describe, expect, test } from 'vitest';
import { type ContestOptions, compete } from '../../bench/durability/contest.ts';
import { contestants, fake } from '../../bench/durability/contestants.ts';
import type { Score } from '../../bench/durability/judge.ts';
import { killsOf } from '../../bench/durability/kills.ts';
import { storyOf } from '../../bench/durability/stories.ts';

/** The durability suite of bench/durability: it finds the faults that it counts, and Reloop in a short form. */

const say = () => undefined;
const kills = (story: string) => killsOf(storyOf(story));

async function scoreOf(fault: string, story: string, options: Partial<ContestOptions> = {}): Promise<Score> {
  const env = { DURABILITY_FAULT: fault };
  const usual = { stories: [storyOf(story)], kills: kills(story).length, env, say };
  const [result] = await compete(fake, { ...usual, ...options });
  if (result === undefined) throw new Error('No story was played.');
  return result.score;
}

/**
 * Faults that a story counted. A reply that was sent whole right before the death may not have been stored: being paid twice for is no fault of the
 * runner there, and the run may also have ended before the kill.
 */
function faults({
  kills: _,
  runs,
  secondsUntilNext,
  secondsUntilReady,
  secondsUntilOver: __,
  paidTwice,
  ...counted
}: Score): object {
  return Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0));
}

describe('the suite', () => {
  test.each(['payment', 'keyed-payment', 'parallel', 'approval', 'sub-agent', 'deploy'])(
    'finds nothing wrong with a runner without faults: %s',
    async (story) => {
      const score = await scoreOf('', story);
      const answered = kills(story).filter(({ moment }) => moment === 'model answered').length;
      expect(faults(score)).toEqual({});
      expect(score.paidTwice).toBeLessThanOrEqual(answered);
      expect(score.kills).toBeGreaterThanOrEqual(score.runs - answered);
    },
  );

  test.each([
    ['doubles', 'doubled'],
    ['loses', 'lost'],
    ['answers-wrong', 'wrongAnswers'],
  ])('finds a runner that %s', async (fault, found) => {
    expect(Object.keys(faults(await scoreOf(fault, 'payment')))).toEqual([found]);
  });

  test.each([
    ['conversation', 6],
    ['cancel', 4],
  ])('finds nothing wrong with a runner without faults, in fewer kills: %s', async (story, kills) => {
    expect(faults(await scoreOf('', story, { kills }))).toEqual({});
  });

  test.each([
    ['drops-messages', 'conversation', { lost: 1, messagesLost: 1 }],
    ['forgets-answers', 'conversation', { unknowing: 9 }],
    ['posts-after-cancel', 'cancel', { afterCancel: 1 }],
    ['ignores-cancel', 'cancel', { afterCancel: 2, notCancelled: 1 }],
  ])('finds a runner that %s', async (fault, story, found) => {
    expect(faults(await scoreOf(fault, story, { kills: 1 }))).toEqual(found);
  });

  test('finds a runner that forgets its runs', async () => {
    expect(faults(await scoreOf('forgets', 'payment', { kills: 2, patience: 5 }))).toEqual({ stuck: 2 });
  });

  test('finds a runner that forgets what its sub-agent has done', async () => {
    const found = faults(await scoreOf('forgets-sub-agents', 'sub-agent', { kills: 15 }));
    expect(Object.keys(found)).toEqual(['doubled']);
  });

  test('finds a runner that strands the runs of an earlier version', async () => {
    const found = faults(await scoreOf('strands-old-runs', 'deploy', { kills: 1, patience: 5 }));
    expect(found).toEqual({ stuck: 1 });
  });

  test('weighs what a runner stores for a step', async () => {
    const [usual = 0, hoarding = 0] = await Promise.all(
      ['', 'hoards'].map(async (fault) => (await scoreOf(fault, 'storage', { kills: 2 })).bytesAStep),
    );
    expect(usual).toBeGreaterThan(0);
    expect(hoarding - usual).toBeGreaterThan(9000);
    expect(hoarding - usual).toBeLessThan(11_000);
  });

  test('finds a runner that pays for each reply twice', async () => {
    const { paidTwice, runs } = await scoreOf('pays-twice', 'payment', { kills: 3 });
    expect(paidTwice).toBeGreaterThanOrEqual(2 * runs);
  });
});

test.each(contestants.filter(({ packages }) => packages === undefined))(
  '$name doubles and loses nothing in the short form',
  async (contestant) => {
    const chosen = ['payment', 'approval'].map(storyOf);
    const results = await compete(contestant, { stories: chosen, kills: 3, say });
    expect(results.map(({ score }) => faults(score))).toEqual([{}, {}]);
  },
);
