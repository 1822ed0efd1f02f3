import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acquireServer } from '../../local/server/server.ts';
import { startBroker } from '../../test/support/brokers.ts';
import type { Contestant } from './contestants.ts';
import type { Score } from './judge.ts';
import { play } from './play.ts';
import { startProcess } from './process.ts';
import type { Story } from './stories.ts';
import { startWorld } from './world.ts';

export interface ContestOptions {
  stories: readonly Story[];
  /** Kills of each story, at its moments in turn. */
  kills: number;
  /** Variables of the contestant's process. */
  env?: { [name: string]: string };
  /** Seconds after which a run is stuck. Default: 60. */
  patience?: number;
  say(line: string): void;
}

export interface Result {
  contestant: string;
  story: string;
  score: Score;
}

/** Plays the stories with one contestant, on servers that nothing else uses. */
export async function compete(contestant: Contestant, options: ContestOptions): Promise<Result[]> {
  const { name, program, packages, needs, lacks = [] } = contestant;
  const { stories, kills, env: more = {}, patience = 60, say } = options;
  const folder = await mkdtemp(join(tmpdir(), 'reloop-durability-'));
  const stops: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const world = await startWorld();
    stops.push(() => world.stop());
    const env: { [name: string]: string } = { DURABILITY_URL: world.url, DURABILITY_STATE: folder, ...more };
    if (needs.includes('temporal')) {
      const server = await acquireServer({ stateDir: folder, ephemeral: true, onProgress: say });
      stops.push(() => server.release());
      env['TEMPORAL_ADDRESS'] = server.address;
    }
    if (needs.includes('postgres')) {
      const postgres = await startBroker('postgres');
      stops.push(() => postgres.stop());
      env['POSTGRES_URL'] = postgres.url;
    }
    const node = packages && pathOf(`${packages}/node_modules/node/bin/node`);
    const process = await startProcess(program, env, node);
    stops.push(() => process.stop());
    const results: Result[] = [];
    for (const story of stories) {
      if (lacks.includes(story.name)) continue;
      const score = await play(process, story, { kills, patience }, world, (kill, end, run) =>
        say(
          `${name} ${run}: killed at ${kill.moment} ${kill.time}: ${end.reason ?? end.error ?? end.answer ?? end.state}`,
        ),
      );
      results.push({ contestant: name, story: story.name, score });
    }
    return results;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

export const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
