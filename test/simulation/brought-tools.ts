import type { ClientTool } from '../../agent/definition/client-tools.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { answerRun } from '../../gateway/start/answer-run.ts';
import type { ClientResult } from '../../gateway/start/client-calls.ts';
import type { Decider } from '../../gateway/start/decide-as.ts';
import type { Caller } from '../../gateway/http/caller.ts';
import { type Speak, refusals } from './operator.ts';
import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';
import type { Stage } from './run-lives.ts';
import { isCalm, sleep } from './virtual-time.ts';

/** Tools that the caller of a run brings. */
export const BROUGHT: readonly ClientTool[] = ['choose_colour', 'show_page'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { n: { type: ['number', 'string'] } }, required: ['n'] },
}));

/** The program that starts runs and brings tools, as the gateway sees it. */
const owner: Caller = { name: 'owner', scopes: ['run'] };

/** They may not give the results of the owner's tools. The second one sees all runs. */
export const strangers: readonly Caller[] = [
  { name: 'stranger', scopes: ['run'] },
  { name: 'colleague', scopes: ['run'], may: ['all-runs'] },
];

/** A result that the owner has given, for one wait of a call. No two results are the same. */
export const OWN_RESULT = /^result #\d+ for wait (\d+) of ([\d.]+)$/u;

type People = Pick<Stage, 'client' | 'profile'>;

/** The client that starts runs, and what it brings. */
export function starter({ client, profile }: People) {
  return profile.bringsTools === true
    ? { client: client.as(owner.name), brought: { clientTools: BROUGHT } }
    : { client, brought: {} };
}

/** The forks of the first run are its owner's. Those of the second one are other people's, and have no tools of the owner. */
export function forker({ client, profile }: People, id: string) {
  const isOwn = profile.bringsTools === true && hasBrought(profile, `${id}-fork`);
  return isOwn ? { client: client.as(owner.name), kept: { keepClientTools: true } } : { client, kept: {} };
}

/** Returns true if a run of the id has the tools of its owner. */
export function hasBrought({ bringsTools }: Profile, id: string): boolean {
  return bringsTools === true && !/-1(?:-fork)+$/u.test(id);
}

/**
 * The owner carries out the calls of its tools until the run is over. It gives results as a program does, or through the gateway, to which it sends
 * some of them again, late or from two places at once. Now and then somebody else gives one.
 */
export async function carryOut(
  stage: Stage,
  id: string,
  random: Random,
  speak: Speak,
  over: AbortSignal,
): Promise<void> {
  const run = stage.client.as(owner.name).get(id);
  const given: [WaitingCall, ClientResult][] = [];
  while (!over.aborted) {
    await sleep(random.int(50, 4000));
    if (over.aborted) return;
    const { waiting } = await run.describe();
    const choices = random.fork();
    const asked = waiting.filter(({ reason }) => reason === 'client_tool');
    const calls = isCalm() || choices.chance(0.5) ? asked : asked.slice(0, 1);
    if (!choices.may('results of the owner')) continue;
    await Promise.all([
      ...calls.map(async (wait) => {
        const results = Array.from({ length: choices.chance(0.3) ? 2 : 1 }, () =>
          resultFor(id, wait, choices),
        );
        await Promise.all(results.map((result) => give(wait, result, choices.fork())));
      }),
      ...(given.length > 0 && choices.chance(0.3) ? [giveAgain(...choices.of(given))] : []),
    ]);
  }

  async function give(wait: WaitingCall, result: ClientResult, choices: Random): Promise<void> {
    if (choices.chance(0.2)) await intrude(wait, choices);
    await sleep(choices.int(0, 1500));
    if (choices.chance(0.4)) return giveAgain(wait, result);
    const { call, n } = wait;
    const data = result.result as { output: string };
    await speak({ type: 'resolve', call, wait, data }, () =>
      run.decide(call, { type: 'resolve', ...data }, n),
    );
  }

  /** The gateway passes over a result whose wait has ended, so nobody knows what became of it. */
  async function giveAgain(wait: WaitingCall, result: ClientResult): Promise<void> {
    given.push([wait, result]);
    stage.words.push({
      at: Date.now(),
      run: id,
      type: 'resolve',
      call: wait.call,
      wait,
      data: result.result,
      outcome: 'unknown',
    });
    await giveThroughGateway({ client: stage.client.as(owner.name), caller: owner }, result);
  }

  async function intrude(wait: WaitingCall, choices: Random): Promise<void> {
    const caller = choices.of(strangers);
    const result = { ...resultFor(id, wait, choices), result: { output: `result of a ${caller.name}` } };
    try {
      await giveThroughGateway({ client: stage.client.as(caller.name), caller }, result);
    } catch (error) {
      if (refusals.has((error as Error).name) || (error as { status?: number }).status === 403) return;
      throw error;
    }
    stage.onlooker.broken(`${id}: a ${caller.name} could give the result of call ${wait.call}`);
  }
}

async function giveThroughGateway(by: Decider, result: ClientResult): Promise<void> {
  await answerRun(by, { persons: [], results: [result] }, { route: 'POST /runs/{id}/decisions' });
}

function resultFor(run: string, { call, n }: WaitingCall, random: Random): ClientResult {
  const output = `result #${random.int(100_000, 999_999)} for wait ${n} of ${call}`;
  return { run, call, n, result: { output } };
}
