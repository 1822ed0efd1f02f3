import type { Argument, Command, Option } from 'commander';
import { decisionNames } from '../../agent/rules/decisions.ts';
import { runMessageNames } from '../../agent/rules/run-messages.ts';

export interface Candidate {
  word: string;
  about: string;
}

/** Kind of word at the cursor: words that the program itself knows, or names to be looked up. */
export type CompletionTarget =
  | { type: 'words'; words: Candidate[] }
  | { type: 'agents' }
  /** Names of evals, beside these words. */
  | { type: 'evals'; words: Candidate[] }
  /** Names of sessions, or of schedules. */
  | { type: 'names'; of: string }
  | { type: 'files' }
  | { type: 'runs'; which: RunsFor }
  | { type: 'calls'; run: string; command: string };

/** `waiting` on a decision, all that are open, or any. */
export type RunsFor = { of: 'waiting'; command: string } | { of: 'open' } | { of: 'any' };

/** Context of the word at the cursor, and the text before it (`--status=`). */
export interface CompletionContext {
  wanted: CompletionTarget;
  prefix: string;
  /** Value of --config, for names in the config. */
  config: string | undefined;
  address: string | undefined;
  namespace: string | undefined;
}

/** Finds out from the program itself: a new command or option is completed without another list. */
export function completionContext(
  program: Command,
  words: readonly string[],
  current: string,
): CompletionContext {
  let command = program;
  const given: string[] = [];
  const values = new Map<string, string>();
  let awaited: Option | undefined;
  let onlyWords = false;
  for (const word of words) {
    if (awaited !== undefined) {
      values.set(awaited.attributeName(), word);
      awaited = undefined;
      continue;
    }
    if (word === '--' && !onlyWords) {
      onlyWords = true;
      continue;
    }
    if (word.startsWith('-') && !onlyWords) {
      const [flag = '', value] = word.split(/=(.*)/su);
      const option = optionOf(command, flag);
      if (option?.required !== true && option?.optional !== true) continue;
      if (value === undefined) awaited = option;
      else values.set(option.attributeName(), value);
      continue;
    }
    const own = given.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (own === undefined) given.push(word);
    else command = own;
  }
  const [flag = '', value] = current.split(/=(.*)/su);
  const inline =
    !onlyWords && current.startsWith('--') && value !== undefined ? optionOf(command, flag) : undefined;
  const option = inline ?? awaited;
  const isFlag = current.startsWith('-') && !onlyWords;
  const rest = (): CompletionTarget =>
    isFlag ? { type: 'words', words: flagsOf(command) } : argumentOf(command, given);
  return {
    wanted: option === undefined ? rest() : valueOf(option),
    prefix: inline === undefined ? '' : `${flag}=`,
    config: values.get('config'),
    address: values.get('address'),
    namespace: values.get('namespace'),
  };
}

function argumentOf(command: Command, given: readonly string[]): CompletionTarget {
  const isHelp = command.parent === null && given[0] === 'help';
  if (command.commands.length > 0 && (given.length === 0 || isHelp)) {
    const helps =
      isHelp || command.parent !== null ? [] : [{ word: 'help', about: 'show the help of a command' }];
    const words = [...command.commands.filter(isVisible).map(commandWord), ...helps];
    // The name of an eval may stand in place of a command.
    return { type: command.name() === EVAL ? 'evals' : 'words', words };
  }
  const argument = command.registeredArguments[given.length];
  return argument === undefined ? NOTHING : valuesOf(command, argument, given);
}

const EVAL = 'eval';

const NOTHING: CompletionTarget = { type: 'words', words: [] };

/** Values of an argument, by its name in the command's usage. */
function valuesOf(command: Command, argument: Argument, given: readonly string[]): CompletionTarget {
  if (argument.argChoices !== undefined) return choices(argument.argChoices);
  switch (argument.name()) {
    case 'id':
      return { type: 'runs', which: runsFor(command.name()) };
    case 'call':
      return { type: 'calls', run: given[0] ?? '', command: command.name() };
    case 'agent':
      return { type: 'agents' };
    case 'file':
      return { type: 'files' };
    case 'name':
      if (command.parent?.name() === EVAL) return { type: 'evals', words: [] };
      // The name of a schedule to be made is a new one.
      return command.name() === 'create' ? NOTHING : { type: 'names', of: command.parent?.name() ?? '' };
    default:
      return NOTHING;
  }
}

function valueOf(option: Option): CompletionTarget {
  if (option.argChoices !== undefined) return choices(option.argChoices);
  const [, value = ''] = /<(.+?)>/u.exec(option.flags) ?? [];
  if (value === 'file') return { type: 'files' };
  if (option.attributeName() === 'agent') return { type: 'agents' };
  if (option.attributeName() === 'session') return { type: 'names', of: 'session' };
  // Options whose values a function checks list them in their description.
  const listed = /^[a-z]+(?:, [a-z]+)+$/u.test(option.description) ? option.description.split(', ') : [];
  return choices(listed);
}

function runsFor(command: string): RunsFor {
  const isDecision = decisionNames.some((name) => name === command);
  if (isDecision) return { of: 'waiting', command };
  const isOpen =
    command === 'watch' || command === 'cancel' || runMessageNames.some((name) => name === command);
  return { of: isOpen ? 'open' : 'any' };
}

function choices(words: readonly string[]): CompletionTarget {
  return { type: 'words', words: words.map((word) => ({ word, about: '' })) };
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ short, long }) => flag !== '' && (flag === long || flag === short));
}

function flagsOf(command: Command): Candidate[] {
  const own = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => ({ word: long ?? short ?? '', about: description }));
  return [...own, { word: '--help', about: 'show this' }];
}

function commandWord(command: Command): Candidate {
  return { word: command.name(), about: command.summary() };
}

/** commander keeps to itself which commands are hidden; its help does not. */
function isVisible(command: Command): boolean {
  return command.parent?.createHelp().visibleCommands(command.parent).includes(command) ?? true;
}
