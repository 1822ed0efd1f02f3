import { callPath } from '../../agent/calls.ts';
import type { OperatorDecision, WaitingCall } from '../../agent/events.ts';
import type { Extension } from '../../agent/rules/extension.ts';
import { type DecisionName, fittingDecisions, ruleOf } from '../../agent/rules/decisions.ts';
import { stateOf } from '../../agent/rules/waiting.ts';
import { typedDecision } from '../commands/decide.ts';

/** What a person typed of a call that waits, understood. */
export type DecisionRead =
  | { type: 'decide'; waiting: WaitingCall; decision: OperatorDecision }
  | { type: 'extend'; waiting: WaitingCall; by: Extension }
  | { type: 'problem'; line: string };

/** The words that fit a call that waits, in the order in which people are told of them. */
export function fittingWords(waiting: WaitingCall): string[] {
  return [...(waiting.reason === 'limit' ? ['extend'] : []), ...fittingDecisions(stateOf(waiting))];
}

/** A call whose result is awaited: what is typed is that result, and a decision has a slash in front. */
export function awaitsText({ reason }: WaitingCall): boolean {
  return reason === 'deferred';
}

/**
 * Reads `approve`, `reject too much`, `retry {"city":"Lisbon"}`, `resolve 1.2 42`, of a call that is asked about or of another
 * one that waits. A word may be shortened as far as it stays one of those that fit.
 */
export function readDecision(typed: string, asked: WaitingCall, all: readonly WaitingCall[]): DecisionRead {
  const text = typed.trim();
  const slashed = text.startsWith('/');
  if (awaitsText(asked) && !slashed) return decide(asked, 'resolve', text);
  const [, word = '', after = ''] = /^\/?(\S+)\s*([^]*)$/u.exec(text) ?? [];
  const [, named = '', behind = ''] = /^(\S+)\s*([^]*)$/u.exec(after) ?? [];
  const other = all.find(({ call }) => call === named);
  const [waiting, rest] = other === undefined ? [asked, after] : [other, behind];
  const words = fittingWords(waiting);
  const meant = meantBy(word.toLowerCase(), waiting, words);
  const [name] = meant;
  if (name === undefined || meant.length > 1) {
    const why = meant.length > 1 ? `"${word}" may be ${meant.join(' or ')}` : `"${word}" does not fit`;
    return { type: 'problem', line: `${why}. Type ${listed(words)}.` };
  }
  return name === 'extend' ? extend(waiting, rest) : decide(waiting, name as DecisionName, rest); // of the words that fit
}

/** Whether a word with a slash in front is a decision on this call, and no command of the chat. */
export function isDecision(word: string, waiting: WaitingCall): boolean {
  return fittingWords(waiting).includes(word);
}

function meantBy(word: string, { reason }: WaitingCall, words: string[]): string[] {
  if (reason === 'approval' && /^y(?:es)?$/u.test(word)) return ['approve'];
  if (reason === 'approval' && /^no?$/u.test(word)) return ['reject'];
  if (words.includes(word)) return [word];
  return word === '' ? [] : words.filter((name) => name.startsWith(word));
}

function decide(waiting: WaitingCall, name: DecisionName, rest: string): DecisionRead {
  const { takes } = ruleOf(name);
  const given = rest === '' ? undefined : rest;
  const made = (typed: Parameters<typeof typedDecision>[1]): DecisionRead => ({
    type: 'decide',
    waiting,
    decision: typedDecision(name, typed),
  });
  if (takes.output !== undefined) {
    if (given === undefined) return { type: 'problem', line: `Type the result behind it: ${name} …` };
    return made({ output: given });
  }
  const remember = /^remember (tool|input)$/u.exec(rest)?.[1];
  if (takes.remember !== undefined && (remember === 'tool' || remember === 'input'))
    return made({ remember });
  const takesInput = takes.input !== undefined && stateOf(waiting).kind === 'tool';
  if (takesInput) return made({ input: given });
  if (takes.reason !== undefined) return made({ reason: given });
  if (given === undefined) return made({});
  return { type: 'problem', line: `${name} takes nothing behind it.` };
}

const USUAL: { readonly [limit: string]: { word: keyof Extension; by: number | string } } = {
  MaxExecutionTime: { word: 'time', by: '10m' },
  TokenBudget: { word: 'tokens', by: 10_000 },
  CostBudget: { word: 'cost', by: 0.5 },
};

/** `extend`, or `extend 20`: the limit that the run has come to. */
function extend(waiting: WaitingCall, rest: string): DecisionRead {
  const { word, by } = USUAL[waiting.error?.type ?? ''] ?? { word: 'iterations', by: 5 };
  const given = word === 'time' ? rest : Number(rest);
  return { type: 'extend', waiting, by: { [word]: rest === '' ? by : given } };
}

/** The workflow of the run that a call is of: a sub-agent's has one of its own. */
export function runOf(id: string, call: string): string {
  return [id, ...callPath(call).slice(0, -1)].join('/');
}

function listed(words: string[]): string {
  return words.length === 1
    ? String(words[0])
    : `${words.slice(0, -1).join(', ')} or ${String(words.at(-1))}`;
}
