import type { OperatorDecision } from '../../agent/run/events.ts';
import { type WaitingCall, awaitsResult, possibleUpdates, stateOf } from '../../agent/rules/waiting.ts';
import type { Extension } from '../../agent/limits/extension.ts';
import { type DecisionName, decisionNames, ruleOf } from '../../agent/rules/decisions.ts';
import { typedDecision } from '../options/typed-decision.ts';
import { sanitizeForTerminal } from '../../agent/text/sanitize.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { usualRaise } from '../../agent/limits/usual-raise.ts';
import { waitingText } from '../print/trace/trace-words.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { firstRows, fit, padTo } from '../shell/display.ts';
import type { ChatTerminal } from './chat-terminal.ts';

export type DecisionRead =
  | { type: 'decide'; waiting: WaitingCall; decision: OperatorDecision }
  | { type: 'extend'; waiting: WaitingCall; by: Extension }
  | { type: 'problem'; line: string };

const INPUT_ROWS = 8;

/** Lines with the waiting call, the reason, and the possible decisions. */
export function promptLines(
  waiting: WaitingCall,
  others: number,
  { colors, width }: Pick<ChatTerminal, 'colors' | 'width'>,
): string[] {
  const { bold, dim, yellow } = colors;
  const { kind } = stateOf(waiting);
  const input = firstRows(sanitizeForTerminal(asText(waiting.toolInput)), INPUT_ROWS, width() - 4);
  const more = input.cut > 0 ? ' …' : '';
  const rows = possibleUpdates(stateOf(waiting)).flatMap((word) => rowsOf(word, waiting));
  const cells = Math.max(...rows.map(({ usage }) => usage.length)) + 2;
  const slash = awaitsResult(waiting) ? '/' : '';
  return [
    `  ${bold(yellow(sanitizeForTerminal(waitingText(waiting, false))))}`,
    ...(kind === 'tool' ? `${input.text}${more}`.split('\n').map((line) => `    ${line}`) : []),
    ...(awaitsResult(waiting)
      ? [dim(`  What you type is ${waiting.reason === 'answer' ? 'the answer' : 'its result'}. Or:`)]
      : []),
    ...rows.map(({ usage, does }) => dim(fit(`    ${slash}${padTo(usage, cells)}${does}`, width() - 1))),
    ...(others > 0
      ? [dim(`  ${count(others, 'more call')} after it; a call's id after the word names one of them`)]
      : []),
  ];
}

/**
 * Reads `approve`, `reject too much`, `retry {"city":"Lisbon"}`, `resolve 1.2 42`, for the call that the prompt asks about or
 * another one that waits. A word may be shortened as long as one fitting word begins so.
 */
export function readDecision(typed: string, asked: WaitingCall, all: readonly WaitingCall[]): DecisionRead {
  const text = typed.trim();
  const slashed = text.startsWith('/');
  if (awaitsResult(asked) && !slashed) return decide(asked, 'resolve', text);
  const [, word = '', after = ''] = /^\/?(\S+)\s*([^]*)$/u.exec(text) ?? [];
  const [, named = '', behind = ''] = /^(\S+)\s*([^]*)$/u.exec(after) ?? [];
  const other = all.find(({ call }) => call === named);
  const [waiting, rest] = other === undefined ? [asked, after] : [other, behind];
  const words = possibleUpdates(stateOf(waiting));
  const meant = meantBy(word.toLowerCase(), waiting, words);
  const [name] = meant;
  if (name === undefined || meant.length > 1) {
    const why = meant.length > 1 ? `"${word}" may be ${meant.join(' or ')}` : `"${word}" does not fit`;
    // The text itself is the result of a question to a person.
    const isNoWord = meant.length === 0 && !decisionNames.some((one) => one === word.toLowerCase());
    const asResult = isNoWord && words.includes('resolve') ? ` As the result: resolve ${shown(text)}` : '';
    return { type: 'problem', line: `${why}. Type ${listed(words)}.${asResult}` };
  }
  return name === 'extend' ? extend(waiting, rest) : decide(waiting, name as DecisionName, rest); // of the words that fit
}

/** Returns true if a word typed after a slash is a decision that fits this call, and not a command of the chat. */
export function isDecision(word: string, waiting: WaitingCall): boolean {
  return possibleUpdates(stateOf(waiting)).includes(word);
}

function rowsOf(word: string, waiting: WaitingCall): { usage: string; does: string }[] {
  const name = decisionNames.find((known) => known === word);
  if (name === undefined) return [{ usage: `${word} [BY]`, does: 'raise the limit and continue' }];
  const { does, takes } = ruleOf(name);
  return [
    { usage: `${name}${argumentOf(name, waiting)}`, does: does.charAt(0).toLowerCase() + does.slice(1) },
    ...(takes.remember === undefined
      ? []
      : [
          {
            usage: `${name} remember tool`,
            does: 'the same, and do not ask again for this tool in this run',
          },
        ]),
  ];
}

/** Words that may or must follow a decision. */
function argumentOf(name: DecisionName, waiting: WaitingCall): string {
  const { takes } = ruleOf(name);
  if (takes.output !== undefined) return ' RESULT';
  if (takes.input !== undefined) return stateOf(waiting).kind === 'tool' ? ' [INPUT]' : '';
  return takes.reason === undefined ? '' : ' [WHY]';
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
    if (given === undefined) return { type: 'problem', line: `Type the result after it: ${name} …` };
    return made({ output: given });
  }
  const remember = /^remember (tool|input)$/u.exec(rest)?.[1];
  if (takes.remember !== undefined && (remember === 'tool' || remember === 'input'))
    return made({ remember });
  const takesInput = takes.input !== undefined && stateOf(waiting).kind === 'tool';
  if (takesInput) return made({ input: given });
  if (takes.reason !== undefined) return made({ reason: given });
  if (given === undefined) return made({});
  return { type: 'problem', line: `${name} takes nothing after it.` };
}

/** `extend`, or `extend 20`: raises the limit that the run has reached. */
function extend(waiting: WaitingCall, rest: string): DecisionRead {
  const { limit, by } = usualRaise(waiting);
  const typed = rest === '' ? by : rest;
  return { type: 'extend', waiting, by: { [limit]: limit === 'time' ? typed : Number(typed) } };
}

/** The beginning of the typed text, to recognize it. */
function shown(text: string): string {
  return fit(oneLine(text.replace(/^\//u, '')), 40);
}

function listed(words: string[]): string {
  return words.length === 1
    ? String(words[0])
    : `${words.slice(0, -1).join(', ')} or ${String(words.at(-1))}`;
}
