import { type Command, InvalidArgumentError } from 'commander';
import { type WaitingReason, waitingReasons } from '../../agent/rules/wait-reasons.ts';
import { type CommonOptions, milliseconds, repeated } from './options.ts';
import type { RunStatus } from '../../agent/values/vocabulary.ts';
import { type RunFilters, isRunStatus, runStatuses } from '../../client/read/run-filters.ts';

/** Runs and calls for a command without an id, and its mode. */
export interface BulkOptions extends CommonOptions, FilterOptions {
  all?: boolean;
  tool?: string;
  modelCalls?: boolean;
  waiting?: WaitingReason;
  dryRun?: boolean;
  yes?: boolean;
}

/** The options that only `--all` uses. */
const WITH_ALL = [
  'status',
  'agent',
  'session',
  'tag',
  'tenant',
  'since',
  'until',
  'text',
  'tool',
  'modelCalls',
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
    .option('--model-calls', 'where a model call waits')
    .option('--waiting <reason>', `where a call waits for this: ${waitingReasons.join(', ')}`, reason)
    .option('--dry-run', 'only print what would be done')
    .option('--yes', 'do not ask first');
}

/** Problem of a command's arguments; undefined if there is none. */
export function misuse(words: readonly string[], options: BulkOptions): string | undefined {
  if (options.all === true) {
    return words.length === 0
      ? undefined
      : `--all is for every run that fits, and "${words.join(' ')}" names one. Leave one of them out.`;
  }
  const stray = WITH_ALL.find((name) => options[name] !== undefined);
  if (stray !== undefined) return `--${flagOf(stray)} goes with --all.`;
  return words.length === 0 ? "missing required argument 'id'" : undefined;
}

function reason(text: string): WaitingReason {
  const found = waitingReasons.find((known) => known === text);
  if (found === undefined) throw new InvalidArgumentError(`Known: ${waitingReasons.join(', ')}.`);
  return found;
}

function flagOf(option: string): string {
  return option.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

export type FilterOptions = Omit<RunFilters, 'status' | 'tags' | 'idPrefix'> & {
  status?: RunStatus;
  tag?: string[];
};

export function withFilters(command: Command): Command {
  return command
    .option('--status <status>', runStatuses.join(', '), status)
    .option('--agent <name>', 'runs of this agent')
    .option('--session <name>', 'runs of this conversation')
    .option('--tag <text>', 'runs with this tag; repeatable, for runs with all of them', repeated)
    .option('--tenant <name>', 'runs for this customer or user')
    .option('--since <when>', 'started within 1h, 2d …, or since 2026-11-20 or 2026-11-20T14:30', moment)
    .option('--until <when>', 'started before that', moment)
    .option('--text <text>', 'in the first 200 characters of the question');
}

export function filtersOf({
  status: wanted,
  tag,
  agent,
  session,
  tenant,
  since,
  until,
  text,
}: FilterOptions): RunFilters {
  return { status: wanted, agent, session, tags: tag, tenant, since, until, text };
}

function status(text: string): RunStatus {
  if (!isRunStatus(text)) throw new InvalidArgumentError(`Known: ${runStatuses.join(', ')}.`);
  return text;
}

/** Reads a duration ago, or a date with or without a time, in this machine's time zone if the text has none. */
export function moment(text: string): Date {
  if (/^\d+(?:\.\d+)?\s*[smhd]$/u.test(text.trim())) return new Date(Date.now() - milliseconds(text));
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/u.exec(
    text.trim(),
  );
  const [, day = '', time = '00:00', zone = ''] = match ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  if (!isDay(day) || !Number.isFinite(date.getTime())) {
    throw new InvalidArgumentError('Write 30m, 1h, 2d, 2026-11-20 or 2026-11-20T14:30.');
  }
  return date;
}

/** February has no 30th, which JavaScript takes for the 2nd of March. */
function isDay(text: string): boolean {
  const date = new Date(text);
  return Number.isFinite(date.getTime()) && date.toISOString().startsWith(text);
}
