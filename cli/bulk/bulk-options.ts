import { type Command, InvalidArgumentError } from 'commander';
import { type WaitingReason, waitingReasons } from '../../agent/vocabulary.ts';
import { type FilterOptions, withFilters } from '../filter-options.ts';
import type { CommonOptions } from '../options.ts';

/** Which runs and calls a command is for that names none, and how to go about it. */
export interface BulkOptions extends CommonOptions, FilterOptions {
  all?: boolean;
  /** Of the call that waits. */
  tool?: string;
  waiting?: WaitingReason;
  dryRun?: boolean;
  yes?: boolean;
}

/** The options that only `--all` makes use of. */
const WITH_ALL = [
  'status',
  'agent',
  'session',
  'since',
  'until',
  'text',
  'tool',
  'waiting',
  'dryRun',
  'yes',
] as const satisfies readonly (keyof BulkOptions)[];

export function withBulkOptions(command: Command): Command {
  command
    .optionsGroup('In place of <id>, everything that fits:')
    .option('--all', 'decide on all of it at once; the following say on which');
  return withFilters(command)
    .option('--tool <name>', 'where a call of this tool waits')
    .option('--waiting <reason>', `where a call waits for this: ${waitingReasons.join(', ')}`, reason)
    .option('--dry-run', 'only print what would be done')
    .option('--yes', 'do not ask first');
}

/** What is wrong with the words of a command; undefined where nothing is. */
export function misuse(words: readonly string[], options: BulkOptions): string | undefined {
  if (options.all === true) {
    return words.length === 0
      ? undefined
      : `--all is for every run that fits, and "${words.join(' ')}" names one. Leave one of them out.`;
  }
  const stray = WITH_ALL.find((name) => options[name] !== undefined);
  if (stray !== undefined) return `--${stray === 'dryRun' ? 'dry-run' : stray} goes with --all.`;
  return words.length === 0 ? "missing required argument 'id'" : undefined;
}

function reason(text: string): WaitingReason {
  const found = waitingReasons.find((known) => known === text);
  if (found === undefined) throw new InvalidArgumentError(`Known: ${waitingReasons.join(', ')}.`);
  return found;
}
