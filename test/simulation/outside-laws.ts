import { isDeepStrictEqual } from 'node:util';
import type { RunEvent } from '../../agent/run/events.ts';
import { CANCEL_BY_MODEL } from '../../agent/rules/decisions.ts';
import { viewOf } from '../../agent/views/view.ts';
import type { Word } from './operator.ts';
import type { RunLife } from './run-lives.ts';
import type { World } from './world.ts';

/** Anybody sees this from outside, in a simulation and with real processes (test/cluster). */
export interface Outcome {
  world: Pick<World, 'effects'> & Partial<Pick<World, 'isAsked'>>;
  runs: readonly Pick<RunLife, 'id' | 'isAgain' | 'report' | 'events'>[];
  words: readonly Word[];
}

/** Sentences on what is wrong; none if all laws hold that need no look into the server or the model. */
export function brokenFromOutside(outcome: Outcome): string[] {
  return laws.flatMap((law) => law(outcome));
}

export const ONCE = ['mail', 'order', 'parcel', 'pledge'];

/** Word of somebody who has reset a run. Its later steps are made again, with the effects that they have. */
export const RESET = 'reset of the run';

/** Word of somebody who pauses or resets a call of a worker in another language, with Temporal's own commands. */
export const OPERATED = 'operation on the activity';

/** Error of the rule that says who may decide. */
export const NOT_ALLOWED = 'the rule has no answer';

/** The run's rule has refused the word. */
export const isForbidden = ({ error = '' }: Pick<Word, 'error'>): boolean =>
  error.includes('may not do that') ||
  error.includes(NOT_ALLOWED) ||
  error.includes('started with `authorize`');

/**
 * A person runs the call again, or says that its lost attempt is dead, which may not be so. Temporal runs a call again after a pause or a reset,
 * and an external tool has no journal that tells of the first attempt.
 */
const DARING = ['retry', 'reconcile', OPERATED];

/** A `once` tool takes effect at most once for each key. Another effect of the same call needs a person's word. */
function effectsOnce({ world, words }: Outcome): string[] {
  const seen = new Map<string, number>();
  return world.effects.flatMap(({ tool, key, call, root }) => {
    if (!ONCE.includes(tool) || isReset(words, root)) return [];
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 1) return [];
    const retries = words.filter(
      (word) => DARING.includes(word.type) && word.outcome !== 'refused' && isFor(word, root, call),
    );
    return retries.length >= times - 1
      ? []
      : [`${tool} of call ${call} took effect ${times} times with the key ${key}`];
  });
}

export function isReset(words: readonly Word[], root: string): boolean {
  return words.some(({ type, run }) => type === RESET && root.startsWith(run));
}

function isFor({ run, call }: Word, root: string, called: string): boolean {
  return root.startsWith(run) && call?.split('/').at(-1) === called;
}

/** A person who is asked about a failed call of a `once` tool is told of a doubt, if the call took effect. */
function doubtsAreTold({ world, words }: Outcome): string[] {
  const restarted = new Set(
    words.flatMap(({ run, type }) => (/rewind|retry of|fork of|reset of/u.test(type) ? [run] : [])),
  );
  return words.flatMap(({ run, call, wait, at }) => {
    if (wait?.reason !== 'failed' || !ONCE.includes(wait.tool) || call?.includes('/') !== false) return [];
    const n = numberIn(wait.toolInput);
    const took = world.effects.some(
      (effect) => effect.root === run && effect.call === call && effect.n === n && effect.at < at,
    );
    return took && !restarted.has(run)
      ? [`${wait.tool} of call ${call} took effect, and a person was told that it had failed`]
      : [];
  });
}

/** The tools' only input. Some kinds give it as text. */
function numberIn(toolInput: unknown): number | undefined {
  const [, n] =
    /"n":"?(\d+)/u.exec(typeof toolInput === 'string' ? toolInput : JSON.stringify(toolInput)) ?? [];
  return n === undefined ? undefined : Number(n);
}

/** A `once` tool whose effect was made is not made again with the same input in steps that are done again, unless a person says so. */
function effectsAsked({ world, words }: Outcome): string[] {
  const made = new Set<string>();
  return world.effects.flatMap(({ tool, n, call, root }) => {
    if (!ONCE.includes(tool) || isReset(words, root)) return [];
    const key = `${root} ${call} ${tool} ${n}`;
    const isAgain = made.has(key);
    made.add(key);
    const isAsked = words.some(
      (word) =>
        ['approve', ...DARING].includes(word.type) && word.outcome !== 'refused' && isFor(word, root, call),
    );
    return isAgain && !isAsked ? [`${tool} ${n} of call ${call} was done again, and nobody was asked`] : [];
  });
}

