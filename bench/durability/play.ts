import { setTimeout as sleep } from 'node:timers/promises';
import { type Score, addRun, emptyScore } from './judge.ts';
import type { ContestantProcess, RunState } from './process.ts';
import { type Story, question } from './stories.ts';
import { type Moment, type World, moments } from './world.ts';

const LOOK_MS = 100;

interface Kill {
  moment: Moment;
  /** Count of the moment among those of its kind in the run, from 1. */
  time: number;
}

/** End of a run, with the seconds from its kill to its next request. */
export interface RunEnd extends RunState {
  secondsUntilNext: number | undefined;
  /** Seconds from its kill until the program was ready again. */
  secondsUntilReady: number | undefined;
}

/** Moments of a story at which its contestant is killed, each once, in their order. */
export function killsOf(story: Story): Kill[] {
  const asked = story.steps.length + 1;
  const posted = story.steps.flat().length;
  const kills = moments.flatMap((moment) =>
    Array.from({ length: moment.startsWith('model') ? asked : posted }, (_, index) => ({
      moment,
      time: index + 1,
    })),
  );
  return story.needsApproval === true ? [{ moment: 'waiting', time: 1 }, ...kills] : kills;
}

/**
 * Runs a story once for each of so many kills, one run at a time. A run that takes longer than `patience`, in seconds from the time at which the
 * program is ready, is stuck.
 */
export async function play(
  contestant: ContestantProcess,
  story: Story,
  { kills, patience }: { kills: number; patience: number },
  world: World,
  onRun: (kill: Kill, end: RunEnd, run: string) => void,
): Promise<Score> {
  const score = emptyScore();
  const planned = killsOf(story);
  for (let place = 0; place < kills; place++) {
    const kill = planned[momentAt(place, kills, planned.length)] ?? { moment: 'waiting', time: 1 };
    const run = `${story.name}.${place}.${Date.now().toString(36)}`;
    const end = await runOnce(contestant, story, run, { ...kill, patience }, world, score);
    addRun(score, story, run, end, world);
    onRun(kill, end, run);
  }
  return score;
}

/** Each moment in turn; fewer kills than there are moments are spread over all of them. */
function momentAt(place: number, kills: number, all: number): number {
  return kills < all ? Math.floor((place * all) / kills) : place % all;
}

async function runOnce(
  contestant: ContestantProcess,
  story: Story,
  run: string,
  kill: Kill & { patience: number },
  world: World,
  score: Score,
): Promise<RunEnd> {
  let left = kill.time;
  let killedAt: number | undefined;
  let secondsUntilNext: number | undefined;
  let secondsUntilReady: number | undefined;
  let deadline = Date.now() + kill.patience * 1000;
  let restarted: Promise<void> | undefined;
  const die = () => {
    contestant.kill();
    killedAt = Date.now();
    score.kills += 1;
    restarted = (async () => {
      await contestant.restart();
      secondsUntilReady = secondsSinceKill();
      deadline = Date.now() + kill.patience * 1000;
      // The client had no answer, and asks again.
      await contestant.start(run, question(story.name, run));
    })();
    restarted.catch(() => undefined);
  };
  const secondsSinceKill = () =>
    killedAt === undefined ? undefined : Math.round((Date.now() - killedAt) / 100) / 10;
  const goesOn = () => {
    secondsUntilNext ??= secondsSinceKill();
  };
  world.onMoment(async (of, moment) => {
    if (of !== run) return;
    if (moment === 'model asked' || moment === 'effect begun') goesOn();
    if (moment !== kill.moment || killedAt !== undefined) return;
    left -= 1;
    if (left > 0) return;
    die();
    await restarted?.catch(() => undefined);
  });
  await contestant.start(run, question(story.name, run)).catch(() => undefined); // killed in it
  let state: RunState = { state: 'running' };
  while (Date.now() < deadline) {
    await restarted?.catch(() => undefined);
    state = (await contestant.read(run)) ?? { state: 'running' };
    if (state.state === 'done' || state.state === 'failed') break;
    if (state.state === 'waiting') {
      if (state.reason !== 'approval') break;
      if (kill.moment === 'waiting' && killedAt === undefined) {
        die();
        await restarted;
        continue;
      }
      await contestant.approve(run).catch(() => undefined); // asked again below
    }
    await sleep(LOOK_MS);
  }
  goesOn();
  return { ...state, secondsUntilNext, secondsUntilReady };
}
