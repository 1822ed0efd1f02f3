import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentClient } from '../../client/index.ts';
import { promote, ramp } from '../../cli/deploy/route-runs.ts';
import type { Random } from '../simulation/random.ts';

/** Versions of the three workers. */
export const VERSIONS = ['1', '2', '1'] as const;

interface DeployOptions {
  client: AgentClient;
  random: Random;
  /** Counts a deploy, and says it. */
  did(what: string): void;
  /** Ends the deploys. */
  signal: AbortSignal;
}

const placeOf = ({ temporal: client, taskQueue }: AgentClient) => ({ client, name: taskQueue, taskQueue });

/** Gives one half of the first runs the one version, and the other half the other one. */
export async function deployFirst(client: AgentClient): Promise<void> {
  await promote(placeOf(client), '1');
  await ramp(placeOf(client), '2', 50);
}

/** Promotes and ramps the versions in turn until the signal. A version without workers, and a server that does not answer, are refusals. */
export async function playDeploys({ client, random, did, signal }: DeployOptions): Promise<void> {
  const place = placeOf(client);
  const attempt = (what: string, change: Promise<unknown>) =>
    change.then(
      () => did(what),
      () => did('a deploy was refused'),
    );
  for (let turn = 0; !signal.aborted; turn++) {
    const version = turn % 2 === 0 ? '2' : '1';
    if (random.chance(0.6)) await attempt('a version was promoted', promote(place, version));
    else await attempt('a version ramps', ramp(place, version, random.int(1, 99)));
    await sleep(random.int(1000, 5000), undefined, { signal }).catch(() => undefined);
  }
}
