import { type Habits, sayWord, speaker } from './operator.ts';
import type { Random } from './random.ts';
import type { Stage } from './run-lives.ts';
import { isCalm, sleep } from './virtual-time.ts';

/** Speaks to the sub-agents of a run by their own ids, and leaves none of them paused. */
export async function speakToChildren(
  { client, words, onlooker, children, profile }: Stage,
  id: string,
  random: Random,
  over: AbortSignal,
): Promise<void> {
  const paused = new Set<string>();
  while (!over.aborted) {
    await sleep(random.int(50, 3000));
    const open = children(id);
    if (over.aborted || open.length === 0) continue;
    const run = client.get(random.of(open));
    const seen = onlooker.before(run.id);
    const report = await run.describe();
    onlooker.look(report, seen);
    const speak = speaker(run.id, words);
    if (isCalm()) {
      // The parent may be paused, and the sub-agent with it.
      if (report.status === 'paused') await speak({ type: 'resume' }, () => run.resume());
      continue;
    }
    if (!random.may('word to a sub-agent')) continue;
    const isPaused = await sayWord(run, report, random.fork(), speak, paused.has(run.id), {
      ...toSubAgents,
      ...profile.habits,
    });
    if (isPaused) paused.add(run.id);
    else paused.delete(run.id);
  }
}

/** Shares of the words to a sub-agent: larger than those to a run, because a sub-agent ends soon. */
const toSubAgents: Habits = {
  say: 0.15,
  pause: 0.1,
  cancel: 0.03,
  rewind: 0.1,
  cancelCall: 0.05,
  haste: 0,
  burst: 0,
  study: 0.3,
  slow: 0,
  all: 0.3,
  retry: 0.3,
  end: 0.2,
  remember: 0.2,
};
