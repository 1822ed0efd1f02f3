import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderBytes } from './bytes.ts';
import { type Contestant, nodeOf } from './contestants.ts';
import type { Score } from './judge.ts';
import { type OnRun, type RunEnd, play } from './play.ts';
import { startProcess } from './process.ts';
import { startServers } from './servers.ts';
import type { Story } from './stories.ts';
import { versionsOf } from './versions.ts';
import { weigh } from './weigh.ts';
import { startWorld } from './world.ts';

export interface ContestOptions {
  stories: readonly Story[];
  /** Kills of each story, at its moments in turn. */
  kills: number;
  /** Variables of the contestant's process. */
  env?: { [name: string]: string };
  /** Seconds without a request after which a run is stuck. Default: 60. */
  patience?: number;
  say(line: string): void;
}

export interface Result {
  contestant: string;
  story: string;
  /** Day of the run, as YYYY-MM-DD. */
  date: string;
  /** Versions of the products, and of what they ran on. */
  versions: { [name: string]: string };
  score: Score;
}

/** Plays the stories with one contestant, on servers that nothing else uses. */
export async function compete(contestant: Contestant, options: ContestOptions): Promise<Result[]> {
  const { name, program, needs, lacks = [] } = contestant;
  const { stories, kills, env: more = {}, patience = 60, say } = options;
  const folder = await mkdtemp(join(tmpdir(), 'reloop-durability-'));
  const stops: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const world = await startWorld();
    stops.push(() => world.stop());
    const servers = await startServers(needs, say);
    stops.push(() => servers.stop());
    const versions = { ...(await versionsOf(contestant)), ...servers.versions };
    const env = { DURABILITY_URL: world.url, DURABILITY_STATE: folder, ...servers.env, ...more };
    const process = await startProcess(program, env, nodeOf(contestant));
    stops.push(() => process.stop());
    const results: Result[] = [];
    for (const story of stories) {
      if (lacks.includes(story.name) || (story.kills === 'servers' && needs.length === 0)) continue;
      const date = new Date().toISOString().slice(0, 10);
      const stage = { contestant: process, servers, world, patience };
      const bytes = async () => (await servers.bytes()) + (await folderBytes(folder));
      const onRun: OnRun = ({ moment, time }, end) => {
        const killed = story.weighs === true ? '' : ` killed at ${moment} ${time}:`;
        say(`${name} ${end.run}:${killed} ${toldEnd(end)}`);
      };
      const score = story.weighs
        ? await weigh(stage, story, kills, bytes, onRun)
        : await play(stage, story, kills, onRun);
      results.push({ contestant: name, story: story.name, date, versions, score });
    }
    return results;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

function toldEnd({ state, reason, error, answer, secondsUntilNext, secondsUntilReady }: RunEnd): string {
  const after =
    secondsUntilNext === undefined
      ? ''
      : `, went on after ${secondsUntilNext} s, ready after ${secondsUntilReady ?? '?'} s`;
  return `${reason ?? error ?? answer ?? state}${after}`;
}
