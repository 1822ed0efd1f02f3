import type { AgentRun } from '../../client/api/agent-run.ts';
import type { OperatorDecision, RunReport } from '../../client/index.ts';
import { fittingDecisions } from '../../agent/rules/decisions.ts';
import { type WaitingCall, stateOf } from '../../agent/rules/waiting.ts';
import { limits } from '../../agent/values/limits.ts';
import type { Onlooker } from './onlooker.ts';
import type { Random } from './random.ts';
import type { VirtualServer } from './server.ts';
import { isCalm, sleep } from './virtual-time.ts';

/** One word of an operator, and what became of it. */
export interface Word {
  at: number;
  /** Time of the answer. */
  answeredAt?: number | undefined;
  run: string;
  type: string;
  call?: string | undefined;
  wait?: WaitingCall | undefined;
  data?: object | undefined;
  outcome: 'accepted' | 'refused' | 'unknown';
  error?: string | undefined;
  /** An answer by token that came before the call had deferred. */
  isKept?: boolean | undefined;
  /** The wait was still there after the word was refused. */
  stillWaits?: boolean | undefined;
}

/** Errors by which a run refuses a word, or by which the client says that nothing can come of it. */
export const refusals: ReadonlySet<string> = new Set([
  'DecisionRefused',
  'InvalidInput',
  'RunNotFound',
  'SessionNotFound',
  'WorkflowNotFoundError',
]);

/** Sends a word. Resolves to whether the run accepted it. */
export type Speak = (
  word: Omit<Word, 'at' | 'run' | 'outcome'>,
  send: () => Promise<unknown>,
) => Promise<boolean>;

/** Sends words to a run and writes down what became of them. */
export function speaker(id: string, words: Word[], isThere?: (wait: WaitingCall) => Promise<boolean>): Speak {
  return async (word, send) => {
    const { wait } = word;
    const said: Word = { at: Date.now(), run: id, ...word, outcome: 'unknown' };
    words.push(said);
    try {
      const receipt = await send();
      said.answeredAt = Date.now();
      // The call has not deferred yet, and perhaps never will.
      said.isKept = (receipt as { kept?: true } | undefined)?.kept === true;
      said.outcome = said.isKept ? 'unknown' : 'accepted';
    } catch (error) {
      const { name, message } = error as Error;
      said.error = `${name}: ${message}`;
      if (!refusals.has(name)) throw error;
      said.outcome = 'refused';
      said.answeredAt = Date.now();
      said.stillWaits = wait !== undefined && (await isThere?.(wait));
    }
    return said.outcome !== 'refused';
  };
}

/** A person who answers what waits, and now and then says any other word, until the run is over. */
export async function operate(
  run: AgentRun,
  random: Random,
  speak: Speak,
  { before, look }: Onlooker,
  over: AbortSignal,
  favourites?: Partial<Habits>,
): Promise<void> {
  const habits = habitsOf(random, favourites);
  let isPaused = false;
  while (!over.aborted) {
    await sleep(random.chance(habits.haste) ? random.int(0, 100) : random.int(50, 4000));
    if (over.aborted) return;
    const seen = before(run.id);
    const report = await run.describe();
    look(report, seen);
    const choices = random.fork();
    const shares = isCalm() ? answersOnly : habits;
    // Some people send several words in one moment.
    const count = random.chance(shares.burst) ? random.int(2, 3) : 1;
    const words = Array.from({ length: count }, () =>
      random.may('word')
        ? sayWord(run, report, choices.fork(), speak, isPaused, shares)
        : Promise.resolve(isPaused),
    );
    isPaused = (await Promise.all(words)).includes(true);
  }
}

/** A pause that was sent again has reached the next run of the id. Its sender is gone. */
export function isPausedByOthers(server: VirtualServer, words: readonly Word[], run: RunReport): boolean {
  const begun = server.executions.findLast((one) => one.id === run.id && !one.request.continuedFrom);
  const { startedAt = 0 } = begun ?? {};
  return (
    run.status === 'paused' &&
    words.some(
      (word) =>
        word.run === run.id &&
        word.type === 'pause' &&
        word.at < startedAt &&
        (word.answeredAt ?? 0) > startedAt,
    )
  );
}

/** Looks after a run that somebody has reset: the reset repeats a pause, and those who paused the run may have gone. */
export async function resumePaused(run: AgentRun, speak: Speak, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await sleep(60_000);
    if (over.aborted) return;
    const { status } = await run.describe();
    if (status === 'paused') await speak({ type: 'resume' }, () => run.resume());
  }
}

/**
 * Share of each word in what a person says; of the words that follow the one before at once (`haste`) or come with others (`burst`), of the
 * pauses that somebody makes to decide in them (`study`), of the answers that come late (`slow`) or go to all waits at once (`all`), which may be a
 * retry of all (`retry`), of the waits at which an answer may be the run's end (`end`), and of the approvals that hold for the rest of the run (`remember`).
 */
export type Habits = Record<
  | 'say'
  | 'pause'
  | 'cancel'
  | 'rewind'
  | 'cancelCall'
  | 'haste'
  | 'burst'
  | 'study'
  | 'slow'
  | 'all'
  | 'retry'
  | 'end'
  | 'remember',
  number
>;

const usual: Habits = {
  say: 0.05,
  pause: 0.03,
  cancel: 0.02,
  rewind: 0.03,
  cancelCall: 0.04,
  haste: 0.05,
  burst: 0.05,
  study: 0.2,
  slow: 0.2,
  all: 0.1,
  retry: 0.3,
  end: 0.2,
  remember: 0.2,
};

