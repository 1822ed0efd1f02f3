import { setTimeout as sleep } from 'node:timers/promises';
import { Canceller } from './cancel.ts';
import { type Score, addRun, emptyScore } from './judge.ts';
import { type Kill, killOf } from './kills.ts';
import type { ContestantProcess, RunState } from './process.ts';
import type { Servers } from './servers.ts';
import { type Story, question } from './stories.ts';
import type { World } from './world.ts';

const LOOK_MS = 100;

/** End of a run, with the seconds from the kill to its next request. */
export interface RunEnd extends RunState {
  run: string;
  /** The last message that was sent, from 1. */
  message: number;
  /** Answers to the messages, in their order. */
  answers: readonly (string | undefined)[];
  secondsUntilNext: number | undefined;
  /** Seconds from the kill until the program was ready again. */
  secondsUntilReady: number | undefined;
  /** Entries that the run had posted when its cancel was accepted. */
  effectsAtCancel?: number | undefined;
  /** Seconds from there to the run's end. */
  secondsUntilOver?: number | undefined;
}

/** Processes with which a story is played. */
export interface Stage {
  contestant: ContestantProcess;
  servers: Servers;
  world: World;
  /** Seconds without a request after which a run is stuck. */
  patience: number;
}

export type OnRun = (kill: Kill, end: RunEnd) => void;

/** Plays a story once for each of so many kills, one after the other. */
export async function play(stage: Stage, story: Story, kills: number, onRun: OnRun): Promise<Score> {
  const score = emptyScore(story);
  for (let place = 0; place < kills; place++) {
    const kill = killOf(story, place, kills);
    const stamp = Date.now().toString(36);
    const runs = Array.from({ length: story.runs ?? 1 }, (_, n) => `${story.name}.${place}.${n}.${stamp}`);
    for (const end of await playOnce(stage, story, runs, kill, score)) {
      addRun(score, story, end, stage.world);
      onRun(kill, end);
    }
  }
  return score;
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
  const answers = new Map(runs.map((run): [string, (string | undefined)[]] => [run, []]));
  const messageOf = (run: string) => Math.min((answers.get(run)?.length ?? 0) + 1, story.messages ?? 1);
  const nexts = new Map<string, number>();
  const states = new Map<string, RunState>();
  const secondsSinceKill = () =>
    killedAt === undefined ? undefined : Math.round((Date.now() - killedAt) / 100) / 10;
  const isOver = () => Date.now() > lifeAt + patience * 1000;
  /** Asks until there is an answer, as a client does. */
  const ask = async (run: string): Promise<void> => {
    const message = messageOf(run);
    while (!isOver()) {
      try {
        await restarted?.catch(() => undefined);
        return await contestant.start(run, message, question(story.name, run, message));
      } catch {
        await sleep(LOOK_MS);
      }
    }
  };
  /** The client has no answer, and asks again. One that has asked to cancel does not. */
  const askAgain = () => {
    for (const run of runs) if (!states.has(run) && !canceller.isAsked) void ask(run);
  };
  const die = () => {
    if (story.kills !== 'servers') contestant.kill();
    killedAt = Date.now();
    score.kills += 1;
    restarted = (async () => {
      if (story.kills === 'servers') await servers.restart();
      await contestant.restart(story.deploys === true ? { DURABILITY_DEPLOY: '2' } : undefined);
      secondsUntilReady = secondsSinceKill();
      lifeAt = Date.now();
    })();
    restarted.catch(() => undefined);
    askAgain();
  };
  /** Kills at one of the client's own moments. Returns true if this is the one. */
  const dieAt = async (moment: Kill['moment']): Promise<boolean> => {
    if (moment !== kill.moment || killedAt !== undefined || --left > 0) return false;
    die();
    await restarted?.catch(() => undefined);
    return true;
  };
  const canceller = new Canceller({ contestant, world, isOver, dieAt });
  const goesOn = (run: string) => {
    const seconds = secondsSinceKill();
    if (seconds !== undefined && !nexts.has(run)) nexts.set(run, seconds);
  };
  world.onMoment(async (run, moment, part) => {
    if (!runs.includes(run)) return;
    lifeAt = Date.now();
    if (moment === 'model asked' || moment === 'effect begun') goesOn(run);
    if (await dieAt(moment)) return;
    if (part !== undefined && part === story.cancelsAt) await canceller.cancel(run);
  });
  /** Reads the run, and approves it where it waits for that. Returns its state when it has ended. */
  const look = async (run: string): Promise<RunState | undefined> => {
    const state = (await contestant.read(run, messageOf(run))) ?? { state: 'running' };
    if (state.state === 'running') return undefined;
    if (state.state === 'done') answers.get(run)?.push(state.answer);
    if (state.state === 'done' && (answers.get(run)?.length ?? 0) < (story.messages ?? 1)) {
      lifeAt = Date.now();
      if (!(await dieAt('between messages'))) void ask(run); // after a death, the client has asked again
      return undefined;
    }
    if (state.state !== 'waiting' || state.reason !== 'approval') return state;
    if (!(await dieAt('waiting'))) await contestant.approve(run).catch(() => undefined); // asked again at the next look
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
  const cancelled = await canceller.end();
  // A kill that came after the end would fall into the next run.
  world.onMoment(() => undefined);
  await restarted?.catch(() => undefined);
  if (story.deploys === true) await redeploy(contestant);
  return runs.map((run) => {
    goesOn(run);
    const state: RunState = states.get(run) ?? { state: 'running' };
    const message = messageOf(run);
    const ended = { run, message, answers: answers.get(run) ?? [], secondsUntilNext: nexts.get(run) };
    return { ...state, ...ended, secondsUntilReady, ...cancelled };
  });
}

/** Goes back to the first version of the program. */
async function redeploy(contestant: ContestantProcess): Promise<void> {
  contestant.kill();
  await contestant.restart({});
}
