import type { RunEvent, RunStep } from '../../agent/run/events.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { ForkOptions } from '../../client/restart/fork.ts';
import type { RunReport } from '../../client/index.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { answering } from './answering.ts';
import { carryOut, forker, starter } from './brought-tools.ts';
import { speakToChildren } from './families.ts';
import { type Speak, type Word, operate, resumePaused, speaker } from './operator.ts';
import type { Onlooker } from './onlooker.ts';
import { RESET } from './outside-laws.ts';
import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';
import type { Resets } from './resets.ts';
import { sleep } from './virtual-time.ts';

/** Virtual time after which a run counts as stuck. */
export const MOST_MS = 40 * 60_000;
const MOST_LIVES = 3;
/** Longer than all that a worker can be away. */
const NEWS_MS = 120_000;
const POLL_MS = 3000;

/** A run from a start to an end, as everybody saw it. */
export interface RunLife {
  id: string;
  /** Begun by a rewind, a retry, or a fork of an ended run, or reset. */
  isAgain: boolean;
  report: RunReport;
  /** From history, in order. */
  events: RunEvent[];
  /** undefined: the run is stuck. */
  end: string | undefined;
  /** Steps that `result()` returned; undefined if `result()` threw, or the run is stuck. */
  steps: RunStep[] | undefined;
}

/** Everything that the people of a simulation have. */
export interface Stage {
  client: AgentClient;
  /** All that people said. */
  words: Word[];
  onlooker: Onlooker;
  profile: Profile;
  resets: Resets;
  /** Ids of the open runs of a run's sub-agents, and of theirs. */
  children(id: string): string[];
}

/** A run with its operators, from its start to its end; then, perhaps, from a step on once more. */
export async function playRun(stage: Stage, first: string, random: Random): Promise<RunLife[]> {
  const { client, words, profile } = stage;
  const { client: owner, brought } = starter(stage);
  await owner.start('top', `question ${first}`, { id: first, ...brought });
  const lives: RunLife[] = [];
  let isReset = false;
  for (let id: string | undefined = first; id !== undefined;) {
    const life = await live(stage, id, random, isReset);
    const wasReset = words.some(({ type, run }) => type === RESET && run === life.id);
    lives.push({ ...life, isAgain: lives.length > 0 || wasReset });
    isReset = life.end !== undefined && lives.length < MOST_LIVES && stage.resets.ended(id);
    if (isReset) {
      continue;
    }
    const isLast =
      life.end === undefined ||
      lives.length === MOST_LIVES ||
      !random.chance(profile.restarts ?? 0.5) ||
      !random.may('restart');
    id = isLast ? undefined : await again(client, life, random, speaker(id, words), profile);
  }
  return lives;
}

/** Begins an ended run again. Now and then two people do so at once, and one of them has no luck. */
export async function again(
  client: AgentClient,
  life: Pick<RunLife, 'id' | 'report'>,
  random: Random,
  speak: Speak,
  profile: Profile = {},
): Promise<string | undefined> {
  if (random.chance(0.8) || !random.may('second restart'))
    return beginAgain(client, life, random, speak, profile);
  const [one, other] = await Promise.all([
    beginAgain(client, life, random.fork(), speak, profile),
    beginAgain(client, life, random.fork(), speak, profile),
  ]);
  return one ?? other;
}

