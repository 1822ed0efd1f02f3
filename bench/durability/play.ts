import { setTimeout as sleep } from 'node:timers/promises';
import { type Score, addRun, emptyScore } from './judge.ts';
import type { ContestantProcess, RunState } from './process.ts';
import type { Servers } from './servers.ts';
import { type Story, question } from './stories.ts';
import { type Moment, type World, moments } from './world.ts';

const LOOK_MS = 100;

export interface Kill {
  moment: Moment;
  /** Count of the moment among those of its kind, from 1. */
  time: number;
}

/** End of a run, with the seconds from the kill to its next request. */
export interface RunEnd extends RunState {
  run: string;
  secondsUntilNext: number | undefined;
  /** Seconds from the kill until the program was ready again. */
  secondsUntilReady: number | undefined;
}

/** Processes with which a story is played. */
export interface Stage {
  contestant: ContestantProcess;
  servers: Servers;
  world: World;
  /** Seconds without a request after which a run is stuck. */
  patience: number;
}

/** Moments of a story at which its contestant is killed, each once, in their order. */
export function killsOf(story: Story): Kill[] {
  const asked = story.steps.length + 1;
  const posted = story.steps.flat().length;
  const kills = moments.flatMap((moment) =>
    Array.from({ length: moment.startsWith('model') ? asked : posted }, (_, index) => ({
      moment,
      // In a batch, in the middle of it.
      time: Math.ceil((index + 1) * (story.runs ?? 1) * (story.runs === undefined ? 1 : 0.5)),
    })),
  );
  return story.needsApproval === true ? [{ moment: 'waiting', time: 1 }, ...kills] : kills;
}

/** Plays a story once for each of so many kills, one after the other. */
export async function play(
  stage: Stage,
  story: Story,
  kills: number,
  onRun: (kill: Kill, end: RunEnd) => void,
): Promise<Score> {
  const score = emptyScore();
  const planned = killsOf(story);
  for (let place = 0; place < kills; place++) {
    const kill = planned[momentAt(place, kills, planned.length)] ?? { moment: 'waiting', time: 1 };
    const stamp = Date.now().toString(36);
    const runs = Array.from({ length: story.runs ?? 1 }, (_, n) => `${story.name}.${place}.${n}.${stamp}`);
    for (const end of await playOnce(stage, story, runs, kill, score)) {
      addRun(score, story, end, stage.world);
      onRun(kill, end);
    }
  }
  return score;
}

/** Each moment in turn; fewer kills than there are moments are spread over all of them. */
function momentAt(place: number, kills: number, all: number): number {
  return kills < all ? Math.floor((place * all) / kills) : place % all;
}

async function playOnce(
  { contestant, servers, world, patience }: Stage,
  story: Story,
  runs: readonly string[],
  kill: Kill,
  score: Score,
): Promise<RunEnd[]> {
  let left = kill.time;
  let killedAt: number | undefined;
  let secondsUntilReady: number | undefined;
  let lifeAt = Date.now();
  let restarted: Promise<void> | undefined;
  const nexts = new Map<string, number>();
  const states = new Map<string, RunState>();
  const secondsSinceKill = () =>
    killedAt === undefined ? undefined : Math.round((Date.now() - killedAt) / 100) / 10;
  const isOver = () => Date.now() > lifeAt + patience * 1000;
  /** Asks until there is an answer, as a client does. */
  const ask = async (run: string): Promise<void> => {
    while (!isOver()) {
      try {
        await restarted?.catch(() => undefined);
        return await contestant.start(run, question(story.name, run));
      } catch {
        await sleep(LOOK_MS);
      }
    }
  };
  /** The client has no answer, and asks again. */
  const askAgain = () => {
    for (const run of runs) if (!states.has(run)) void ask(run);
  };
  const die = () => {
    if (story.kills !== 'servers') contestant.kill();
    killedAt = Date.now();
    score.kills += 1;
    restarted = (async () => {
      if (story.kills === 'servers') await servers.restart();
      await contestant.restart();
      secondsUntilReady = secondsSinceKill();
      lifeAt = Date.now();
    })();
    restarted.catch(() => undefined);
    askAgain();
  };
  const goesOn = (run: string) => {
    const seconds = secondsSinceKill();
    if (seconds !== undefined && !nexts.has(run)) nexts.set(run, seconds);
  };
  world.onMoment(async (run, moment) => {
    if (!runs.includes(run)) return;
    lifeAt = Date.now();
    if (moment === 'model asked' || moment === 'effect begun') goesOn(run);
    if (moment !== kill.moment || killedAt !== undefined) return;
    left -= 1;
    if (left > 0) return;
    die();
    await restarted?.catch(() => undefined);
  });
  /** Reads the run, and approves it where it waits for that. Returns its state when it has ended. */
  const look = async (run: string): Promise<RunState | undefined> => {
    const state = (await contestant.read(run)) ?? { state: 'running' };
    if (state.state === 'running') return undefined;
    if (state.state !== 'waiting' || state.reason !== 'approval') return state;
    if (kill.moment === 'waiting' && killedAt === undefined) {
      die();
      await restarted;
    } else await contestant.approve(run).catch(() => undefined); // asked again at the next look
    return undefined;
  };
  await Promise.all(runs.map(ask));
  while (states.size < runs.length && !isOver()) {
    await restarted?.catch(() => undefined);
    if (await contestant.restart().catch(() => false)) askAgain();
    for (const run of runs.filter((one) => !states.has(one))) {
      const state = await look(run);
      if (state !== undefined) states.set(run, state);
    }
    await sleep(LOOK_MS);
  }
  return runs.map((run) => {
    goesOn(run);
    const state: RunState = states.get(run) ?? { state: 'running' };
    return { ...state, run, secondsUntilNext: nexts.get(run), secondsUntilReady };
  });
}
