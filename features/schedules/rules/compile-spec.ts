import { InvalidInput } from '../../../agent/values/refusal.ts';
import { typedMs } from '../../../agent/values/typed-ms.ts';
import { boundedText, finiteMs } from '../../../agent/values/values.ts';
import {
  type Calendar,
  type CalendarFieldName,
  type CalendarRange,
  allValues,
  fieldNames,
  fieldRules,
} from './calendar-fields.ts';
import { readCron, valuesOf } from './cron.ts';
import type {
  CalendarSpec,
  FieldValue,
  OverlapPolicy,
  SchedulePolicies,
  ScheduleSpec,
} from './schedule-definition.ts';

/** The times of a schedule as the server keeps them. Durations in milliseconds. */
export interface CompiledSpec {
  calendars: Calendar[];
  intervals: { every: number; offset: number }[];
  skip: Calendar[];
  timezone: string;
  startAt: Date | undefined;
  endAt: Date | undefined;
  jitter: number;
}

export interface CompiledPolicies {
  overlap: OverlapPolicy;
  catchupWindow: number;
  pauseOnFailure: boolean;
}

const YEAR_MS = 365 * 86_400_000;
/** The server counts catch-up windows from here. */
const LEAST_CATCHUP_MS = 10_000;

/** Throws InvalidInput with a sentence on the first problem. */
export function compileSpec(spec: ScheduleSpec): CompiledSpec {
  const { cronExpressions = [], calendars = [], intervals = [], skip = [] } = spec;
  const { timezone = 'UTC', startAt, endAt, jitter = 0 } = spec;
  if (cronExpressions.length + calendars.length + intervals.length === 0) {
    throw new InvalidInput('spec has no times: it needs cronExpressions, calendars or intervals.');
  }
  checkTimezone(timezone);
  if (startAt !== undefined && endAt !== undefined && endAt < startAt)
    throw new InvalidInput('endAt is before startAt, so that no time is left.');
  return {
    calendars: [...cronExpressions.map(readCron), ...calendars.map(readCalendar)],
    intervals: intervals.map(({ every, offset = 0 }) => ({
      every: milliseconds(every, 'every', 1_000),
      offset: milliseconds(offset, 'offset'),
    })),
    skip: skip.map(readCalendar),
    timezone,
    startAt,
    endAt,
    jitter: milliseconds(jitter, 'jitter'),
  };
}

/** Throws InvalidInput. */
export function compilePolicies(policies: SchedulePolicies = {}): CompiledPolicies {
  const { overlap = 'SKIP', catchupWindow = YEAR_MS, pauseOnFailure = false } = policies;
  return {
    overlap,
    catchupWindow: milliseconds(catchupWindow, 'catchupWindow', LEAST_CATCHUP_MS),
    pauseOnFailure,
  };
}

function checkTimezone(timezone: string): void {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions();
    if (!/^[+-]/u.test(timeZone)) return;
  } catch {
    // refused below
  }
  throw new InvalidInput(
    `timezone "${boundedText(timezone, 100)}" is not an IANA time zone, such as Europe/Berlin.`,
  );
}

function milliseconds(value: number | string, what: string, least = 0): number {
  const ms = finiteMs(typeof value === 'string' ? typedMs(value) : value);
  if (ms !== undefined && ms >= least) return ms;
  const atLeast = least === 0 ? '' : ` of at least ${least / 1000}s`;
  throw new InvalidInput(
    `${what} has to be a duration${atLeast}, milliseconds or a text such as '30s', '10m', '1h', but is ${JSON.stringify(value)}.`,
  );
}

function readCalendar({ comment, ...fields }: CalendarSpec): Calendar {
  const read = (name: CalendarFieldName): readonly CalendarRange[] => readField(fields[name], name);
  const byName = Object.fromEntries(fieldNames.map((name) => [name, read(name)]));
  return { ...(byName as Omit<Calendar, 'comment'>), comment }; // has every name
}

function readField(field: CalendarSpec[CalendarFieldName], name: CalendarFieldName): CalendarRange[] {
  const { usual } = fieldRules[name];
  if (field === undefined && usual !== undefined) return [{ start: usual, end: usual, step: 1 }];
  if (field === undefined || field === '*') return allValues(name);
  const values: readonly FieldValue<unknown>[] = Array.isArray(field) ? field : [field];
  return values.map((value) => readRange(value, name));
}

function readRange(value: FieldValue<unknown>, name: CalendarFieldName): CalendarRange {
  const { start, end = start, step = 1 } = isRange(value) ? value : { start: value };
  const [first, last] = [start, end].map((one) => numberOf(one, name));
  const isStep = Number.isInteger(step) && step >= 1;
  if (first !== undefined && last !== undefined && last >= first && isStep)
    return { start: first, end: last, step };
  throw new InvalidInput(
    `calendar: ${boundedText(JSON.stringify(value), 100)} is not ${name === 'hour' ? 'an' : 'a'} ${name}: ${valuesOf(name)}, a range { start, end, step }, a list of them, or '*'.`,
  );
}

function isRange(value: FieldValue<unknown>): value is { start: unknown; end?: unknown; step?: number } {
  return typeof value === 'object' && value !== null && 'start' in value;
}

function numberOf(value: unknown, name: CalendarFieldName): number | undefined {
  const { min, max, names } = fieldRules[name];
  if (names !== undefined) {
    const index = names.indexOf(String(value));
    return index < 0 ? undefined : index + min;
  }
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
    ? value
    : undefined;
}