export async function live(
  stage: Stage,
  id: string,
  random: Random,
  isReset = false,
): Promise<Omit<RunLife, 'isAgain'>> {
  const { client, words, onlooker, profile, resets } = stage;
  const run = client.get(id);
  const over = new AbortController();
  const isThere = async ({ call, n }: WaitingCall) => {
    // A parent hears later of the waits of its sub-agents.
    const until = Date.now() + (call.includes('/') ? NEWS_MS : 0);
    for (;;) {
      const { waiting } = await run.describe();
      const isListed = waiting.some((wait) => wait.call === call && wait.n === n);
      if (!isListed || Date.now() >= until) return isListed;
      await sleep(POLL_MS);
    }
  };
  const onWaiting = random.chance(0.15) ? answering(random.fork(), words, onlooker.broken) : undefined;
  const operators = Array.from({ length: onWaiting === undefined ? random.int(1, 2) : 0 }, () =>
    operate(run, random.fork(), speaker(id, words, isThere), onlooker, over.signal, profile.habits),
  );
  if (profile.bringsTools === true)
    operators.push(carryOut(stage, id, random.fork(), speaker(id, words, isThere), over.signal));
  if (profile.speaksToChildren === true)
    operators.push(speakToChildren(stage, id, random.fork(), over.signal));
  const afterReset = () => resumePaused(run, speaker(id, words), over.signal);
  // Those who paused the run may think that their refused `resume` was heard.
  if (isReset || profile.options !== undefined) operators.push(afterReset());
  // A program that answers each wait once would be asked again.
  else if (onWaiting === undefined)
    operators.push(resets.open(id, over.signal).then((wasReset) => (wasReset ? afterReset() : undefined)));
  let steps: RunStep[] | undefined;
  const end = await Promise.race([
    run.result({ onWaiting }).then(
      ({ output, intermediateSteps }) => {
        steps = intermediateSteps;
        return `answered: ${JSON.stringify(output).slice(0, 100)}`;
      },
      (error: Error) => {
        if (!error.name.startsWith('AgentRun')) throw error;
        return `ended: ${error.name}: ${error.message}`;
      },
    ),
    sleep(MOST_MS).then(() => undefined),
    // An operator ends before the run only by an error.
    Promise.all(operators).then(() => new Promise<never>(() => undefined)),
  ]);
  over.abort();
  const events: RunEvent[] = [];
  const report = await run.describe((event) => events.push(event));
  return { id, report, events, end, steps };
}

/** Resolves to the id of the run that goes on, or undefined if the word was refused. */
async function beginAgain(
  client: AgentClient,
  life: Pick<RunLife, 'id' | 'report'>,
  random: Random,
  speak: Speak,
  profile: Profile,
): Promise<string | undefined> {
  const { restarts: otherInputs = 0.5, edits } = profile;
  const { id, report } = life;
  const run = client.get(id);
  const step = random.int(1, Math.max(1, report.iterations));
  // A run that has its answer is not retried.
  const type = random.of([
    'rewind',
    'fork',
    'retry',
    report.status === 'completed' ? 'rewind' : 'retry',
  ] as const);
  const forked = `${id}-fork`;
  const input = type === 'retry' && random.chance(otherInputs) ? { n: random.int(0, 999) } : undefined;
  const changes =
    type === 'fork' && edits !== undefined && random.chance(edits) ? edited(life, step, random) : {};
  const sent = await speak({ type: `${type} of the ended run`, data: { step, input, ...changes } }, () => {
    if (type === 'retry') return retry(run, input, random);
    if (type === 'rewind') return run.rewind({ step });
    const by = forker({ client, profile }, id);
    return by.client.get(id).fork({ step, id: forked, ...by.kept, ...changes });
  });
  if (!sent) return undefined;
  return type === 'fork' ? forked : id;
}

/** Changes of a fork: another observation of an earlier call, a message, another limit. */
function edited({ report }: Pick<RunLife, 'report'>, step: number, random: Random): Partial<ForkOptions> {
  const earlier = report.intermediateSteps.filter(({ call }) => Number.parseInt(call, 10) < step);
  const changes = { say: `word ${random.int(0, 99_999)}`, maxIterations: random.int(step, step + 5) };
  if (earlier.length === 0) return changes;
  return { ...changes, edits: { [random.of(earlier).call]: `edited #${random.int(10_000, 99_999)}` } };
}

/** A refusal names the calls that are made again. */
async function retry(run: AgentRun, input: object | undefined, random: Random): Promise<unknown> {
  try {
    return await run.retry({ input });
  } catch (error) {
    const [, calls] = /made again: (.*)\.$/u.exec((error as Error).message) ?? [];
    if (calls === undefined) throw error;
    return run.retry({ call: random.of(calls.split(', ')), input });
  }
}
