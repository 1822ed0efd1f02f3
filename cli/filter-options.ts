import { type Command, InvalidArgumentError } from 'commander';
import type { RunStatus } from '../agent/vocabulary.ts';
import { type RunFilters, isRunStatus, runStatuses } from '../client/run-filters.ts';
import { milliseconds } from './options.ts';

/** Which runs, as typed. */
export type FilterOptions = Omit<RunFilters, 'status'> & { status?: RunStatus };

export function withFilters(command: Command): Command {
  return command
    .option('--status <status>', runStatuses.join(', '), status)
    .option('--agent <name>', 'runs of this agent')
    .option('--session <name>', 'runs of this conversation')
    .option('--since <when>', 'started within 1h, 2d …, or since 2026-11-20 or 2026-11-20T14:30', moment)
    .option('--until <when>', 'started before that', moment)
    .option('--text <text>', 'in the first 200 characters of the question');
}

export function filtersOf({ status: wanted, agent, session, since, until, text }: FilterOptions): RunFilters {
  return { status: wanted, agent, session, since, until, text };
}

function status(text: string): RunStatus {
  if (!isRunStatus(text)) throw new InvalidArgumentError(`Known: ${runStatuses.join(', ')}.`);
  return text;
}

/** So long ago, or a date with or without a time: of this machine's clock, where no zone is written. */
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
