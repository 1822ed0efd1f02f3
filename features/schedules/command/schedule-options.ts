import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  CalendarSpec,
  IntervalSpec,
  OverlapPolicy,
  ScheduleDefinition,
} from '../rules/schedule-definition.ts';
import { overlapPolicies } from '../rules/schedule-definition.ts';
import { typedMs } from '../../../agent/values/typed-ms.ts';
import { jsonObject, milliseconds, repeated } from '../../../cli/options/options.ts';

/** Times and policies of a schedule, as they are typed. The names are those of Temporal's own CLI. */
export interface ScheduleTimeOptions {
  cron?: string[];
  calendar?: CalendarSpec[];
  interval?: IntervalSpec[];
  timeZone?: string;
  startTime?: Date;
  endTime?: Date;
  jitter?: number;
  overlapPolicy?: OverlapPolicy;
  catchupWindow?: number;
  pauseOnFailure?: boolean;
}

export function withScheduleTimes(command: Command): Command {
  return withOverlap(command)
    .option('--cron <expression>', "such as '0 7 * * MON-FRI'; repeatable", repeated)
    .option('--calendar <json>', 'such as \'{"hour":7,"dayOfWeek":"MONDAY"}\'; repeatable', calendars)
    .option('--interval <every/offset>', 'such as 2h, or 1d/7h; repeatable', intervals)
    .option('--time-zone <name>', 'such as Europe/Berlin (default: UTC)')
    .option('--start-time <time>', 'no runs before, such as 2026-12-01T00:00:00Z', moment)
    .option('--end-time <time>', 'no runs after', moment)
    .option('--jitter <duration>', 'longest random delay of a start', milliseconds)
    .option('--catchup-window <duration>', 'age of missed starts that are made up for', milliseconds)
    .option('--pause-on-failure', 'pause the schedule when a run fails');
}

export function withOverlap(command: Command): Command {
  const what = 'when an earlier run is open';
  return command.addOption(new Option('--overlap-policy <policy>', what).choices(overlapPolicies));
}

export function timesIn(options: ScheduleTimeOptions): Pick<ScheduleDefinition, 'spec' | 'policies'> {
  const { cron, calendar, interval, timeZone, startTime, endTime, jitter } = options;
  const { overlapPolicy, catchupWindow, pauseOnFailure } = options;
  return {
    spec: {
      cronExpressions: cron,
      calendars: calendar,
      intervals: interval,
      timezone: timeZone,
      startAt: startTime,
      endAt: endTime,
      jitter,
    },
    policies: { overlap: overlapPolicy, catchupWindow, pauseOnFailure },
  };
}

/** Parses a moment. */
export function moment(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('Write a time: 2026-12-01T07:00:00Z.');
  return date;
}

/** Parses a calendar, without a check of its fields: the schedule is checked as a whole. */
function calendars(text: string, before: CalendarSpec[] = []): CalendarSpec[] {
  return [...before, jsonObject(text)];
}

function intervals(text: string, before: IntervalSpec[] = []): IntervalSpec[] {
  const [every, offset = 0, more] = text.split('/').map(typedMs);
  if (every === undefined || more !== undefined)
    throw new InvalidArgumentError('Write a duration such as 2h, or one with an offset: 1d/7h.');
  return [...before, { every, offset }];
}
