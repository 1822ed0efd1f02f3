import type { BatchStart } from '../../../agent/start/batch-start.ts';
import type { RunStart } from '../../../agent/start/run-start.ts';

/** A run, or with `inputs` a batch of runs, at set times. The names are those of Temporal's Schedules. */
export type ScheduleDefinition = ScheduleTimes &
  ((Omit<RunStart, 'traceparent'> & { inputs?: undefined }) | (BatchStart & { input?: undefined }));

export interface ScheduleTimes {
  /** The times. */
  spec: ScheduleSpec;
  policies?: SchedulePolicies | undefined;
}

/** Times of a schedule: those of `calendars`, `intervals` and `cronExpressions` together, without those of `skip`. */
export interface ScheduleSpec {
  /**
   * Five fields: minute, hour, day of the month, month, day of the week, such as `0 7 * * MON-FRI`. A sixth is the year (`0 7 1 1 * 2027`); with seven, the first
   * is the second (`30 0 7 * * * *`).
   */
  cronExpressions?: readonly string[] | undefined;
  calendars?: readonly CalendarSpec[] | undefined;
  intervals?: readonly IntervalSpec[] | undefined;
  skip?: readonly CalendarSpec[] | undefined;
  /** Name of an IANA time zone: 'Europe/Berlin'. Default: UTC. */
  timezone?: string | undefined;
  /** No times before. */
  startAt?: Date | undefined;
  /** No times after. */
  endAt?: Date | undefined;
  /** Longest random delay of a start: milliseconds, or '30s'. Default: 0. */
  jitter?: number | string | undefined;
}

/** Times that match all fields. Default of second, minute and hour: 0; of the others: all values. */
export interface CalendarSpec {
  second?: CalendarField<number>;
  minute?: CalendarField<number>;
  hour?: CalendarField<number>;
  dayOfMonth?: CalendarField<number>;
  month?: CalendarField<Month>;
  year?: CalendarField<number>;
  dayOfWeek?: CalendarField<DayOfWeek>;
  comment?: string | undefined;
}

/** '*' is each value. `end` is included; default: `start`. */
export type CalendarField<Unit> = '*' | FieldValue<Unit> | readonly FieldValue<Unit>[] | undefined;
export type FieldValue<Unit> = Unit | { start: Unit; end?: Unit | undefined; step?: number | undefined };

/** Times since 1970 that are multiples of `every`, plus `offset`: milliseconds, or '10m'. */
export interface IntervalSpec {
  every: number | string;
  offset?: number | string | undefined;
}

export const overlapPolicies = [
  'SKIP',
  'BUFFER_ONE',
  'BUFFER_ALL',
  'CANCEL_OTHER',
  'TERMINATE_OTHER',
  'ALLOW_ALL',
] as const;

export type OverlapPolicy = (typeof overlapPolicies)[number];

export interface SchedulePolicies {
  /** Rule for a start while an earlier run of the schedule is open. A run that waits for a person is open. Default: 'SKIP'. */
  overlap?: OverlapPolicy | undefined;
  /** Age up to which missed starts are made up for after an outage of the server: milliseconds, or '1h'. Default: a year. */
  catchupWindow?: number | string | undefined;
  /** Pauses the schedule when a run fails. Default: false. */
  pauseOnFailure?: boolean | undefined;
}

export const months = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
export type Month = (typeof months)[number];

export const daysOfWeek = [
  'SUNDAY',
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
] as const;
export type DayOfWeek = (typeof daysOfWeek)[number];