const answersOnly: Habits = {
  ...usual,
  say: 0,
  pause: 0,
  cancel: 0,
  rewind: 0,
  cancelCall: 0,
  haste: 0,
  burst: 0,
};

/** Most people have their favourite words, and words that they never say. */
function habitsOf(random: Random, favourites: Partial<Habits> = {}): Habits {
  const shares = Object.entries(usual).map(([word, share]) => [word, share * random.of([0, 1, 1, 4])]);
  return { ...(Object.fromEntries(shares) as Habits), ...favourites }; // the same words
}

/** One word, or none. Returns whether the operator has paused the run. */
export async function sayWord(
  run: AgentRun,
  report: RunReport,
  random: Random,
  speak: Speak,
  isPaused: boolean,
  habits = usual,
): Promise<boolean> {
  let dice = random.next();
  const is = (share: number) => (dice -= share) < 0;
  const text = `word ${random.int(0, 99_999)}`;
  if (is(habits.say)) await speak({ type: 'say', data: { text } }, () => run.say(text));
  else if (is(habits.pause) && !isPaused) return pause(run, report, random, speak, habits);
  else if (isPaused && is(0.4)) {
    // If it is refused, somebody else was first.
    await speak({ type: 'resume' }, () => run.resume());
    return false;
  } else if (is(habits.cancel)) await speak({ type: 'cancel' }, () => run.cancel());
  else if (is(habits.rewind)) await rewind(run, report, random, speak);
  else if (is(habits.cancelCall)) await cancelCall(run, report, random, speak);
  else if (report.waiting.length > 0) await answer(run, report, random, speak, habits);
  return isPaused;
}

/** Returns whether the run stays paused. */
async function pause(
  run: AgentRun,
  report: RunReport,
  random: Random,
  speak: Speak,
  habits: Habits,
): Promise<boolean> {
  const paused = speak({ type: 'pause' }, () => run.pause());
  if (!random.chance(habits.study)) return paused;
  // Some decide in the pause, and some have second thoughts at once.
  if (random.chance(0.5) && (await paused) && report.waiting.length > 0)
    await answer(run, report, random, speak, habits);
  const isResumed = await speak({ type: 'resume' }, () => run.resume());
  return (await paused) && !isResumed;
}

async function rewind(run: AgentRun, report: RunReport, random: Random, speak: Speak): Promise<void> {
  if (report.iterations === 0) return;
  const step = random.int(1, report.iterations);
  await speak({ type: 'rewind', data: { step } }, () => run.rewind({ step }));
}

async function cancelCall(run: AgentRun, report: RunReport, random: Random, speak: Speak): Promise<void> {
  // Mostly one of the last turn, which may be under way.
  const step = random.chance(0.7) ? report.iterations : random.int(1, report.iterations + 1);
  const call = `${step}.${random.int(1, 2)}`;
  await speak({ type: 'cancelCall', call }, () => run.decide(call, { type: 'cancelCall' }));
}

/** Answers one of the waits, or now and then all of them at once. */
export async function answer(
  run: AgentRun,
  { waiting }: RunReport,
  random: Random,
  speak: Speak,
  habits = usual,
): Promise<void> {
  if (waiting.length > 1 && random.chance(waiting.length > 4 ? Math.max(habits.all, 0.4) : habits.all)) {
    const favourite = random.chance(habits.retry) ? 'retry' : random.of(['approve', 'any']);
    await Promise.all(waiting.map((wait) => answerWait(run, wait, random, speak, habits, favourite)));
    return;
  }
  const wait = random.of(waiting);
  // Some people take their time, and the wait may be another one by then.
  if (random.chance(habits.slow)) await sleep(random.int(0, 6000));
  await answerWait(run, wait, random, speak, habits);
}

/** `favourite`: the decision that is taken where it fits. */
export async function answerWait(
  run: AgentRun,
  wait: WaitingCall,
  random: Random,
  speak: Speak,
  habits = usual,
  favourite?: string,
): Promise<void> {
  const fitting = fittingDecisions(stateOf(wait)).filter(
    (type) => (type !== 'abort' && type !== 'stop') || random.chance(habits.end),
  );
  if (fitting.length === 0) {
    // A limit: more of everything.
    await speak({ type: 'extend', wait }, () => run.extend({ iterations: 2, time: '60s' }));
    return;
  }
  const type = fitting.find((one) => one === favourite) ?? random.of(fitting);
  const edits =
    (type === 'approve' || type === 'retry') &&
    random.chance(0.3) &&
    typeof wait.toolInput === 'object' &&
    wait.toolInput !== null &&
    'n' in wait.toolInput &&
    JSON.stringify(wait.toolInput).length < limits.decisionBytes / 2;
  const data = {
    ...(type === 'resolve' ? { output: outputFor(wait, random) } : {}),
    ...(edits ? { input: { ...(wait.toolInput as object), n: random.int(0, 999) } } : {}),
    ...(type === 'approve' && random.chance(habits.remember)
      ? { remember: random.of(JSON.stringify(wait.toolInput).length < 1000 ? ['tool', 'input'] : ['tool']) }
      : {}),
  };
  await speak({ type, call: wait.call, wait, data }, () =>
    run.decide(wait.call, { type, ...data } as OperatorDecision, wait.n),
  );
}

/** The reply that a person gives in place of a model. No two calls get the same one. */
export const givenReply = (call: string) => `The answer of a person to ${call}`;

/** A model call is resolved with a reply, a tool call with its result. */
function outputFor({ call }: WaitingCall, random: Random): string {
  const isModelCall = !(call.split('/').at(-1) ?? '').includes('.');
  return isModelCall ? givenReply(call) : `resolved ${random.int(0, 999)}`;
}