/** A tool with approval runs with an input that a person has approved. */
function approvedInputs({ world, words }: Outcome): string[] {
  const { effects, isAsked = ({ tool }) => tool === 'pay' } = world;
  return effects.flatMap((effect) => {
    if (!isAsked(effect)) return [];
    const isApproved = words.some((word) => {
      const { type, run, outcome, wait, data, at } = word;
      // A reset repeats a word that the rule has refused, and the rule is asked again.
      const isRefused = outcome === 'refused' && !(isForbidden(word) && isReset(words, run));
      if (isRefused || at > effect.at || !effect.root.startsWith(run)) return false;
      const { input, remember } = (data ?? {}) as { input?: { n: number }; remember?: string };
      // An approval function is asked about the model's inputs, and not about those of people.
      if (type === 'retry of the ended run') return effect.tool === 'order' && input?.n === effect.n;
      if (type !== 'approve' && type !== 'retry') return false;
      const approved = numberIn(input ?? wait?.toolInput);
      if (wait?.tool !== effect.tool) return false;
      return remember === 'tool' || (approved === effect.n && isFor(word, effect.root, effect.call));
    });
    return isApproved
      ? []
      : [`${effect.tool} ${effect.n} of call ${effect.call} ran, and nobody approved that input`];
  });
}

/** Runs that nobody began again. Words to other runs may be for a later run of the same id. */
export function withOneLife<R extends Pick<RunLife, 'id' | 'isAgain'>>(
  runs: readonly R[],
  words: readonly Word[],
): R[] {
  // The simulation follows one of two people who begin a run again at once.
  const begunAgain = words.filter(({ type, outcome }) => AGAIN.has(type) && outcome !== 'refused');
  return runs.filter(
    ({ id, isAgain }) =>
      !isAgain &&
      runs.filter((run) => run.id === id).length === 1 &&
      begunAgain.every(({ run }) => run !== id),
  );
}

const AGAIN = new Set(['rewind of the ended run', 'retry of the ended run']);

/** Each decision on a run's own call is in its record once, and no other decision is. */
function decisionsTakeEffect({ runs, words }: Outcome): string[] {
  return withOneLife(runs, words).flatMap(({ id, events }) => {
    const own = words.filter(
      ({ run, call, type, wait }) =>
        run === id &&
        call?.includes('/') === false &&
        ((wait !== undefined && type !== 'extend') || type === 'cancelCall' || type === 'resolve by token'),
    );
    const count = (outcome: Word['outcome']) =>
      countedBy(own.filter((word) => word.outcome === outcome).map(nameOfDecision));
    const [accepted, unknown] = [count('accepted'), count('unknown')];
    const decided = countedBy(
      events.flatMap((event) =>
        event.type === 'decided' && !isByModel(event) ? [`${event.decision.type} ${event.call}`] : [],
      ),
    );
    return [...new Set([...accepted.keys(), ...decided.keys()])].flatMap((name) => {
      const [least, more, found] = [accepted, unknown, decided].map(
        (counts) => counts.get(name) ?? 0,
      ) as Counts;
      return found >= least && found <= least + more
        ? []
        : [
            `${id}: ${name} was accepted ${least} times, may have been ${more} times, and is recorded ${found} times`,
          ];
    });
  });
}

/** The model has cancelled a background call of its own. */
export function isByModel({ decision }: Pick<Extract<RunEvent, { type: 'decided' }>, 'decision'>): boolean {
  return isDeepStrictEqual(decision, CANCEL_BY_MODEL);
}

type Counts = [least: number, more: number, found: number];

const nameOfDecision = ({ type, call }: Word): string =>
  `${type === 'resolve by token' ? 'resolve' : type} ${call}`;

function countedBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The usage and iterations at the end of a run are those that its events add up to, over rewinds and continue-as-new. */
function usageAdds({ runs }: Outcome): string[] {
  return runs.flatMap(({ id, events }) => {
    const end = events.at(-1);
    if (end?.type !== 'run_ended') return [];
    const { iterations, usage } = viewOf(id, events.slice(0, -1));
    const [found, added] = [
      { iterations: end.iterations, usage: end.usage },
      { iterations, usage },
    ];
    return isDeepStrictEqual(found, added)
      ? []
      : [`${id}: the end has ${JSON.stringify(found)}, and the events have ${JSON.stringify(added)}`];
  });
}

/**
 * An accepted word is recorded once, and a refused one leaves no event. `hasRule`: the rule of a run is asked after the record of the word;
 * `reachedTwo`: words that may have reached two runs of an id, each of which records what it accepts.
 */
export function wordsRecorded(
  words: readonly Word[],
  recorded: number,
  { hasRule = false, reachedTwo = 0 }: { hasRule?: boolean; reachedTwo?: number } = {},
): string[] {
  // The histories of a reset have each word in common.
  if (words.some(({ type }) => type === RESET)) return [];
  const sent = words.filter(
    ({ type }) => !['cancel', OPERATED].includes(type) && !type.endsWith('of the ended run'),
  );
  const accepted = sent.filter(({ outcome }) => outcome === 'accepted').length;
  const mayBe = hasRule ? ['unknown', 'refused'] : ['unknown'];
  const unknown = sent.filter(({ outcome }) => mayBe.includes(outcome)).length + reachedTwo;
  const restarts = sent.filter(({ type, outcome }) => type === 'rewind' && outcome !== 'refused').length;
  // An ended run is rewound by a new execution, without an update.
  return recorded >= accepted - restarts && recorded <= accepted + unknown
    ? []
    : [`${accepted} words were accepted, ${unknown} may have been, and ${recorded} are recorded`];
}

const laws = [effectsOnce, effectsAsked, doubtsAreTold, approvedInputs, decisionsTakeEffect, usageAdds];
